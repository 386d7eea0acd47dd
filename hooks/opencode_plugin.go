package hooks

import (
	"bytes"
	"fmt"
	"strings"
)

// pluginMark begins a plugin of ours.
const pluginMark = "// chordgit-plugin "

func isPlugin(text []byte) bool {
	for line := range bytes.Lines(text[:min(len(text), 500)]) {
		if bytes.HasPrefix(line, []byte(pluginMark)) || bytes.HasPrefix(line, []byte(clineMark)) {
			return true
		}
	}
	return false
}

func opencodeFile() *AgentFile {
	return &AgentFile{
		Agent: "opencode", Project: ".opencode/plugins/chordgit.js", User: "opencode/plugins/chordgit.js", Env: "XDG_CONFIG_HOME", Home: ".config",
		guarded: []string{"opencode/plugins", "opencode/plugin", "opencode/opencode.json", "opencode/opencode.jsonc"},
		plugin: func(in Installation) []byte {
			bin := "chordgit"
			if in.User {
				bin = in.Bin
			}
			return []byte(strings.NewReplacer("@BIN@", quoteJSON(bin), "@CLOSED@", fmt.Sprint(in.User || in.Strict)).Replace(opencodePlugin))
		},
	}
}

// opencodePlugin tells chordgit of what happens in opencode. It starts the program
// without a shell and never waits for it in a way that would freeze the screen.
// What a subagent does counts as its root session's, which alone begins and ends.
const opencodePlugin = pluginMark + `1
// Written by chordgit hooks install; chordgit hooks uninstall removes it.
import { execFile } from "node:child_process"

const BIN = @BIN@
const CLOSED = @CLOSED@

function call(payload, seconds) {
  return new Promise((resolve) => {
    const child = execFile(BIN, ["hook", "opencode"], { timeout: seconds * 1000 }, (error, stdout, stderr) =>
      resolve({ code: error ? (typeof error.code === "number" ? error.code : -1) : 0, text: stderr || String(error || "") }))
    child.stdin.on("error", () => {}) // it may have ended without reading
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Chordgit = async ({ client, directory, worktree }) => {
  const roots = new Map()
  async function root(id) {
    if (roots.has(id)) return roots.get(id)
    let at = id
    for (let i = 0; i < 8 && at; i++) {
      const session = await client.session.get({ path: { id: at } }).catch(() => undefined)
      if (!session?.data?.parentID) break
      at = session.data.parentID
    }
    roots.set(id, at)
    return at
  }
  const say = async (name, id, more, seconds) =>
    call({ hook_event_name: name, session_id: await root(id), cwd: directory, worktree, ...more }, seconds)
  return {
    "chat.message": async (input, output) => {
      if ((await root(input.sessionID)) !== input.sessionID) return
      const prompt = output.parts.filter((p) => p.type === "text").map((p) => p.text).join("\n")
      await say("turn_begin", input.sessionID, { turn_id: output.message.id, prompt }, 30)
    },
    "tool.execute.before": async (input, output) => {
      const answer = await say("pre_tool", input.sessionID, { tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID }, 10)
      if (answer.code === 2 || (CLOSED && answer.code !== 0)) throw new Error(answer.text)
    },
    "tool.execute.after": async (input, output) => {
      await say("post_tool", input.sessionID, { tool_name: input.tool, tool_input: input.args ?? output.metadata, tool_use_id: input.callID }, 10)
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      const id = event.properties.sessionID
      if ((await root(id)) === id) await say("turn_end", id, {}, 120)
    },
  }
}
`
