package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

func isHusky(dir string) bool {
	return dir == ".husky" || dir == ".husky/_" || strings.HasSuffix(dir, "/.husky") || strings.HasSuffix(dir, "/.husky/_")
}

// husky appends lines to the files that husky runs; those in its directory _ it
// writes anew itself.
func (g *gitInstaller) husky(at *gitops.Hooks) {
	if !g.r.force || g.r.print {
		g.tell(hookTarget{State: "managed", File: at.Inside, Detail: "add these lines, or --force does", Text: hooks.Stanza("husky")})
		return
	}
	g.huskyLines(at, withLine, "installed")
}

// withLine adds the line of an event to a text, once: at its end, or before all
// that may read standard input.
func withLine(event string, text []byte) []byte {
	line := hooks.HuskyLine(event)
	if hasLine(text, line) {
		return text
	}
	text = bytes.Clone(text)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	at := len(text)
	if hooks.HuskyFirst(event) {
		at = 0
		for above := range bytes.Lines(text) { // the interpreter, and what husky had there before its version 9
			if !bytes.HasPrefix(above, []byte("#!")) && !bytes.HasPrefix(above, []byte(". ")) {
				break
			}
			at += len(above)
		}
	}
	return slices.Concat(text[:at], []byte(line+"\n"), text[at:])
}

func hasLine(text []byte, line string) bool {
	return slices.Contains(strings.Split(strings.ReplaceAll(string(text), "\r", ""), "\n"), line)
}

func (g *gitInstaller) huskyLines(at *gitops.Hooks, change func(event string, text []byte) []byte, state string) {
	dir := strings.TrimSuffix(at.Dir, string(filepath.Separator)+"_")
	for _, event := range hooks.GitHooks() {
		name := filepath.Join(dir, event)
		changed, err := g.app.rewrite(name, 0o666, nil, func(old []byte) ([]byte, error) {
			made := change(event, old)
			if len(made) == 0 && old != nil && len(old) > 0 {
				return nil, nil
			}
			return made, nil
		})
		t := hookTarget{Target: "git", Name: event, State: state, File: g.show(name)}
		switch {
		case err != nil:
			g.answer.fail(t, err)
		case changed:
			g.tell(t)
		default:
			t.State = "up to date"
			g.tell(t)
		}
	}
}
