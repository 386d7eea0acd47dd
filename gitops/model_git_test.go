//go:build unix

package gitops

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestModelGit plays turns in which git itself is used in random ways, takes them
// back with all that they did to git, and does them again. Nobody else is at work:
// all must be as it was. Every second rewind dies at a random step and is repeated.
// The variables are those of TestModel.
func TestModelGit(t *testing.T) {
	count, seed := modelSeeds(t, 12)
	template := modelTemplate(t)
	for i := range uint64(count) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			m := newModel(t, template, seed+i)
			for range 3 {
				m.turnOfGit()
			}
		})
	}
}

// A repository is what a rewind with --git brings back.
type repository struct {
	disk disk
	git  map[string]string // HEAD, refs, the stash's log, entries of the index with their flags
	// Directories that an ignore rule hides: what is in them is not covered.
	hidden []string
}

func (m *model) all() repository {
	w := repository{disk: m.look(), git: map[string]string{}}
	read := func(args ...string) string {
		out, _ := m.git.Command(args...).Output()
		return string(out)
	}
	w.git["HEAD"] = read("symbolic-ref", "-q", "HEAD")
	if w.git["HEAD"] == "" {
		w.git["HEAD"] = read("rev-parse", "HEAD")
	}
	for line := range strings.Lines(read("for-each-ref", "--format=%(refname) %(objectname)")) {
		if name, id, _ := strings.Cut(line, " "); !strings.HasPrefix(name, "refs/chordgit/") {
			w.git[name] = id
		}
	}
	w.git["stashes"] = read("reflog", "show", "--format=%H %gs", "refs/stash")
	// What is only announced (git add -N) has no content that could be set again.
	announced, path := map[string]bool{}, ""
	for line := range strings.Lines(read("ls-files", "--debug")) {
		if !strings.HasPrefix(line, "  ") {
			path = strings.TrimSpace(line)
		} else if at := strings.Index(line, "flags: "); at >= 0 {
			flags, _ := strconv.ParseUint(strings.TrimSpace(line[at+len("flags: "):]), 16, 64)
			announced[path] = flags&(1<<29) != 0
		}
	}
	for line := range strings.Lines(read("ls-files", "-s", "-v")) {
		if _, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); !announced[name] {
			w.git["entries"] += line
		}
	}
	dirs := w.disk.pick(func(_ string, t thing) bool { return t.mode.IsDir() })
	ask := m.git.Command("check-ignore", "--no-index", "--stdin", "-z")
	ask.Stdin = strings.NewReader(strings.Join(dirs, "\x00"))
	if out, err := ask.Output(); err == nil { // 1: none
		w.hidden = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	return w
}

// useGit runs one command of git's porcelain that an agent may run.
func (m *model) useGit() {
	m.u.made++
	fresh := fmt.Sprintf("n%d", m.u.made)
	some := func(pattern string) string {
		out := strings.Fields(m.git.Git("for-each-ref", "--format=%(refname:short)", pattern))
		if len(out) == 0 {
			return "none"
		}
		return out[m.u.IntN(len(out))]
	}
	branch := some("refs/heads")
	file := "none"
	if files := strings.Split(m.git.Git("ls-files", "-z"), "\x00"); len(files) > 1 {
		file = files[m.u.IntN(len(files)-1)]
	}
	choices := [][]string{
		{"commit", "-q", "-a", "-m", fresh}, {"commit", "-q", "-m", fresh}, {"commit", "-q", "--amend", "-m", fresh}, {"commit", "-q", "--allow-empty", "-m", fresh},
		{"add", "-A"}, {"add", "-A"}, {"add", "-N", "."}, {"rm", "-q", "--cached", file}, {"rm", "-q", "-f", file}, {"mv", file, fresh},
		{"branch", fresh}, {"branch", "-D", branch}, {"branch", "-m", fresh}, {"branch", "-f", branch, "HEAD~1"}, {"branch", fresh + "/in"},
		{"tag", fresh}, {"tag", "-a", "-m", "t", fresh}, {"tag", "-d", some("refs/tags")}, {"tag", "-f", some("refs/tags")},
		{"checkout", "-q", branch}, {"checkout", "-q", "-f", branch}, {"checkout", "-q", "-b", fresh}, {"checkout", "-q", "--detach"}, {"checkout", "-q", "--orphan", fresh}, {"checkout", "-q", "HEAD~1", "--", "."},
		{"reset", "-q", "--hard"}, {"reset", "-q", "--hard", branch}, {"reset", "-q", "--soft", "HEAD~1"}, {"reset", "-q", "HEAD~1"}, {"reset", "-q"},
		{"merge", "-q", "--no-edit", branch}, {"merge", "-q", "-s", "ours", "--no-edit", branch}, {"merge", "--abort"}, {"rebase", "-q", branch}, {"rebase", "--abort"},
		{"cherry-pick", branch}, {"cherry-pick", "--abort"}, {"revert", "--no-edit", "HEAD"}, {"revert", "--abort"},
		{"stash", "-q"}, {"stash", "-q", "-u"}, {"stash", "pop", "-q"}, {"stash", "drop", "-q"}, {"stash", "apply", "-q", "stash@{1}"}, {"stash", "clear"},
		{"update-index", "--assume-unchanged", file}, {"update-index", "--skip-worktree", file}, {"update-index", "--no-skip-worktree", file}, {"update-index", "--chmod=+x", file},
		{"pack-refs", "--all"}, {"repack", "-a", "-d", "-q"}, {"clean", "-fdq"}, {"restore", "-q", "."}, {"restore", "-q", "--staged", "."},
	}
	args := choices[m.u.IntN(len(choices))]
	m.tell("git %q: %v", args, m.git.Command(args...).Run())
}

