package gitops

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// The words that a meta.json of this format may hold, beside those that this
// code writes.
var (
	kinds    = []string{"turn", "run", KindApply, KindRewind, "recovery"}
	scopes   = []string{ScopePaths, "worktree"}
	statuses = []string{StatusOpen, StatusComplete, "interrupted", StatusRecovered}
)

// usable refuses a turn that must not be taken back, because this code does not
// know its format or what it says cannot be.
func (t *Turn) usable() error {
	if err := t.newer(); err != nil {
		return &edit.Error{Code: edit.Damaged, Msg: err.Error() + ": a chordgit of that version can show it and take it back"}
	}
	if wrong := t.meta.wrong(t.N); len(wrong) > 0 {
		return &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("turn %s: its meta.json is damaged: %s", t.Name(), strings.Join(wrong, "; "))}
	}
	return nil
}

// wrong says what of a meta.json cannot be: what no turn n of this format has.
func (m *meta) wrong(n int) (list []string) {
	say := func(ok bool, format string, args ...any) {
		if !ok {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	say(m.Format >= 1, "format %d", m.Format)
	say(slices.Contains(kinds, m.Kind), "kind %q is unknown", m.Kind)
	say(slices.Contains(scopes, m.Scope), "scope %q is unknown", m.Scope)
	say(slices.Contains(statuses, m.Status), "status %q is unknown", m.Status)
	say(!m.Started.IsZero(), "it has no start")
	say(m.Worktree.ID != "", "it names no worktree")
	say(m.Stats.StoredBytes >= 0, "stored_bytes is %d", m.Stats.StoredBytes)
	for _, u := range m.Undoes {
		say(u >= 1 && u < n, "it undoes turn %d", u)
	}
	for _, h := range []gitstate.Head{m.Head.Before, m.Head.After} {
		_, ok := object.ParseID(h.OID)
		say(ok || h.OID == "", "HEAD is %q", h.OID)
	}
	for _, list := range [][]string{m.Paths, m.MadeDirs, m.RemovedDirs, m.Unseen} {
		for _, p := range list {
			say(inside(pathcode.Decode(p)), "path %q", p)
		}
	}
	for _, mv := range m.Moves {
		say(inside(pathcode.Decode(mv.From)) && inside(pathcode.Decode(mv.To)), "move from %q to %q", mv.From, mv.To)
	}
	for _, modes := range []map[string]string{m.Modes.Base, m.Modes.Before, m.Modes.After} {
		for _, at := range slices.Sorted(maps.Keys(modes)) {
			_, err := strconv.ParseUint(modes[at], 8, 12)
			say(err == nil, "mode %q of %q", modes[at], at)
		}
	}
	return list
}

// inside reports whether a path is one of a worktree's.
func inside(p string) bool {
	return p != "" && p == path.Clean(p) && p != "." && p != ".." && !strings.HasPrefix(p, "../") && !path.IsAbs(p) && !strings.Contains(p, "\x00")
}

// disagreements are the trailers of the tag that say something else than
// meta.json, which counts.
func (t *Turn) disagreements() (keys []string) {
	said := map[string][]string{}
	paragraphs := strings.Split(strings.TrimSuffix(t.said, "\n"), "\n\n")
	for line := range strings.SplitSeq(paragraphs[len(paragraphs)-1], "\n") {
		if key, value, ok := strings.Cut(line, ": "); ok {
			said[key] = append(said[key], value)
		}
	}
	meant := map[string][]string{}
	for _, l := range t.trailers() {
		meant[l[0]] = append(meant[l[0]], l[1])
	}
	for _, key := range []string{"Agent", "Session", "Scope", "Undoes", "Head", "Worktree", "Partial", "Format", "Status"} {
		if !slices.Equal(said[key], meant[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}
