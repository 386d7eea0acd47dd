package hooks

import (
	"path"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/patchapply"
)

// The keys, folded, under which agents' tools name files. If several are there,
// nobody can tell which one an agent takes: all count.
var (
	pathKeys   = []string{"filepath", "path", "notebookpath", "targetfile", "absolutepath", "file", "uri"}
	sourceKeys = []string{"source", "from", "oldpath", "src", "sourcepath"}
	targetKeys = []string{"destination", "to", "newpath", "dest", "destinationpath"}
	patchKeys  = []string{"command", "patch", "patchtext", "input", "diff"}
)

// Operations are what the tool of a Pre or Post event is about to do, or has done,
// as far as its arguments tell; relative names start at the event's Dir. exists
// tells patches whose names mean one thing or another what is there, nil: nothing.
//
// An error says that the tool writes and that nobody can say where.
func (e *Event) Operations(exists func(string) bool) ([]Operation, error) {
	var ops []Operation
	switch e.Tool {
	case patchapply.KindNone, patchapply.KindShell:
		return nil, nil
	case patchapply.KindPatch:
		ops = e.patch(exists)
	case patchapply.KindMove:
		ops = e.move()
	default:
		ops = e.named()
		if e.MCP {
			ops = append(ops, e.move()...)
		}
	}
	for i := range ops {
		ops[i].Path, ops[i].To = e.slashed(ops[i].Path), e.slashed(ops[i].To)
		if ops[i].Tool == "" {
			ops[i].Tool = string(e.Tool)
		}
	}
	if len(ops) == 0 && e.Tool != patchapply.KindRead {
		return nil, &edit.Error{Code: Undecided, Msg: "cannot determine the target of " + edit.Quote(e.Called)}
	}
	return ops, nil
}

// arguments are those of the tool, nil if they are no object.
func (e *Event) arguments() payload {
	if e.dialect.name == "generic" {
		return e.fields
	}
	o, _ := asObject(e.input)
	return o
}

// names are the distinct names that the arguments hold.
func (e *Event) names() []string {
	ops := e.named()
	names := make([]string, len(ops))
	for i := range ops {
		names[i] = ops[i].Path
	}
	return names
}

func (e *Event) named() []Operation {
	var ops opSet
	args := e.arguments()
	kind := Put
	if e.Tool == patchapply.KindDelete {
		kind = Delete
	}
	add := func(v any) {
		if s, ok := v.(string); ok {
			ops.add(Operation{Kind: kind, Path: s})
		}
	}
	for _, v := range args.all(pathKeys...) {
		add(v)
	}
	for _, v := range args.list("paths") {
		o, ok := asObject(v)
		if !ok {
			add(v)
			continue
		}
		op := Operation{Kind: kind, Path: o.str("path"), To: o.str("to")}
		if word := o.str("op"); word != "" && slices.Contains(Kinds(), word) && word != string(Write) {
			op.Kind = Kind(word)
		}
		ops.add(op)
	}
	for _, key := range []string{"filepaths", "files", "edits", "replacements"} {
		for _, v := range args.list(key) {
			if o, ok := asObject(v); ok {
				for _, v := range o.all("path", "filepath") {
					add(v)
				}
			} else if key == "filepaths" || key == "files" {
				add(v)
			}
		}
	}
	return ops.list
}

// An opSet holds operations in order, each once.
type opSet struct {
	list []Operation
	seen map[[3]string]bool
}

func (s *opSet) add(op Operation) {
	key := [3]string{string(op.Kind), op.Path, op.To}
	if s.seen[key] {
		return
	}
	if s.seen == nil {
		s.seen = map[[3]string]bool{}
	}
	s.seen[key] = true
	s.list = append(s.list, op)
}

