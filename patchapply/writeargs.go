package patchapply

import (
	"slices"

	"github.com/chordgit/chordgit/edit"
)

var (
	writeKeys  = slices.Concat(pathKeys, contentKeys, dryKeys)
	deleteKeys = slices.Concat(pathKeys, []string{"paths"}, dryKeys)
	lineKeys   = []string{"insert_line", "insertLine"}
	clineKeys  = slices.Concat(editKeys, lineKeys)
)

// readWrite reads the content of a whole file: the tools that create refuse
// one that exists.
func readWrite(r *reader, tool string, args any, line int) bool {
	o := r.object(tool, args, line)
	if o == nil {
		return true
	}
	op := edit.Op{Kind: edit.Write, Tool: "write", Path: r.path(o, tool), Line: o.line}
	if tool == "create_file" || tool == "Create" || tool == "create" {
		op.Kind = edit.Add
	}
	text, _ := r.takeString(o, tool, contentKeys, "content")
	op.Content = []byte(text)
	r.dryRun(o, tool)
	r.add("write", op)
	r.unknown(o, "", writeKeys)
	return true
}

// path takes the path that a call must name, or that the caller names for it.
func (r *reader) path(o *object, tool string) string {
	before := len(r.errs)
	path, _ := r.takeString(o, tool, pathKeys, "")
	if path == "" {
		path = r.opt.Path
	}
	if path == "" && len(r.errs) == before {
		r.fail(edit.BadArguments, o.line, "%spath is missing", colon(tool))
	}
	return path
}

func readDelete(r *reader, tool string, args any, line int) bool {
	o := r.object(tool, args, line)
	if o == nil {
		return true
	}
	var paths []string
	if v := o.first("paths"); v != nil {
		v, _ = r.decoded(v, o.line)
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			r.fail(edit.BadArguments, o.line, "%spaths must be a list of paths and not empty", colon(tool))
		}
		for i, v := range list {
			p, ok := v.(string)
			if !ok || p == "" {
				r.fail(edit.BadArguments, o.line, "%spaths[%d] must be a path", colon(tool), i)
			}
			paths = append(paths, p)
		}
		if o.has(pathKeys...) {
			r.fail(edit.BadArguments, o.line, "%sa path stands beside the list paths", colon(tool))
		}
	} else {
		paths = []string{r.path(o, tool)}
	}
	for _, p := range paths {
		r.add("write", edit.Op{Kind: edit.Delete, Tool: "delete", Path: p, Line: o.line})
	}
	r.dryRun(o, tool)
	r.unknown(o, "", deleteKeys)
	return true
}

// readClineEditor reads Cline's editor: a replacement, an insertion before a
// line, or, with neither, a new file.
func readClineEditor(r *reader, tool string, args any, line int) bool {
	o := r.object(tool, args, line)
	if o == nil {
		return true
	}
	op := edit.Op{Tool: "edit", Path: r.path(o, tool), Line: o.line}
	switch {
	case o.has(oldKeys...) && o.has(lineKeys...):
		r.fail(edit.BadArguments, o.line, "%sold_text and insert_line stand side by side", colon(tool))
	case o.has(oldKeys...):
		op.Kind = edit.Replace
		op.Replacements = []edit.Replacement{r.replacement(o, tool, false)}
	default:
		text, _ := r.takeString(o, tool, newKeys, "new_text")
		op.Content = []byte(text)
		op.Kind, op.Tool = edit.Add, "write"
		if o.has(lineKeys...) {
			op.Kind, op.Tool = edit.Insert, "edit"
			op.At = r.takeInt(o, tool, lineKeys) - 1 // before that line
		}
	}
	if op.At < 0 { // refused
		op.At = 0
	}
	r.dryRun(o, tool)
	r.add("edit", op)
	r.unknown(o, "", clineKeys)
	return true
}
