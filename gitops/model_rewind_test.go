//go:build unix

package gitops

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// rewind takes something back, and often redoes it at once.
func (m *model) rewind() {
	opt := RewindOptions{Force: m.u.IntN(5) == 0, Atomic: m.u.IntN(8) == 0}
	if m.u.IntN(3) == 0 {
		opt.Owners = []string{OwnerSelf, OwnerAmbiguous, OwnerOutside, OwnerOther, OwnerSession + "s", OwnerSession + "t"}
	}
	n := 0
	numbers := slices.Sorted(maps.Keys(m.turns))
	if len(numbers) > 0 && m.u.IntN(2) == 0 {
		n = numbers[m.u.IntN(len(numbers))]
	}
	switch m.u.IntN(6) {
	case 0:
		opt.Since = true
	case 1:
		if t := m.turns[n]; t != nil {
			if delta := differ(t.start, t.end); len(delta) > 0 {
				opt.Paths = []string{delta[m.u.IntN(len(delta))]}
			}
		}
	}
	if len(m.open) > 1 { // a person has to say which one
		opt.Since = false
		for _, o := range m.open {
			if n == 0 || m.turns[n] == nil {
				n = max(n, o.n)
			}
		}
	}
	before, res := m.takeBack(n, opt)
	if res == nil || res.Turn == nil || m.died || m.u.IntN(2) == 0 {
		return
	}
	after := m.look()
	_, back := m.takeBack(res.Turn.N, RewindOptions{Redo: true})
	if m.died || m.murky {
		return
	}
	if back == nil || len(back.Plan.Failures) > 0 || len(back.Left) > 0 {
		m.fail("the redo is not clean: %+v", back)
	}
	if now := m.look(); len(differ(now, before)) > 0 {
		m.fail("after the redo these differ: %q; after the rewind these did: %q", differ(now, before), differ(after, before))
	}
}

// takeBack runs one rewind and checks what it did, path by path. The rewind is
// nil if there was nothing to take back.
func (m *model) takeBack(n int, opt RewindOptions) (before disk, res *Rewound) {
	name := fmt.Sprintf("rewind %d since=%v force=%v atomic=%v paths=%q owners=%v", n, opt.Since, opt.Force, opt.Atomic, opt.Paths, opt.Owners != nil)
	before, after, err := m.command(name, func() (err error) {
		res, err = m.r.Rewind(m.t.Context(), n, opt)
		return err
	})
	if err != nil {
		if strings.Contains(err.Error(), "turn") && (strings.Contains(err.Error(), "nothing") || strings.Contains(err.Error(), "did not change") || strings.Contains(err.Error(), "no such")) {
			m.untouched(name, before, after, func(string) bool { return false })
			return before, nil
		}
		m.fail("%s: %v", name, err)
	}
	if m.murky {
		return before, res
	}
	if m.died {
		m.whole(before, after)
		return before, nil
	}
	m.tell("… undoes %v, failures %v, left %v", res.Undoes, res.Plan.Failures, res.Left)
	m.judge(name, before, after, res, &opt)
	return before, res
}

// whole checks that a rewind that died is done or not done.
func (m *model) whole(before, after disk) {
	changed := differ(before, after)
	if len(changed) == 0 {
		return
	}
	t, err := m.r.Turn(0)
	if err != nil {
		m.fail("something changed, and there is no turn: %q: %v", changed, err)
	}
	changes, err := m.r.Changes(t)
	if err != nil {
		m.fail("turn %d: %v", t.N, err)
	}
	named := map[string]bool{}
	for _, c := range changes {
		named[c.Path] = true
		x, ok := after[c.Path]
		if c.After == nil && ok && !x.mode.IsDir() || c.After != nil && (!ok || x.mode.Type() != c.After.Mode.Type()) {
			m.fail("turn %d says %v of %q, which is %+v", t.N, c.After, c.Path, x)
		}
	}
	for _, p := range changed {
		if !named[p] && !before[p].mode.IsDir() && !after[p].mode.IsDir() {
			m.fail("%q changed and is not in turn %d", p, t.N)
		}
	}
}

