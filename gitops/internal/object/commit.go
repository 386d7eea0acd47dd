package object

import "strings"

// A CommitObject is what a commit's content says, as far as it tells what was
// committed, and by whom.
type CommitObject struct {
	Tree              ID
	Parents           []ID
	Author, Committer string // "Name <address> seconds zone"; empty if there is none
	Message           string
}

// ParseCommit reads the content of a commit. Lines of the head that it does not
// know, and what continues them, are passed over.
func (f Format) ParseCommit(data []byte) (*CommitObject, error) {
	tree, err := f.CommitTree(data)
	if err != nil {
		return nil, err
	}
	c := &CommitObject{Tree: tree}
	head, message, _ := strings.Cut(string(data), "\n\n")
	c.Message = message
	for _, line := range strings.Split(head, "\n")[1:] {
		word, value, _ := strings.Cut(line, " ")
		switch word {
		case "parent":
			id, ok := ParseID(value)
			if !ok || id.Format() != f {
				return nil, damaged("a commit's parent is %q", value)
			}
			c.Parents = append(c.Parents, id)
		case "author":
			c.Author = value
		case "committer":
			c.Committer = value
		}
	}
	return c, nil
}
