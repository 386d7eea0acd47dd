package object

import (
	"bytes"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// CommitTree returns the tree that a commit's content names.
func (f Format) CommitTree(data []byte) (ID, error) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	word, digits, _ := strings.Cut(string(line), " ")
	id, ok := ParseID(digits)
	if word != "tree" || !ok || id.Format() != f {
		return ID{}, damaged("a commit names no tree")
	}
	return id, nil
}

// A TagObject is what a tag's content says.
type TagObject struct {
	Object  ID
	Type    Type
	Name    string
	Tagger  string // "Name <address> seconds zone", empty in old tags
	Message string // with a signature, if there is one
}

// ParseTag reads the content of a tag.
func (f Format) ParseTag(data []byte) (*TagObject, error) {
	head, message, _ := strings.Cut(string(data), "\n\n")
	t := &TagObject{Message: message}
	for i, line := range strings.Split(strings.TrimSuffix(head, "\n"), "\n") {
		word, value, _ := strings.Cut(line, " ")
		ok := true
		switch i {
		case 0:
			t.Object, ok = ParseID(value)
			ok = ok && word == "object" && t.Object.Format() == f
		case 1:
			var err error
			t.Type, err = plumbing.ParseObjectType(value)
			ok = err == nil && word == "type" && !t.Type.IsDelta()
		case 2:
			t.Name, ok = value, word == "tag"
		case 3:
			if word == "tagger" {
				t.Tagger = value
			}
		}
		if !ok {
			return nil, damaged("a tag's line is %q", line)
		}
	}
	if t.Name == "" {
		return nil, damaged("a tag has no name")
	}
	return t, nil
}

// Encode returns the content of the tag.
func (t *TagObject) Encode() []byte {
	var b bytes.Buffer
	b.WriteString("object " + t.Object.String() + "\ntype " + t.Type.String() + "\ntag " + t.Name + "\n")
	if t.Tagger != "" {
		b.WriteString("tagger " + t.Tagger + "\n")
	}
	b.WriteString("\n" + t.Message)
	return b.Bytes()
}

// PeelToTree follows tags and a commit to the tree behind them.
func PeelToTree(r interface {
	Read(ID) (Type, []byte, error)
}, id ID) (ID, error) {
	for range 32 {
		typ, data, err := r.Read(id)
		if err != nil {
			return ID{}, err
		}
		switch typ {
		case Tree:
			return id, nil
		case Commit:
			tree, err := id.Format().CommitTree(data)
			if err != nil {
				return ID{}, wrap(id, err)
			}
			return tree, nil
		case Tag:
			t, err := id.Format().ParseTag(data)
			if err != nil {
				return ID{}, wrap(id, err)
			}
			id = t.Object
		default:
			return ID{}, wrap(id, damaged("a %s where a tree should be", typ))
		}
	}
	return ID{}, wrap(id, damaged("endless chain of tags"))
}
