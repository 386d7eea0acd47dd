package hooks

import (
	"path"
	"strings"
	"sync"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks/internal/glob"
	"golang.org/x/text/unicode/norm"
)

// protectedNames are files and, with a slash at the end, directories by which
// git, hook managers and agents are told to run something. They are protected
// in every directory.
const protectedNames = `.gitmodules
.husky/ .githooks/
.pre-commit-config.yaml .pre-commit-config.yml prek.toml
.claude/settings*.json .claude/hooks/ .codex/ .agents/ .gemini/settings.json
.cursor/hooks.json .cursor/hooks/ .cursor/mcp.json .mcp.json
.github/hooks/ .github/copilot/ .windsurf/hooks.json .factory/
.clinerules/hooks/ .cline/hooks/ .opencode/plugin/ .opencode/plugins/
opencode.json opencode.jsonc .qwen/settings.json .chord/ .amp/plugins/`

// lefthookNames are those of lefthook's configuration, which has many endings.
var lefthookNames = []string{"lefthook", ".lefthook", "lefthook-local", ".lefthook-local"}

// A protectedEntry is one of them, in components.
type protectedEntry struct {
	components []string
	dir        bool
}

// protectedEntries are found by their first component.
var protectedEntries = sync.OnceValue(func() map[string][]protectedEntry {
	names := strings.Fields(protectedNames)
	for _, name := range lefthookNames {
		for _, ending := range []string{"yml", "yaml", "toml", "json", "jsonc"} {
			names = append(names, name+"."+ending)
		}
	}
	all := map[string][]protectedEntry{}
	for _, name := range names {
		name, dir := strings.CutSuffix(name, "/")
		e := protectedEntry{strings.Split(name, "/"), dir}
		all[e.components[0]] = append(all[e.components[0]], e)
	}
	return all
})

// isProtected reports whether a name is one of those. isLink tells whether a
// link stands at a path: a directory's entry itself counts where it is one.
func isProtected(name string, isLink func(string) bool) bool {
	components := strings.Split(settingName(name), "/")
	for i, c := range components {
		if shortName(c) {
			return true
		}
		for _, e := range protectedEntries()[c] {
			rest := components[i:]
			if len(rest) < len(e.components) || !e.dir && len(rest) > len(e.components) {
				continue
			}
			matches := true
			for j, want := range e.components {
				ok, _ := path.Match(want, rest[j])
				matches = matches && ok
			}
			if matches && (!e.dir || len(rest) > len(e.components) || isLink(name)) {
				return true
			}
		}
	}
	return false
}

// shortName reports the names that NTFS gives .gitmodules beside its own.
func shortName(component string) bool {
	for _, stem := range []string{"gitmod~", "gi7eba~", "gi7eb~", "gi7e~"} {
		if digits, ok := strings.CutPrefix(component, stem); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return true
		}
	}
	return false
}

// isPolicyFile reports whether a name is that of a policy file, in whatever
// directory.
func isPolicyFile(name string) bool {
	for c := range strings.SplitSeq(settingName(name), "/") {
		if c == ConfigName || c == ".chordgit.yml" {
			return true
		}
	}
	return false
}

// settingName is the form in which names are compared with those that are
// protected, whatever the file system: letter case does not count, nor do
// characters that HFS+ ignores.
func settingName(name string) string {
	return glob.Fold(norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= 0x200C && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x206A && r <= 0x206F || r == 0xFEFF {
			return -1
		}
		return r
	}, name)))
}

// inGitDir reports whether a component of a name is .git in some disguise.
func inGitDir(name string) bool {
	for c := range strings.SplitSeq(name, "/") {
		if edit.IsGitDir(c) || edit.IsGitDir(norm.NFKC.String(c)) {
			return true
		}
	}
	return false
}

// noted says why a change of a file is worth knowing, though it is never
// refused; empty if it is not.
func noted(name string) string {
	switch settingName(path.Base(name)) {
	case ".gitattributes":
		return "it names filters and diff drivers, which run programs"
	case ".gitignore":
		return "it changes what later captures cover"
	}
	return ""
}
