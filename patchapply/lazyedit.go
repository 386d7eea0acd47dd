package patchapply

import (
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// lazy reads the arguments of an edit that may leave code out.
func (r *reader) lazy(o *object, tool string) {
	r.base("", o.line)
	before := len(r.errs)
	path, _ := r.takeString(o, tool, pathKeys, "")
	if path == "" {
		path = r.opt.Path
	}
	code, _ := r.takeString(o, tool, lazyKeys, "code_edit")
	if path == "" && len(r.errs) == before {
		r.fail(edit.BadArguments, o.line, "%starget_file is missing", colon(tool))
	}
	r.addLazy("lazy", path, strings.ReplaceAll(code, "\r\n", "\n"), o.line)
}

func (r *reader) addLazy(format, path, text string, line int) {
	r.add(format, edit.Op{Kind: edit.Add, Lazy: true, Tool: "edit", Path: path, Content: []byte(text), Line: line})
}
