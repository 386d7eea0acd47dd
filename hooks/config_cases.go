package hooks

import "github.com/goccy/go-yaml/ast"

// A PolicyCase is an operation and what policy is expected to say about it.
type PolicyCase struct {
	Operation
	Want  string // allow, ask or deny
	Class string // of the first finding; empty: any
	Line  int
}

// DecodePolicyCases reads a file of cases: a list below the key cases, of maps
// with path, op (write where it is left out), tool, to, want and class. Errors are
// those of [DecodeConfig].
func DecodePolicyCases(place string, data []byte) (cases []PolicyCase, err error) {
	d := decoder{place: place}
	d.read(data, func(root ast.Node) {
		section{"version": version, "cases": policyCases(&cases)}.decode(&d, "", root)
	})
	if err := d.err(); err != nil {
		return nil, err
	}
	return cases, nil
}

func policyCases(dst *[]PolicyCase) value {
	return func(d *decoder, path string, n ast.Node) {
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			d.want(n, path, "a list of cases", kind(n))
			return
		}
		for _, item := range list.Values {
			c := PolicyCase{Line: start(item).Line}
			op, before := string(Write), len(d.errs)
			section{
				"path":  plain(&c.Path),
				"to":    plain(&c.To),
				"op":    word(&op, Kinds()...),
				"tool":  word(&c.Tool, "edit", "apply_patch", "write", "delete", "move"),
				"want":  word(&c.Want, "allow", "ask", "deny"),
				"class": word(&c.Class, classes...),
			}.decode(d, path, item)
			c.Kind = Kind(op)
			switch {
			case len(d.errs) > before: // which may be why something is missing
			case c.Path == "":
				d.errorf(start(item), "%s: a case needs a path", path)
			case c.Want == "":
				d.errorf(start(item), "%s: a case says what it wants: allow, ask or deny", path)
			case (c.Kind == Move) != (c.To != ""):
				d.errorf(start(item), "%s: a move has a path and to, nothing else has", path)
			}
			*dst = append(*dst, c)
		}
	}
}

// Kinds are the names of what an operation can be.
func Kinds() []string {
	return []string{string(Create), string(Write), string(Delete), string(Move)}
}

// plain accepts any text.
func plain(dst *string) value {
	return func(d *decoder, path string, n ast.Node) {
		s, ok := text(n)
		if !ok || n.Type() == ast.NullType {
			d.want(n, path, "a text", found(n))
			return
		}
		*dst = s
	}
}
