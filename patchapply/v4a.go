package patchapply

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// Headerless V4A: the hunks or lines of one section, with path and kind in
// JSON, as apply_patch_call has them.

// v4aMarks are the section headers of each type of operation.
var v4aMarks = map[string]string{"create_file": addMark, "update_file": updMark, "delete_file": delMark}

func isV4ACall(o *object) bool {
	_, bare := v4aMarks[o.str("type")]
	return o.str("type") == "apply_patch_call" || bare && o.has("path") || o.has("operation", "operations")
}

// readV4AItem reads an apply_patch_call, or an operation or several without
// the item around them.
func readV4AItem(r *reader, o *object) {
	form := CallOutput
	if o.str("type") != "apply_patch_call" && !o.has("call_id") {
		form = Text
	}
	cut := unfinished(o)
	take := func(v any, line int) {
		r.receive(found{
			Call: Call{ID: o.str("call_id"), Name: "apply_patch", Form: form, caller: o.first("caller")},
			args: v, line: line, cut: cut, read: readV4A,
		})
	}
	list, several := o.first("operations").([]any)
	switch {
	case several && o.has("operation"):
		r.fail(edit.BadArguments, o.line, "operation and operations stand side by side")
	case several && len(list) == 0:
		r.fail(edit.NothingRecognised, o.line, "an empty list of operations")
	case several && o.has("call_id"):
		take(list, o.line)
	case several:
		if r.req.container == oneItem {
			r.req.container = itemList
		}
		for _, v := range list {
			take(v, o.line)
		}
	case o.str("type") != "apply_patch_call" && !o.has("operation", "operations"):
		take(o, o.line)
	default:
		take(o.first("operation", "operations"), o.line)
	}
}

// readV4A reads one operation, or all that one call lists. A string that holds
// it is opened.
func readV4A(r *reader, args any, line int) bool {
	v, err := r.decoded(args, line)
	if list, ok := v.([]any); ok && len(list) > 0 {
		for _, v := range list {
			if _, nested := v.([]any); nested {
				v = nil
			}
			readV4A(r, v, line)
		}
		return true
	}
	o, ok := v.(*object)
	switch {
	case err != nil:
		r.refuse(&edit.Error{Code: err.Code, Line: line, Msg: "the operation: " + err.Msg})
		return true
	case !ok:
		r.fail(edit.BadArguments, line, "the operation must be an object with type, path and diff")
		return true
	}
	if inner, ok := o.first("operation").(*object); ok {
		o = inner
	}
	kind := o.str("type")
	mark, ok := v4aMarks[kind]
	if !ok {
		r.fail(edit.BadArguments, o.line, "the operation's type must be create_file, update_file or delete_file, found %s", quote(kind))
		return true
	}
	r.base("", line)
	before := len(r.errs)
	op := edit.Op{Tool: "apply_patch", Line: o.line}
	op.Path, _ = r.takeString(o, kind, []string{"path"}, "path")
	if op.Path == "" && len(r.errs) == before {
		r.fail(edit.BadArguments, o.line, "%s: path is empty", kind)
	}
	diff, given := r.takeString(o, kind, []string{"diff"}, "")
	move, moves := r.moveTo(o, kind)
	known := []string{"type", "path", "diff"}
	if kind == "update_file" {
		known = append(known, "move_to", "moveTo")
	}
	if len(r.errs) > before { // what its texts mean is not known
		r.add("v4a", op)
		return true
	}
	switch kind {
	case "create_file":
		op.Kind = edit.Add
		if !given {
			r.fail(edit.BadArguments, o.line, "create_file: diff is missing; it holds the lines of the new file, each behind a %q", "+")
		}
	case "delete_file":
		op.Kind = edit.Delete
		if diff != "" {
			known = slices.DeleteFunc(known, func(k string) bool { return k == "diff" })
		}
		diff = ""
	case "update_file":
		op.Kind = edit.Update
		if moves {
			op.MoveTo = move
		} else if isBlank(diff) {
			r.fail(edit.BadArguments, o.line, "update_file: diff has no hunk, and there is no move_to")
		}
	}
	if op.Kind != edit.Delete {
		r.v4aDiff(&op, diff, mark)
	}
	r.add("v4a", op)
	r.unknown(o, "", known)
	return true
}

