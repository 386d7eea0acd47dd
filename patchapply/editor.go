package patchapply

import (
	"path"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// The commands of the text-editor and memory tools.

var (
	insertText = slices.Concat([]string{"insert_text", "insertText", "text"}, newKeys)
	appendText = slices.Concat(insertText, contentKeys)
	fromPath   = []string{"old_path", "oldPath"}
	toPath     = []string{"new_path", "newPath"}
)

// A command is one of them: the keys that it knows beside command, and how it
// is read. where is what messages begin with.
type command struct {
	name string
	keys []string
	read func(c *editorCall)
}

// commands is a function because commands that are read refer to it.
func commands() []command {
	return []command{
		{"view", slices.Concat(pathKeys, []string{"view_range", "viewRange"}), (*editorCall).view},
		{"create", slices.Concat(pathKeys, contentKeys), (*editorCall).create},
		{"str_replace", slices.Concat(pathKeys, oldKeys, newKeys, allKeys, countKeys), (*editorCall).replace},
		{"insert", slices.Concat(pathKeys, lineKeys, insertText), (*editorCall).insert},
		{"append", slices.Concat(pathKeys, appendText), (*editorCall).append},
		{"delete", pathKeys, (*editorCall).delete},
		{"rename", slices.Concat(fromPath, toPath), (*editorCall).rename},
		{"undo_edit", pathKeys, (*editorCall).undo},
	}
}

// isEditorCommand: with both texts given the arguments say all, whatever the
// tool.
func isEditorCommand(o *object) bool {
	c := o.str("command")
	return slices.ContainsFunc(commands(), func(k command) bool { return k.name == c }) &&
		!(c == "str_replace" && o.has(oldKeys...) && o.has(newKeys...))
}

// An editorCall is one command being read.
type editorCall struct {
	*reader
	o      *object
	where  string
	format string
	memory bool // paths stand below /memories
}

// readEditor reads the arguments of a text-editor or memory tool.
func readEditor(r *reader, tool string, args any, line int) bool {
	o := r.object(tool, args, line)
	if o == nil {
		return true
	}
	name, _ := r.takeString(o, tool, []string{"command"}, "command")
	all := commands()
	i := slices.IndexFunc(all, func(k command) bool { return k.name == name })
	if i < 0 {
		if name != "" {
			var known []string
			for _, k := range all {
				known = append(known, k.name)
			}
			r.fail(edit.BadArguments, o.line, "%sthe command %s is not known: %s are", colon(tool), quote(name), strings.Join(known, ", "))
		}
		return true
	}
	c := &editorCall{reader: r, o: o, where: name, format: "text-editor", memory: tool == "memory"}
	if tool != "" {
		c.where = tool + " " + name
	}
	if c.memory {
		c.format = "memory"
	}
	r.reads(c.format)
	all[i].read(c)
	r.dryRun(o, tool)
	r.unknown(o, "", slices.Concat(all[i].keys, []string{"command"}, dryKeys))
	return true
}

// put takes an operation on a path.
func (c *editorCall) put(op edit.Op) {
	op.Line = c.o.line
	if op.Path == "" {
		op.Path = c.place(c.path(c.o, c.where))
	}
	c.add(c.format, op)
}

// place turns a path of the memory tool into one of the worktree.
func (c *editorCall) place(p string) string {
	if !c.memory || p == "" {
		return p
	}
	rest, ok := strings.CutPrefix(p, "/memories")
	if !ok || rest != "" && rest[0] != '/' || slices.Contains(strings.FieldsFunc(rest, isSlash), "..") {
		c.refuse(&edit.Error{Code: edit.BadPath, Path: p, Line: c.o.line, Msg: "paths of the memory tool lie below /memories"})
		return p
	}
	if c.opt.MemoryDir == "" {
		c.refuse(&edit.Error{Code: edit.BadPath, Path: p, Line: c.o.line, Msg: "there is no directory for memories: memory.dir of the configuration is not set"})
		return p
	}
	return path.Join(c.opt.MemoryDir, rest)
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

func (c *editorCall) view() {
	v := &View{Path: c.place(c.path(c.o, c.where))}
	if a, ok := c.take(c.o, c.where, []string{"view_range", "viewRange"}); ok {
		value, _ := c.decoded(a.value, c.o.line)
		list, ok := value.([]any)
		if ok = ok && len(list) == 2; ok {
			var first, second bool
			v.From, first = whole(list[0])
			v.To, second = whole(list[1])
			ok = first && second
		}
		if !ok {
			c.fail(edit.BadArguments, c.o.line, "%s: %s must be two line numbers, the last one or -1 for the end", c.where, a.key)
		} else if v.From < 1 || v.To != -1 && v.To < v.From {
			c.fail(edit.BadLine, c.o.line, "%s: %s [%d, %d] is no range: lines count from 1, and the second is not before the first", c.where, a.key, v.From, v.To)
		}
	}
	if !c.calling { // bare arguments are a call, too
		c.req.Calls = append(c.req.Calls, Call{Form: Text, Format: c.format})
	}
	c.req.Calls[c.call].View = v
}

func (c *editorCall) undo() {
	p := c.place(c.path(c.o, c.where))
	if !c.calling {
		c.req.Calls = append(c.req.Calls, Call{Form: Text, Format: c.format})
	}
	c.req.Calls[c.call].Undo = p
}

func (c *editorCall) create() {
	text, _ := c.takeString(c.o, c.where, contentKeys, "file_text")
	c.put(edit.Op{Kind: edit.Add, Tool: "write", Content: []byte(text)})
}

func (c *editorCall) replace() {
	c.put(edit.Op{Kind: edit.Replace, Tool: "edit", Replacements: []edit.Replacement{c.replacement(c.o, c.where, true)}})
}

func (c *editorCall) insert() {
	text, _ := c.takeString(c.o, c.where, insertText, "insert_text")
	op := edit.Op{Kind: edit.Insert, Tool: "edit", Content: []byte(text)}
	a, ok := c.take(c.o, c.where, lineKeys)
	if !ok {
		c.fail(edit.BadArguments, c.o.line, "%s: insert_line is missing", c.where)
	} else if op.At, ok = whole(a.value); !ok || op.At < 0 {
		op.At = 0
		c.fail(edit.BadArguments, c.o.line, "%s: %s must be a whole number from 0 on: the line behind which the text goes", c.where, a.key)
	}
	c.put(op)
}

func (c *editorCall) append() {
	text, _ := c.takeString(c.o, c.where, appendText, "text")
	c.put(edit.Op{Kind: edit.Insert, Tool: "edit", At: edit.AtEnd, Content: []byte(text)})
}

func (c *editorCall) delete() { c.put(edit.Op{Kind: edit.Delete, Tool: "delete"}) }

func (c *editorCall) rename() {
	from, _ := c.takeString(c.o, c.where, fromPath, "old_path")
	to, _ := c.takeString(c.o, c.where, toPath, "new_path")
	if from == "" || to == "" {
		c.fail(edit.BadArguments, c.o.line, "%s: old_path and new_path must not be empty", c.where)
		return
	}
	c.put(edit.Op{Kind: edit.Update, Tool: "move", Path: c.place(from), MoveTo: c.place(to)})
}
