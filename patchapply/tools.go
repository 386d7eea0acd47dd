package patchapply

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A tool is what agents call under some names.
type tool struct {
	names []string
	// read reads the arguments of one call; name is the one of names. It reports
	// false if the call changes no file. Nil: the tool is known, but not read.
	read func(r *reader, name string, args any, line int) bool
}

var tools = []tool{
	{[]string{"Edit", "edit", "StrReplace", "str_replace", "replace", "replace_string_in_file", "multi_replace_string_in_file",
		"search_replace", "edit_file", "single_find_and_replace"}, readEdit},
	{[]string{"apply_patch", "applypatch", "ApplyPatch", "patch"}, readPatch},
	{[]string{"Bash", "bash", "shell", "local_shell", "run_shell_command"}, readShell},
	{[]string{"MultiEdit", "multiedit", "multi_edit"}, readEdit},
	{[]string{"Write", "write", "write_file", "write_to_file", "create_file", "Create", "create"}, readWrite},
	{[]string{"Delete", "delete", "delete_file"}, readDelete},
	{[]string{"editor"}, readClineEditor},
	{[]string{"str_replace_based_edit_tool", "str_replace_editor", "fs_write", "memory"}, readEditor},
	{[]string{"NotebookEdit"}, readNotebook},
	{[]string{"apply_diff", "replace_in_file"}, readBlockCall},
}

// toolNamed finds a tool by its name without the namespace of a server.
func toolNamed(name string) (string, *tool) {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if _, after, ok := strings.Cut(rest, "__"); ok {
			name = after
		}
	}
	name = name[strings.LastIndexAny(name, "./:")+1:]
	for i := range tools {
		if slices.Contains(tools[i].names, name) {
			return name, &tools[i]
		}
	}
	return name, nil
}

// tool reads one call. It reports false if the call changes no file, so far as
// that can be known.
func (r *reader) tool(called string, args any, line int) bool {
	name, t := toolNamed(called)
	switch {
	case t == nil:
		return false
	case t.read == nil:
		r.fail(edit.Unsupported, line, "calls of %s are not read", quote(called))
		return true
	}
	return t.read(r, name, args, line)
}

// patchKeys are the spellings under which a patch is handed over.
var patchKeys = []string{"patch", "patchText", "input", "command"}

// readPatch reads a patch: a text, a command's arguments, or an object that
// holds either.
func readPatch(r *reader, name string, args any, line int) bool {
	v, _ := r.decoded(args, line) // a text that is no JSON is read as text
	if o, ok := v.(*object); ok {
		a, ok := r.take(o, name, patchKeys)
		if !ok {
			r.fail(edit.BadArguments, line, "%sthere is no patch (%s)", colon(name), strings.Join(patchKeys, ", "))
			return true
		}
		v = a.value
	}
	switch v := v.(type) {
	case string:
		r.text(v)
		return true
	case []any:
		if r.argv(v) {
			return true
		}
	}
	r.fail(edit.BadArguments, line, "%sthe patch must be a string, or the arguments of apply_patch", colon(name))
	return true
}

// argv reads the arguments of a command: apply_patch with a patch, or a shell
// with a script that hands one over.
func (r *reader) argv(list []any) bool {
	var words [3]string
	if len(list) > len(words) {
		return false
	}
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			return false
		}
		words[i] = s
	}
	text := words[1]
	switch words[0] {
	case "apply_patch", "applypatch":
		if len(list) != 2 {
			return false
		}
	case "bash", "sh", "zsh":
		if text = words[2]; len(list) != 3 || words[1] != "-c" && words[1] != "-lc" || !isHeredoc(text) {
			return false
		}
	default:
		return false
	}
	r.note("argv", 0, "the patch stands in the arguments of a command, which was not run")
	r.text(text)
	return true
}

// readShell reads a shell's command, which counts only if it hands a patch over.
func readShell(r *reader, _ string, args any, line int) bool {
	v, _ := r.decoded(args, line)
	o, ok := v.(*object)
	if !ok {
		return false
	}
	switch c := o.first("command").(type) {
	case string:
		if isHeredoc(c) {
			r.text(c)
			return true
		}
	case []any:
		return r.argv(c)
	}
	return false
}

// isHeredoc reports whether a script begins by handing a text to apply_patch.
func isHeredoc(script string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(script, " \t\r\n"), "\n")
	m := heredoc().FindStringSubmatch(strings.TrimSuffix(first, "\r"))
	return m != nil && m[2] != ""
}
