package patchapply

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// The spellings of each argument, by agent and tool.
var (
	pathKeys    = []string{"path", "file_path", "filePath", "filepath", "file", "target_file", "targetFile", "TargetFile", "absolute_path", "AbsolutePath"}
	oldKeys     = []string{"old_string", "oldString", "old_str", "oldStr", "old_text", "oldText", "old", "TargetContent", "search"}
	newKeys     = []string{"new_string", "newString", "new_str", "newStr", "new_text", "newText", "new", "ReplacementContent", "replace"}
	allKeys     = []string{"replace_all", "replaceAll", "allow_multiple", "AllowMultiple"}
	countKeys   = []string{"expected_replacements", "expectedReplacements"}
	listKeys    = []string{"edits", "replacements", "ReplacementChunks"}
	contentKeys = []string{"content", "contents", "file_text", "fileText"}
	lazyKeys    = []string{"code_edit", "code", "update"}

	dryKeys  = []string{"dryRun", "dry_run"}
	fromKeys = []string{"StartLine", "startLine", "start_line"}
	toKeys   = []string{"EndLine", "endLine", "end_line"}

	editKeys  = slices.Concat(pathKeys, oldKeys, newKeys, allKeys, countKeys, listKeys, dryKeys)
	chunkKeys = slices.Concat(editKeys, fromKeys, toKeys)
)

// An argument is the value of one meaning, however it was spelt.
type argument struct {
	key   string
	value any
}

// take finds a meaning among its spellings; null counts as absent. Two
// spellings with different values contradict each other. where is what messages
// begin with: the tool, or the item of a list.
func (r *reader) take(o *object, where string, keys []string) (found argument, ok bool) {
	for _, k := range keys {
		v := o.fields[k]
		switch {
		case v == nil:
		case !ok:
			found, ok = argument{k, v}, true
		case !same(found.value, v):
			r.fail(edit.BadArguments, o.line, "%s%s and %s mean the same and have different values", colon(where), found.key, k)
		}
	}
	return found, ok
}

// same compares values; lists and objects are never the same, for nobody sends
// one twice.
func same(a, b any) bool {
	switch a.(type) {
	case string, bool, number:
		return a == b
	}
	return false
}

func colon(where string) string {
	if where == "" {
		return ""
	}
	return where + ": "
}

// takeString is take for texts. It reports whether one is there and is a
// string; must names the key to ask for if there is none, and may be empty.
func (r *reader) takeString(o *object, where string, keys []string, must string) (string, bool) {
	a, ok := r.take(o, where, keys)
	if !ok {
		if must != "" {
			r.fail(edit.BadArguments, o.line, "%s%s is missing", colon(where), must)
		}
		return "", false
	}
	s, ok := a.value.(string)
	if !ok {
		r.fail(edit.BadArguments, o.line, "%s%s must be a string", colon(where), a.key)
	}
	return s, ok
}

// takeBool is take for flags; strings that spell one are taken.
func (r *reader) takeBool(o *object, where string, keys []string) bool {
	a, ok := r.take(o, where, keys)
	switch {
	case !ok, a.value == false, a.value == "false":
		return false
	case a.value == true, a.value == "true":
		return true
	}
	r.fail(edit.BadArguments, o.line, "%s%s must be true or false", colon(where), a.key)
	return false
}

// takeCount is take for a number of places; 0 means not said.
func (r *reader) takeCount(o *object, where string) int { return r.takeInt(o, where, countKeys) }

// takeInt is take for a whole number from 1 on; 0 means not said.
func (r *reader) takeInt(o *object, where string, keys []string) int {
	a, ok := r.take(o, where, keys)
	if !ok {
		return 0
	}
	n, ok := whole(a.value)
	if !ok || n < 1 {
		r.fail(edit.BadArguments, o.line, "%s%s must be a whole number from 1 on", colon(where), a.key)
		return 0
	}
	return n
}