// judge holds a rewind against what the model knows of the turns.
func (m *model) judge(name string, before, after disk, res *Rewound, opt *RewindOptions) {
	var turns []*played
	delta, murky := map[string]bool{}, false
	for _, n := range res.Undoes {
		t := m.turns[n]
		if t == nil {
			m.fail("turn %d is not known", n)
		}
		turns = append(turns, t)
		murky = murky || t.murky
		for _, p := range differ(t.start, t.end) {
			delta[p] = true
		}
	}
	stays := m.staying(res)
	conflicts := len(res.Plan.Failures)
	if opt.Atomic && conflicts > 0 || res.Turn == nil {
		m.untouched(name, before, after, func(string) bool { return false })
		if opt.Atomic && conflicts > 0 {
			return
		}
	}
	needed := map[string]bool{} // directories above what comes back
	for _, t := range turns {
		for p := range t.start {
			for up := path.Dir(p); up != "." && delta[p]; up = path.Dir(up) {
				needed[up] = true
			}
		}
	}
	m.untouched(name, before, after, func(p string) bool {
		if murky {
			return true
		}
		// What an older turn leaves, a newer one may have taken back.
		return (!stays(p) || len(turns) > 1) && (delta[p] || needed[p] && !before.has(p) && after[p].mode.IsDir())
	})
	if murky {
		return
	}
	if len(turns) == 1 {
		m.paths(before, after, turns[0], opt, stays)
	}
	// Nobody changed anything since, nor between the turns: all is as at the start.
	now := before
	for _, t := range turns {
		if len(differ(now, t.end)) > 0 || t.shared || m.hidden(t) {
			return
		}
		now = t.start
	}
	if opt.Paths != nil {
		return
	}
	if conflicts > 0 || len(res.Left) > 0 {
		m.fail("nobody changed anything, but: %v, left %v", res.Plan.Failures, res.Left)
	}
	if wrong := differ(after, now); len(wrong) > 0 {
		for _, p := range wrong {
			m.tell("%q is %+v, was %+v at the start", p, after[p], now[p])
		}
		m.fail("a clean rewind does not give the start: %q", wrong)
	}
}

// staying are the paths that a rewind says it left.
func (m *model) staying(res *Rewound) func(string) bool {
	failed := map[string]bool{}
	for _, f := range res.Plan.Failures {
		failed[f.Path] = true
	}
	var list, hidden []string
	for _, l := range res.Left {
		if dir, ok := strings.CutSuffix(l.Path, "/"); ok {
			hidden = append(hidden, dir)
		} else {
			list = append(list, l.Path)
		}
	}
	covered := map[string]bool{} // of what lies in a hidden directory, too
	for _, n := range res.Undoes {
		turn, err := m.r.Turn(n)
		if err != nil {
			m.fail("turn %d: %v", n, err)
		}
		changes, err := m.r.Changes(turn)
		if err != nil {
			m.fail("turn %d: %v", n, err)
		}
		for _, c := range changes {
			covered[c.Path] = true
		}
	}
	return func(p string) bool { return failed[p] || below(p, list) || !covered[p] && below(p, hidden) }
}

// hidden reports whether ignore rules may have kept something of a turn out of
// its captures.
func (m *model) hidden(t *played) bool {
	if !t.captured {
		return false
	}
	for _, p := range differ(t.start, t.end) {
		if path.Base(p) == ".gitignore" {
			return true
		}
	}
	rules := t.start[".gitignore"].text + t.start["sub/.gitignore"].text
	for _, d := range []disk{t.start, t.end} {
		for p, x := range d {
			for _, rule := range strings.Fields(rules) {
				if hit, _ := path.Match(strings.Trim(rule, "/"), path.Base(p)); hit && x.mode.IsDir() {
					return true
				}
			}
		}
	}
	return false
}

