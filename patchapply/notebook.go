package patchapply

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// The keys of a notebook edit; the path may also come under its usual names.
var (
	notebookPathKeys = slices.Concat([]string{"notebook_path"}, pathKeys)
	notebookKeys     = slices.Concat(notebookPathKeys, []string{"cell_id", "new_source", "cell_type", "edit_mode"}, dryKeys)
)

// cellModes are the values of edit_mode.
var cellModes = map[string]edit.CellMode{"replace": edit.ReplaceCell, "insert": edit.InsertCell, "delete": edit.DeleteCell}

// readNotebook reads the arguments of NotebookEdit; tool is empty if they came
// without its name.
func readNotebook(r *reader, tool string, args any, line int) bool {
	o := r.object(tool, args, line)
	if o == nil {
		return true
	}
	path, _ := r.takeString(o, tool, notebookPathKeys, "")
	if path == "" {
		path = r.opt.Path
	}
	if path == "" {
		r.fail(edit.BadArguments, o.line, "%snotebook_path is missing", colon(tool))
	}
	r.dryRun(o, tool)
	what := edit.CellEdit{}
	what.ID, _ = r.takeString(o, tool, []string{"cell_id"}, "")
	if mode, ok := r.takeString(o, tool, []string{"edit_mode"}, ""); ok {
		if what.Mode, ok = cellModes[mode]; !ok {
			r.fail(edit.BadArguments, o.line, "%sedit_mode must be replace, insert or delete", colon(tool))
		}
	}
	if what.Mode != edit.InsertCell && what.ID == "" {
		r.fail(edit.BadArguments, o.line, "%scell_id is missing", colon(tool))
	}
	op := edit.Op{Kind: edit.Cell, Tool: "edit", Path: path, Line: o.line}
	if what.Mode != edit.DeleteCell { // the tool's schema asks for a source there, too
		source, _ := r.takeString(o, tool, []string{"new_source"}, "new_source")
		op.Content = []byte(strings.ReplaceAll(source, "\r\n", "\n"))
		kind, ok := r.takeString(o, tool, []string{"cell_type"}, "")
		switch {
		case ok && kind != "code" && kind != "markdown":
			r.fail(edit.BadArguments, o.line, "%scell_type must be code or markdown", colon(tool))
		case !ok && what.Mode == edit.InsertCell && o.fields["cell_type"] == nil:
			r.fail(edit.BadArguments, o.line, "%scell_type is missing: a new cell needs one", colon(tool))
		}
		what.Type = kind
	}
	op.Cell = what
	r.add("notebook", op)
	r.unknown(o, "", notebookKeys)
	return true
}