// whole reads a whole number, or a string that spells one.
func whole(v any) (int, bool) {
	digits, _ := v.(string)
	if n, ok := v.(number); ok {
		digits = string(n)
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// readEdit reads the arguments of an edit tool; tool is empty if they came
// without its name.
func readEdit(r *reader, tool string, args any, line int) bool {
	o := r.object(tool, args, line)
	if o == nil {
		return true
	}
	before := len(r.errs)
	path, _ := r.takeString(o, tool, pathKeys, "")
	if path == "" {
		path = r.opt.Path
	}
	list, batch := r.take(o, tool, listKeys)
	switch {
	case !batch && !o.has(oldKeys...) && !o.has(newKeys...) && o.has(lazyKeys...):
		r.dryRun(o, tool)
		r.lazy(o, tool)
	case batch:
		r.dryRun(o, tool)
		r.batch(o, tool, path, list)
	case isMulti(tool):
		r.fail(edit.BadArguments, o.line, "%sedits is missing", colon(tool))
	default:
		rep := r.replacement(o, tool, tool == "str_replace")
		if path == "" && len(r.errs) == before {
			r.fail(edit.BadArguments, o.line, "%sfile_path is missing", colon(tool))
		}
		r.dryRun(o, tool)
		r.add("edit", edit.Op{Kind: edit.Replace, Tool: "edit", Path: path, Replacements: []edit.Replacement{rep}, Line: o.line})
		r.unknown(o, "", editKeys)
	}
	return true
}

// isMulti: the tools whose list is applied in order. edit_file is such a tool
// of MCP servers; elsewhere it has no list.
func isMulti(tool string) bool {
	return tool == "MultiEdit" || tool == "multiedit" || tool == "multi_edit"
}

// object returns the arguments of a call, nil if they are none.
func (r *reader) object(tool string, args any, line int) *object {
	v, err := r.decoded(args, line)
	o, ok := v.(*object)
	switch {
	case err != nil:
		r.refuse(&edit.Error{Code: err.Code, Line: line, Msg: colon(tool) + "the arguments: " + err.Msg})
		return nil
	case !ok:
		r.fail(edit.BadArguments, line, "%sthe arguments must be an object", colon(tool))
		return nil
	}
	r.base("", line)
	return o
}

// dryRun notes that the call asks for nothing to be written.
func (r *reader) dryRun(o *object, tool string) {
	if r.takeBool(o, tool, dryKeys) {
		r.dry++
		r.req.DryRun = true
	}
}

// batch reads a list of edits. Items may name a path of their own: all items of
// one path are one operation.
func (r *reader) batch(o *object, tool, path string, list argument) {
	for _, keys := range [][]string{oldKeys, newKeys, allKeys, countKeys} {
		for _, k := range keys {
			if v := o.fields[k]; v != nil && v != "" && v != false && v != "false" {
				r.fail(edit.BadArguments, o.line, "%s%s stands beside the list %s", colon(tool), k, list.key)
			}
		}
	}
	value, err := r.decoded(list.value, o.line)
	items, ok := value.([]any)
	switch {
	case err != nil:
		r.refuse(&edit.Error{Code: err.Code, Line: o.line, Msg: colon(tool) + list.key + ": " + err.Msg})
		return
	case !ok || len(items) == 0:
		r.fail(edit.BadArguments, o.line, "%s%s must be a list of edits and not empty", colon(tool), list.key)
		return
	}
	inOrder := isMulti(tool) || tool == "edit_file"
	format := "edit"
	if inOrder {
		format = "multi-edit"
	}
	var ops []edit.Op
	at := map[string]int{}
	for i, v := range items {
		name := fmt.Sprintf("%s[%d]", list.key, i)
		v, _ := r.decoded(v, o.line)
		item, ok := v.(*object)
		if !ok {
			r.fail(edit.BadArguments, o.line, "%s%s must be an object", colon(tool), name)
			continue
		}
		own, ok := r.takeString(item, colon(tool)+name, pathKeys, "")
		if !ok || own == "" {
			own = path
		}
		if own == "" {
			r.fail(edit.BadArguments, item.line, "%s%s: file_path is missing", colon(tool), name)
		}
		k, ok := at[own]
		if !ok {
			k, at[own] = len(ops), len(ops)
			ops = append(ops, edit.Op{Kind: edit.Replace, Tool: "edit", Path: own, Batch: !inOrder, InOrder: inOrder, Line: item.line})
		}
		rep, known := r.replacement(item, colon(tool)+name, false), editKeys
		if list.key == "ReplacementChunks" {
			rep.From, rep.To = r.takeInt(item, colon(tool)+name, fromKeys), r.takeInt(item, colon(tool)+name, toKeys)
			known = chunkKeys
		}
		ops[k].Replacements = append(ops[k].Replacements, rep)
		r.unknown(item, name+".", known)
	}
	for _, op := range ops {
		r.add(format, op)
	}
	r.unknown(o, "", editKeys)
}

// replacement reads one pair of texts. CRLF in arguments is a line break.
func (r *reader) replacement(o *object, where string, mayDelete bool) edit.Replacement {
	must := "new_string"
	if mayDelete {
		must = ""
	}
	old, _ := r.takeString(o, where, oldKeys, "old_string")
	text, _ := r.takeString(o, where, newKeys, must)
	return edit.Replacement{
		Old:   strings.ReplaceAll(old, "\r\n", "\n"),
		New:   strings.ReplaceAll(text, "\r\n", "\n"),
		All:   r.takeBool(o, where, allKeys),
		Count: r.takeCount(o, where),
	}
}

// unknown notes the keys that are not among the known ones: they mean nothing
// here. So are line numbers: a text that stands once needs none, and one that
// stands more often is refused.
func (r *reader) unknown(o *object, in string, known []string) {
	var names []string
	for _, k := range slices.Sorted(maps.Keys(o.fields)) {
		if o.fields[k] != nil && !slices.Contains(known, k) {
			names = append(names, in+edit.Quote(k))
		}
	}
	if len(names) > 0 {
		n := min(len(names), 10)
		r.note("ignored-field", o.line, "without effect: %s%s", strings.Join(names[:n], ", "), more(len(names)-n))
	}
}
