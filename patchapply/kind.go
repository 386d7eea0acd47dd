package patchapply

import "strings"

// A ToolKind is what calls of a tool do.
type ToolKind string

// The kinds. Of a KindNone nothing is known.
const (
	KindNone   ToolKind = ""
	KindWrite  ToolKind = "write"       // writes whole files
	KindEdit   ToolKind = "edit"        // changes parts of files
	KindPatch  ToolKind = "apply_patch" // carries out a patch
	KindDelete ToolKind = "delete"
	KindMove   ToolKind = "move"
	KindShell  ToolKind = "shell" // runs a command
	KindRead   ToolKind = "read"  // changes nothing
)

// kindNames are the names under which agents have such tools, in lower case
// without underscores.
var kindNames = kindsByName(map[ToolKind]string{
	KindWrite: `write write_file write_to_file create_file create new_file save_file fs_write append_to_file TabWrite`,
	KindEdit: `edit MultiEdit multi_edit NotebookEdit EditNotebook edit_file replace replace_in_file StrReplace search_replace
		replace_string_in_file multi_replace_string_in_file insert_edit_into_file single_find_and_replace editor undo_edit
		str_replace_editor str_replace_based_edit_tool memory`,
	KindPatch:  `apply_patch patch apply_diff`,
	KindDelete: `delete delete_file remove_file`,
	KindMove:   `move_file rename_file rename`,
	KindShell: `bash PowerShell shell shell_command local_shell exec_command run_shell_command run_command run_commands
		execute_command execute terminal run_in_terminal`,
	KindRead: `read NotebookRead read_file read_many_files view view_file`,
})

func kindsByName(names map[ToolKind]string) map[string]ToolKind {
	kinds := map[string]ToolKind{}
	for kind, list := range names {
		for name := range strings.FieldsSeq(list) {
			kinds[foldTool(name)] = kind
		}
	}
	return kinds
}

func foldTool(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// KindOf tells what the tool of a name does, whatever its letter case, and
// whether it is an MCP server's (mcp__S__T, mcp_S_T, MCP:T). Of a tool of a
// server that nobody knows the name decides: one that says that it writes is a
// KindWrite, to be believed only if its arguments name a file.
func KindOf(name string) (kind ToolKind, mcp bool) {
	lower := strings.ToLower(name)
	if _, rest, ok := strings.Cut(lower, "mcp__"); ok && strings.HasPrefix(lower, "mcp__") {
		mcp = true
		if _, tool, ok := strings.Cut(rest, "__"); ok {
			lower = tool
		}
	} else if rest, ok := strings.CutPrefix(lower, "mcp:"); ok {
		mcp, lower = true, rest
	} else if rest, ok := strings.CutPrefix(lower, "mcp_"); ok {
		mcp, lower = true, rest
	}
	for rest := lower; ; {
		if kind := kindNames[foldTool(rest)]; kind != KindNone {
			return kind, mcp
		}
		// Where the name of an mcp_S_T's tool begins nobody can tell.
		_, after, ok := strings.Cut(rest, "_")
		if !mcp || !ok {
			break
		}
		rest = after
	}
	if mcp {
		for _, word := range []string{"write", "edit", "create", "delete", "remove", "move", "rename", "append", "insert", "patch", "save"} {
			if strings.Contains(lower, word) {
				return KindWrite, mcp
			}
		}
	}
	return KindNone, mcp
}