func (r *reader) moveTo(o *object, kind string) (to string, ok bool) {
	if kind != "update_file" {
		return "", false
	}
	a, ok := r.take(o, kind, []string{"move_to", "moveTo"})
	if !ok {
		return "", false
	}
	to, isText := a.value.(string)
	if !isText || strings.TrimSpace(to) == "" {
		r.fail(edit.BadArguments, o.line, "%s: %s must be a path; leave it out or null to stay", kind, a.key)
	}
	return to, true
}

// v4aDiff reads the lines of one section into op. Markers of an envelope may
// stand around them if they say the same as the operation.
func (r *reader) v4aDiff(op *edit.Op, diff, mark string) {
	t := r.lines(diff)
	e := &envelope{region: t.region(0, len(t.lines)), partial: "none"}
	skip := func() {
		for e.at < e.to && isBlank(e.line()) {
			e.at++
		}
	}
	head := func() {
		for skip(); e.at < e.to && isBegin(e.line()); skip() {
			e.at++
		}
		if e.at < e.to {
			if m, path := header(e.line()); m != "" {
				if m != mark || path != op.Path {
					e.fail(edit.BadInput, e.at+1, "%s does not agree with the operation on %s", quote(e.line()), quote(op.Path))
				}
				e.at++
			}
		}
		if e.at < e.to {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(e.line()), strings.TrimSpace(moveMark)); ok {
				switch to := strings.TrimSpace(rest); {
				case op.Kind != edit.Update || to == "" || op.MoveTo != "" && op.MoveTo != to:
					e.fail(edit.BadInput, e.at+1, "%s does not agree with the operation on %s", quote(e.line()), quote(op.Path))
				default:
					op.MoveTo = to
				}
				e.at++
			}
		}
	}
	skip()
	first := e.at
	if head(); e.at == first && e.at < e.to && op.Kind == edit.Update && !strings.HasPrefix(e.line(), "@@") {
		e.at = 0 // blank lines before the lines of a hunk without @@ are context
	}
	switch op.Kind {
	case edit.Add:
		e.addBody(op)
	case edit.Update:
		e.hunks(op)
	}
	for skip(); e.at < e.to && isEnd(e.line()); skip() {
		e.at++
	}
	if e.at < e.to {
		e.fail(edit.BadInput, e.at+1, "a line of the diff of %s is expected, found %s", quote(op.Path), quote(e.line()))
	}
	if e.bad != nil {
		e.bad.Msg += more(e.badLines)
	}
	if n := len(op.Hunks); n > 0 && len(op.Hunks[n-1].Lines) == 0 && e.bad == nil {
		e.fail(edit.BadInput, op.Hunks[n-1].Line, "the hunk that begins here has no lines")
	}
}

// headerless reads a text that is the diff of the file that the caller names.
func (r *reader) headerless(s string) {
	if r.opt.Path == "" {
		r.fail(edit.BadArguments, 0, "a diff without headers needs the name of its file (--path)")
		return
	}
	r.explain("the text is the diff of %s, without headers", quote(r.opt.Path))
	op := edit.Op{Kind: edit.Update, Tool: "apply_patch", Path: r.opt.Path, Line: 1}
	r.base("", 1)
	before := len(r.errs)
	r.v4aDiff(&op, s, updMark)
	if len(op.Hunks) == 0 && op.MoveTo == "" && len(r.errs) == before {
		r.fail(edit.NothingRecognised, 0, "the diff has no hunk")
	}
	r.add("v4a", op)
}
