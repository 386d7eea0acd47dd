package hooks

import (
	"regexp"
	"strings"
)

// signers are the addresses under which agents commit, in lower case: whole, or
// from the @ on.
var signers = map[string]string{
	"noreply@anthropic.com":       "claude-code",
	"noreply@openai.com":          "codex",
	"codex@openai.com":            "codex",
	"cursoragent@cursor.com":      "cursor",
	"noreply@opencode.ai":         "opencode",
	"noreply@aider.chat":          "aider",
	"aider@aider.chat":            "aider",
	"amp@ampcode.com":             "amp",
	"qwen-coder@alibabacloud.com": "qwen-code",
	"gemini-cli@google.com":       "gemini-cli",
}

// bots are the accounts of coding agents at GitHub, whose addresses are
// "NUMBER+NAME@users.noreply.github.com". Bots that only raise versions are none.
var bots = map[string]string{
	"copilot":                   "copilot",
	"copilot-swe-agent[bot]":    "copilot",
	"claude[bot]":               "claude-code",
	"chatgpt-codex-connector":   "codex",
	"codex[bot]":                "codex",
	"cursor[bot]":               "cursor",
	"devin-ai-integration":      "devin",
	"google-labs-jules[bot]":    "jules",
	"gemini-code-assist[bot]":   "gemini-cli",
	"gemini-cli[bot]":           "gemini-cli",
	"opencode-agent[bot]":       "opencode",
	"factory-droid[bot]":        "droid",
	"amazon-q-developer[bot]":   "amazon-q",
	"sourcegraph-amp[bot]":      "amp",
	"augmentcode[bot]":          "augment",
	"openhands-agent[bot]":      "openhands",
	"sweep-ai[bot]":             "sweep",
	"qwen-code[bot]":            "qwen-code",
	"devin-ai-integration[bot]": "devin",
}

var (
	address = regexp.MustCompile(`<([^<>]*)>`)
	trailer = regexp.MustCompile(`(?im)^co-authored-by:.*$`)
)

// AgentFromCommit names the agent that a commit names as its author, committer
// or co-author, empty if there is none. The people are written "Name <address>",
// whatever follows.
func AgentFromCommit(author, committer, message string) string {
	for _, person := range append([]string{author, committer}, trailer.FindAllString(message, -1)...) {
		m := address.FindStringSubmatch(person)
		if m == nil {
			continue
		}
		mail := strings.ToLower(strings.TrimSpace(m[1]))
		if agent := signers[mail]; agent != "" {
			return agent
		}
		if account, ok := strings.CutSuffix(mail, "@users.noreply.github.com"); ok {
			if _, name, numbered := strings.Cut(account, "+"); numbered {
				account = name
			}
			if agent := bots[account]; agent != "" {
				return agent
			}
		}
	}
	return ""
}
