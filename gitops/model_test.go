//go:build unix

package gitops

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// TestModel plays random sequences of what people, agents, git and crashes do
// in a worktree, and holds every command against a model that remembers what was
// on disk. CHORDGIT_MODEL is the number of sequences, CHORDGIT_MODEL_SEED the
// seed of the first one; a failure names its own. One after the other: a git that
// one sequence forks would hold the open files of all others until its exec, and
// a file that is open for writing is refused as in use.
func TestModel(t *testing.T) {
	count, seed := modelSeeds(t, 40)
	template := modelTemplate(t)
	for i := range uint64(count) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			newModel(t, template, seed+i).play(25)
		})
	}
}

// modelSeeds are the number of sequences and the seed of the first one.
func modelSeeds(t *testing.T, usual int) (count int, seed uint64) {
	count, seed = usual, 1 // always the same ones: a finding of a long run becomes a case of its own
	if n, err := strconv.Atoi(os.Getenv("CHORDGIT_MODEL")); err == nil {
		count, seed = n, uint64(time.Now().UnixNano())
	}
	if n, err := strconv.ParseUint(os.Getenv("CHORDGIT_MODEL_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("CHORDGIT_MODEL_SEED=%d", seed)
	return count, seed
}

// modelTemplate is a repository with two branches and a dirty worktree.
func modelTemplate(t *testing.T) string {
	g := gittest.New(t)
	for _, p := range []string{"a", "b", "d/x", "d/e/z", "sub/m"} {
		g.Write(p, "first of "+p+"\nsecond\nthird\nfourth\nfifth\n")
	}
	g.Write(".gitignore", "*.log\nbuild/\n")
	g.Commit()
	g.Git("checkout", "-q", "-b", "other")
	g.Write("b", "of the other branch\n")
	g.Write("d/k.dat", "of the other branch, too\n")
	g.Git("rm", "-q", "d/e/z")
	g.Commit()
	g.Git("checkout", "-q", "main")
	return g.Dir
}

// A played is a turn as the model remembers it: all that was on disk at its ends.
type played struct {
	n          int
	session    string
	start, end disk
	captured   bool
	rewind     bool
	// Of a captured turn: somebody else wrote in it, or git did. What it owns is
	// then for others to judge.
	shared bool
	// The end, or the start, is not known: a person wrote before a crash was repaired.
	murky bool
}

// A model is one sequence.
type model struct {
	t     *testing.T
	seed  uint64
	u     *person
	git   *gittest.Repo
	r     *Repo
	trace []string

	turns map[int]*played
	open  map[string]*played
	ids   map[object.ID]bool // of blobs and trees that some turn keeps

	steps, dies int // of the command at hand: steps so far, the one to die at
	died        bool
	murky       bool // a person wrote between a crash and its repair
}

type crash struct{}

func newModel(t *testing.T, template string, seed uint64) *model {
	dir := filepath.Join(t.TempDir(), "w")
	if out, err := exec.Command("cp", "-a", template, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	m := &model{t: t, seed: seed, turns: map[int]*played{}, open: map[string]*played{}, ids: map[object.ID]bool{}}
	m.u = &person{Rand: rand.New(rand.NewPCG(seed, 0)), dir: dir, tell: m.tell}
	m.git = &gittest.Repo{TB: t, Dir: dir}
	m.reopen()
	t.Cleanup(func() { m.r.Close() })
	return m
}

func (m *model) tell(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf(format, args...))
}

func (m *model) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\nCHORDGIT_MODEL=1 CHORDGIT_MODEL_SEED=%d:\n%s", fmt.Sprintf(format, args...), m.seed, strings.Join(m.trace, "\n"))
}

func (m *model) reopen() {
	if m.r != nil {
		m.r.Close()
	}
	var err error
	m.r, err = Open(m.git.Dir, Options{NoSync: true, LockWait: 5 * time.Second, Step: func(string) {
		if m.steps++; m.steps == m.dies {
			panic(crash{})
		}
	}})
	if err != nil {
		m.fail("open: %v", err)
	}
}

func (m *model) look() disk {
	d, err := look(m.git.Dir)
	if err != nil {
		m.fail("look: %v", err)
	}
	return d
}

func (m *model) state() map[string]string {
	s, err := state(m.git.GitDir())
	if err != nil {
		m.fail("state: %v", err)
	}
	return s
}

// play makes a sequence of so many moves and looks at the whole at its end.
func (m *model) play(moves int) {
	for range moves {
		m.move()
	}
	m.command("verify", func() error {
		v, err := m.r.Verify(m.t.Context(), nil)
		if err == nil && len(v.Failures) > 0 {
			err = v.Failures
		}
		return err
	})
}

func (m *model) move() {
	session := []string{"s", "s", "s", "t"}[m.u.IntN(4)]
	switch k := m.u.IntN(20); {
	case k < 9:
		m.u.change()
	case k < 10:
		m.gitMoves()
	case k < 12:
		m.begin(session)
	case k < 14:
		for _, s := range slices.Sorted(maps.Keys(m.open)) {
			m.end(s)
			break
		}
	case k < 16:
		m.apply([]string{"s", "s", "t", ""}[m.u.IntN(4)])
	default:
		m.rewind()
	}
}

// gitMoves lets git write to the worktree, or commit it.
func (m *model) gitMoves() {
	args := [][]string{
		{"checkout", "-q", "other"}, {"checkout", "-q", "main"}, {"checkout", "-q", "-f", "other"}, {"checkout", "-q", "-f", "main"},
		{"add", "-A"}, {"commit", "-q", "-a", "-m", "c"}, {"stash", "-q"},
	}[m.u.IntN(7)]
	err := m.git.Command(args...).Run()
	m.tell("git %q: %v", args, err)
	for _, o := range m.open {
		o.shared = true
	}
}

// command runs a command of ours, which may die at any of its steps, and
// checks what holds for every one: git's own files are as before, no text that
// was on disk is lost, and no temporary is left.
func (m *model) command(name string, do func() error) (before, after disk, err error) {
	before, git := m.look(), m.state()
	m.murky = false
	m.tell("%s", name)
	err = m.mayDie(5, do)
	forfeited := map[string]bool{}
	if m.died {
		if m.u.IntN(3) == 0 {
			m.murky = true
			was := m.look()
			m.u.change()
			is := m.look()
			for _, p := range differ(was, is) {
				forfeited[was[p].text] = true
			}
			for text := range texts(is) {
				if !texts(was)[text] {
					before = maps.Clone(before)
					before["\x00new"] = thing{text: text} // a person's, to be found again
				}
			}
		}
		if err := m.r.Recover(m.t.Context()); err != nil {
			m.fail("recover: %v", err)
		}
	}
	after = m.look()
	for p := range after {
		// Whoever moves a directory after a crash takes along what lies in it.
		if temporary(p) && !m.murky && !before.has(p) {
			m.fail("%s is left", p)
		}
	}
	if now := m.state(); !maps.Equal(now, git) {
		for p := range now {
			if now[p] != git[p] {
				m.fail("%s wrote to git's own %s", name, p)
			}
		}
		m.fail("%s removed files of git's own", name)
	}
	m.learn(before, after)
	there := texts(after)
	for p, x := range before {
		if x.text != "" && !there[x.text] && !forfeited[x.text] && !m.stored(x.text) {
			m.fail("%s lost what was in %q: %q", name, p, x.text)
		}
	}
	delete(before, "\x00new")
	return before, after, err
}

// mayDie runs a command of ours, which one time in so many dies at some step of it.
func (m *model) mayDie(times int, do func() error) (err error) {
	m.steps, m.dies, m.died = 0, 0, false
	if m.u.IntN(times) == 0 {
		m.dies = 1 + m.u.IntN(45)
	}
	defer func() {
		m.dies = 0
		if p := recover(); p != nil {
			if _, ok := p.(crash); !ok {
				panic(p)
			}
			m.died = true
			m.tell("… dies at step %d", m.steps)
			m.reopen()
		}
	}()
	return do()
}

// texts are all bytes of files and targets of links.
func texts(d disk) map[string]bool {
	set := map[string]bool{}
	for _, x := range d {
		set[x.text] = true
	}
	return set
}

// stored reports whether a turn keeps a text.
func (m *model) stored(text string) bool {
	return m.ids[m.r.db.Format().Hash(object.Blob, []byte(text))]
}

// keep notes the objects that a turn keeps.
func (m *model) keep(id object.ID) {
	if m.ids[id] {
		return
	}
	m.ids[id] = true
	entries, err := object.ReadTree(m.r.db, id)
	if err != nil {
		m.fail("tree %s: %v", id, err)
	}
	for _, e := range entries {
		if e.Mode.IsDir() {
			m.keep(e.ID)
		} else {
			m.ids[e.ID] = true
		}
	}
}

// learn takes over what turns came and went with a command.
func (m *model) learn(before, after disk) {
	rewound := 0 // the newest rewind of the command
	for t, err := range m.r.Turns() {
		if err != nil {
			m.fail("turn: %v", err)
		}
		if m.turns[t.N] == nil && t.Kind == KindRewind {
			rewound = max(rewound, t.N)
		}
		if m.turns[t.N] != nil {
			continue
		}
		m.keep(t.tree)
		p := &played{n: t.N, session: t.Session, captured: t.Scope == ScopeWorktree, rewind: t.Kind == KindRewind}
		if p.captured {
			o := m.open[t.Session]
			if o == nil || o.n != t.N {
				m.fail("turn %d was not open", t.N)
			}
			p.start, p.end, p.shared, p.murky = o.start, before, o.shared, o.murky
			delete(m.open, t.Session)
		} else {
			p.start, p.end, p.murky = before, after, m.murky
			for _, o := range m.open {
				if p.rewind || o.session != t.Session {
					o.shared = true
				}
			}
		}
		m.turns[t.N] = p
		m.tell("… turn %d: %s %s, %v", t.N, t.Kind, t.Status, differ(p.start, p.end))
	}
	open, err := m.r.OpenTurns()
	if err != nil {
		m.fail("open turns: %v", err)
	}
	is := map[int]bool{}
	for _, t := range open {
		is[t.N] = true
		m.keep(t.tree)
		if o := m.open[t.Session]; o == nil || o.n != t.N {
			start := before
			if rewound > 0 && t.N > rewound {
				start = after // it starts over behind the rewind
			}
			m.open[t.Session] = &played{n: t.N, session: t.Session, start: start, captured: true, murky: m.murky}
			m.tell("… turn %d is open", t.N)
		}
	}
	maps.DeleteFunc(m.open, func(_ string, o *played) bool { return !is[o.n] })
	if len(m.open) > 1 {
		for _, o := range m.open {
			o.shared = true
		}
	}
	for _, o := range m.open { // a rewind in the same command
		for _, p := range m.turns {
			if !p.captured && p.n > o.n && (p.rewind || p.session != o.session) {
				o.shared = true
			}
		}
	}
}

func (m *model) begin(session string) {
	before, after, err := m.command("begin "+session, func() error {
		_, err := m.r.Begin(m.t.Context(), Turn{Session: session})
		return err
	})
	m.still("begin", before, after, err)
}

func (m *model) end(session string) {
	before, after, err := m.command("end "+session, func() error {
		_, err := m.r.End(m.t.Context(), session, EndOptions{})
		return err
	})
	m.still("end", before, after, err)
}

// still checks that a capture left the worktree alone.
func (m *model) still(name string, before, after disk, err error) {
	if err != nil {
		m.fail("%s: %v", name, err)
	}
	if !m.murky {
		m.untouched(name, before, after, func(string) bool { return false })
	}
}

// untouched checks that paths are the very files that they were, with their
// times, but for some.
func (m *model) untouched(name string, before, after disk, but func(string) bool) {
	for p, x := range before {
		y, ok := after[p]
		switch {
		case but(p):
		case !ok:
			m.fail("%s removed %q", name, p)
		case !x.equal(y) || x.ino != y.ino || !x.mode.IsDir() && x.mtime != y.mtime:
			m.fail("%s touched %q: %+v, was %+v", name, p, y, x)
		}
	}
	for p := range after {
		if !before.has(p) && !but(p) {
			m.fail("%s made %q", name, p)
		}
	}
}

// apply lets an agent edit some files in one request.
func (m *model) apply(session string) {
	d := m.look()
	files := d.pick(func(_ string, t thing) bool { return t.mode.IsRegular() })
	var ops []edit.Op
	for range 1 + m.u.IntN(3) {
		p := m.u.name()
		if len(files) > 0 && m.u.IntN(2) == 0 {
			p = files[m.u.IntN(len(files))]
		}
		switch m.u.IntN(4) {
		case 0:
			ops = append(ops, edit.Op{Kind: edit.Delete, Path: p})
		case 1:
			ops = append(ops, edit.Op{Kind: edit.Update, Path: p, MoveTo: m.u.name()})
		default:
			text := m.u.text()
			if d[p].text != "" && m.u.IntN(2) == 0 {
				text = m.u.edited(d[p].text)
			}
			ops = append(ops, edit.Op{Kind: edit.Write, Path: p, Content: []byte(text)})
		}
	}
	var names []string
	for _, op := range ops {
		names = append(names, fmt.Sprintf("%d %q %q", op.Kind, op.Path, op.MoveTo))
	}
	var plan *edit.Plan
	refused := false
	before, after, err := m.command(fmt.Sprintf("apply %s %v", session, names), func() error {
		_, err := m.r.Apply(m.t.Context(), Turn{Session: session}, func(tree edit.Tree) (p *edit.Plan, err error) {
			plan, err = edit.NewPlan(tree, ops, m.r.PlanOptions())
			refused = err != nil
			return plan, err
		})
		if refused {
			m.tell("… %v", err)
			return nil
		}
		return err
	})
	if err != nil {
		m.fail("apply: %v", err)
	}
	if m.murky {
		return
	}
	touched := map[string]bool{}
	if plan != nil && !refused {
		for _, c := range plan.Changes {
			touched[c.Path] = true
		}
		for _, p := range slices.Concat(plan.Mkdir, plan.Rmdir) {
			touched[p] = true
		}
	}
	if m.died && len(differ(before, after)) == 0 {
		touched = nil // rolled back: new inodes are not
	}
	m.untouched("apply", before, after, func(p string) bool { return touched[p] })
}