// move reads a call that moves a file.
func (e *Event) move() []Operation {
	args := e.arguments()
	from, to := args.str(append(slices.Clone(sourceKeys), pathKeys...)...), args.str(targetKeys...)
	switch {
	case from != "" && to != "":
		return []Operation{{Kind: Move, Path: from, To: to, Tool: "move"}}
	case e.Tool == patchapply.KindMove:
		return nil
	case args.str(sourceKeys...) != "":
		return []Operation{{Kind: Put, Path: args.str(sourceKeys...)}}
	case to != "":
		return []Operation{{Kind: Put, Path: to}}
	}
	return nil
}

// patch reads what a patch does.
func (e *Event) patch(exists func(string) bool) (ops []Operation) {
	texts := []any{e.input}
	if args := e.arguments(); len(args) > 0 {
		texts = args.all(patchKeys...)
		ops = e.named() // beside a diff without headers
	}
	for _, v := range texts {
		text, ok := v.(string)
		if words, isList := v.([]any); isList {
			for _, w := range words { // of a command
				s, _ := w.(string)
				text += s + "\n"
			}
			ok = true
		}
		if ok {
			ops = append(ops, patchOperations(text, "", exists)...)
		}
	}
	return ops
}

// headers begin the lines of an envelope that name files.
var headers = []struct {
	text string
	op   Operation
}{
	{"*** Add File: ", Operation{Kind: Put}},
	{"*** Update File: ", Operation{Kind: Put}},
	{"*** Delete File: ", Operation{Kind: Delete}},
	{"*** Move to: ", Operation{Kind: Create, Moving: true}},
}

// patchOperations are those of a patch in whatever format, and those of all its
// lines that could be a header: who carries it out may read more leniently than the
// decoder does, but never sees more than these. dir is where its names start.
func patchOperations(text, dir string, exists func(string) bool) (ops []Operation) {
	seen := map[string]bool{}
	add := func(op Operation, base string) {
		seen[op.Path], seen[op.To] = true, true
		op.Path, op.To = under(base, op.Path), under(base, op.To)
		op.Tool = string(patchapply.KindPatch)
		ops = append(ops, op)
	}
	base := dir
	if req, _ := patchapply.Parse([]byte(text), patchapply.Options{Exists: func(name string) bool { return exists != nil && exists(under(dir, name)) }}); req != nil {
		if req.Base != "" {
			base = under(dir, req.Base)
		}
		for i := range req.Ops {
			op := &req.Ops[i]
			switch {
			case op.Kind == edit.Delete:
				add(Operation{Kind: Delete, Path: op.Path}, base)
			case op.MoveTo != "":
				add(Operation{Kind: Move, Path: op.Path, To: op.MoveTo}, base)
			default:
				add(Operation{Kind: Put, Path: op.Path}, base)
			}
		}
	}
	for line := range strings.Lines(text) {
		for _, h := range headers {
			name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), h.text)
			if name = strings.TrimRight(name, " \t"); ok && !seen[name] {
				op := h.op
				op.Path = name
				add(op, base)
			}
		}
	}
	return ops
}

// under is a name below a directory, without cleaning: what ".." means is found
// out where links are known.
func under(dir, name string) string {
	if dir == "" || name == "" || isAbsolute(name) || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "file://") {
		return name
	}
	if dir == "/" {
		return path.Join(dir, name)
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

// Command is the script of an event whose tool is a shell, and the directory in
// which it runs; empty if it cannot be found.
func (e *Event) Command() (script, dir string) {
	args := e.arguments()
	dir = e.Dir
	if d := args.str("dirpath", "workingdirectory", "workdir", "cwd"); d != "" && e.dialect.name != "generic" {
		dir = under(e.Dir, e.slashed(d))
	}
	switch c := args.first("command", "cmd", "script", "commands").(type) {
	case string:
		return c, dir
	case []any:
		return joinWords(c), dir
	}
	s, _ := e.input.(string)
	return s, dir
}

// joinWords makes a script of a command's words, or of several commands.
func joinWords(list []any) string {
	var words []string
	for _, v := range list {
		s, _ := v.(string)
		words = append(words, "'"+strings.ReplaceAll(s, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}