// paths checks the table of one turn: what stands at a path at its start and
// end and now decides what comes of it.
func (m *model) paths(before, after disk, t *played, opt *RewindOptions, stays func(string) bool) {
	turn, err := m.r.Turn(t.n)
	if err != nil {
		m.fail("turn %d: %v", t.n, err)
	}
	changes, err := m.r.Changes(turn)
	if err != nil {
		m.fail("turn %d: %v", t.n, err)
	}
	covered, moved := map[string]bool{}, map[string]string{}
	for _, c := range changes {
		covered[c.Path] = true
		if c.From != "" {
			moved[c.Path], moved[c.From] = c.From, c.Path
		}
	}
	d, err := m.r.delta(turn, false)
	if err != nil {
		m.fail("turn %d: %v", t.n, err)
	}
	onTop := map[string]thing{}
	for _, c := range d.changes {
		if d.edited[c.Path] {
			onTop[c.Path] = thing{}
			if c.Before != nil {
				onTop[c.Path] = thing{mode: c.Before.Mode, text: string(m.r.Content(c.Before))}
			}
		}
	}
	at := func(d disk, p string) (thing, bool) {
		x, ok := d[p]
		if x.mode.IsDir() {
			return thing{}, false
		}
		return x, ok
	}
	for _, p := range differ(t.start, t.end) {
		b, wasB := at(t.start, p)
		a, wasA := at(t.end, p)
		if !wasA && !wasB || stays(p) || temporary(p) { // of a crash, and moved by a person
			continue
		}
		// What came with a move of HEAD stays, and what was changed on top of it goes
		// back to what the move brought.
		if turn.Owner(p) == OwnerGit || slices.Contains(turn.meta.Git.Edited, pathcode.Encode(p)) {
			continue
		}
		if !covered[p] {
			if !m.hidden(t) {
				m.fail("turn %d does not know of %q", t.n, p)
			}
			continue
		}
		if opt.Paths != nil && !below(p, opt.Paths) {
			continue
		}
		n, isN := at(before, p)
		r, isR := at(after, p)
		if turn.Owner(p) == OwnerGit && opt.Paths == nil {
			if isN != isR || !n.alike(r) {
				m.fail("%q came with a move of HEAD, and was changed: before the rewind %+v, now %+v", p, n, r)
			}
			continue
		}
		if brought, ok := onTop[p]; ok {
			b, wasB = brought, brought.mode != 0 // what the move of HEAD had made of it
		}
		asB := isN == wasB && n.alike(b)
		asA := isN == wasA && n.alike(a)
		if from := moved[p]; from != "" && !before[from].alike(t.end[from]) {
			continue // its changes went with it
		}
		switch {
		case asB || asA:
			if isR != wasB || !r.alike(b) {
				m.fail("%q: is %+v, the start of turn %d had %+v (%v), the end %+v (%v), before the rewind it was %+v (%v)", p, r, t.n, b, wasB, a, wasA, n, isN)
			}
			if asA && !asB && n.mode == a.mode && b.mode.IsRegular() && r.mode != b.mode {
				m.fail("%q: mode %v, was %v", p, r.mode, b.mode)
			}
		case moved[p] != "":
		case opt.Force && isR == wasB && r.alike(b):
		case n.mode.IsRegular() && a.mode.IsRegular() && b.mode.IsRegular() && isN && wasA && wasB:
			m.merged(p, a.text, n.text, r.text)
		default:
			m.fail("%q went without a conflict: start %+v, end %+v, before the rewind %+v, now %+v", p, b, a, n, r)
		}
	}
}

// merged checks that every line that somebody added since is still there.
func (m *model) merged(p, base, ours, result string) {
	was := strings.SplitAfter(base, "\n")
	for line := range strings.SplitAfterSeq(ours, "\n") {
		if !slices.Contains(was, line) && !strings.Contains(result, strings.TrimRight(line, "\r\n")) {
			m.fail("%q: the merge lost %q: %q", p, line, result)
		}
	}
}