// turnOfGit plays one turn, takes it back and does it again.
func (m *model) turnOfGit() {
	for range m.u.IntN(4) {
		m.act()
	}
	start := m.all()
	if _, err := m.r.Begin(m.t.Context(), Turn{}); err != nil {
		m.fail("begin: %v", err)
	}
	m.tell("begin")
	for range 1 + m.u.IntN(4) {
		m.act()
	}
	end := m.all()
	turn, err := m.r.End(m.t.Context(), "", EndOptions{})
	if err != nil {
		m.fail("end: %v", err)
	}
	m.tell("end")
	if turn == nil {
		m.same("what no turn records", end, start, nil)
		return
	}
	left := m.gitBack("rewind", turn.N, false)
	m.same("rewind", m.all(), start, left)
	backs := m.rewindsOf(turn.N)
	if len(backs) == 0 {
		m.same("what no rewind changes", end, start, left)
		return
	}
	for _, n := range backs { // one that died may have left the rest to another
		left = append(left, m.gitBack("redo", n, true)...)
	}
	m.same("redo", m.all(), end, left)
}

// rewindsOf lists the rewinds of a turn, the newest first.
func (m *model) rewindsOf(n int) (list []int) {
	for t, err := range m.r.Turns() {
		if err != nil {
			m.fail("turn: %v", err)
		}
		if t.Kind == KindRewind && slices.Contains(t.Undoes, n) {
			list = append(list, t.N)
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

func (m *model) act() {
	if m.u.IntN(2) == 0 {
		m.u.change()
	} else {
		m.useGit()
	}
}

// gitBack takes a turn back, by two attempts if the first dies. It returns what
// stays.
func (m *model) gitBack(name string, n int, redo bool) []Left {
	var res *Rewound
	back := func() (err error) {
		res, err = m.r.Rewind(m.t.Context(), n, RewindOptions{Git: true, Redo: redo})
		return err
	}
	m.tell("%s %d", name, n)
	err := m.mayDie(2, back)
	if m.died {
		if err := m.r.Recover(m.t.Context()); err != nil {
			m.fail("recover: %v", err)
		}
		err = back()
	}
	if err != nil {
		m.fail("%s: %v", name, err)
	}
	if len(res.Plan.Failures) > 0 {
		m.fail("%s: %v", name, res.Plan.Failures)
	}
	return res.Left
}

// same compares two repositories, but for what is said to be left, and what is
// not covered.
func (m *model) same(what string, is, was repository, left []Left) {
	but := slices.Concat(is.hidden, was.hidden)
	for _, l := range left {
		but = append(but, strings.TrimSuffix(l.Path, "/"))
	}
	for _, p := range differ(is.disk, was.disk) {
		if !slices.ContainsFunc(but, func(at string) bool {
			return p == at || strings.HasPrefix(p, at+"/") || strings.HasPrefix(at, p+"/")
		}) {
			m.fail("%s: %q is %+v, was %+v; left: %v", what, p, is.disk[p], was.disk[p], left)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(merged(is.git, was.git))) {
		if is.git[key] != was.git[key] {
			m.fail("%s: %s is\n%s\nwas\n%s", what, key, is.git[key], was.git[key])
		}
	}
}

func merged(a, b map[string]string) map[string]string {
	c := maps.Clone(a)
	maps.Copy(c, b)
	return c
}
