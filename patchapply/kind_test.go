package patchapply

import "testing"

func TestKindOf(t *testing.T) {
	for name, want := range map[string]ToolKind{
		"Write": KindWrite, "TodoWrite": KindNone, "MultiEdit": KindEdit, "str_replace_based_edit_tool": KindEdit,
		"ApplyPatch": KindPatch, "applypatch": KindPatch, "Delete": KindDelete, "rename": KindMove, "run_in_terminal": KindShell,
		"Bash": KindShell, "Read": KindRead, "Task": KindNone, "": KindNone, "write_": KindWrite,
		"mcp__fs__read_file": KindRead, "mcp__fs__move_file": KindMove, "mcp_fs_write_file": KindWrite, "MCP:edit_file": KindEdit,
		"mcp__notes__append_line": KindWrite, "mcp__web__fetch": KindNone, "mcp__": KindNone, "mcp_": KindNone, "MCP:": KindNone,
		"mcp__fs__": KindNone, "mcp_server_with_long_name_read_file": KindRead,
	} {
		if got, _ := KindOf(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{"Write": false, "mcp__fs__write": true, "MCP:x": true, "mcp_a_b": true, "mcpx": false} {
		if _, got := KindOf(name); got != want {
			t.Errorf("%q is an MCP server's: %v", name, got)
		}
	}
}

// TestKindsOfTools holds the tools that are read against the kinds.
func TestKindsOfTools(t *testing.T) {
	for _, tool := range tools {
		for _, name := range tool.names {
			if kind, _ := KindOf(name); kind == KindNone || kind == KindRead {
				t.Errorf("%s has the kind %q", name, kind)
			}
		}
	}
}
