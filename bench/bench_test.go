package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The fastest peer is the one that counts, in the other figures too.
func TestResults(t *testing.T) {
	took := func(ms int, mb int64) []sample {
		return []sample{{wall: time.Duration(ms) * time.Millisecond, peak: mb << 20}}
	}
	r := row{
		name: "row", target: 0.5, beside: []figure{peakMemory(60)},
		theirs: []side{{name: "slow"}, {name: "fast"}, {name: "middle"}},
	}
	got := r.results(took(10, 61), [][]sample{took(40, 1), took(16, 122), took(20, 3)})
	type line struct {
		name, against string
		ratio, theirs float64
		verdict       string
	}
	want := []line{
		{"row", "fast", 0.625, 16, "MISSED"},
		{"  its peak memory", "fast", 0.5, 122, "MISSED"},
		{"  slower", "slow", math.NaN(), 40, ""},
		{"  slower", "middle", math.NaN(), 20, ""},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d lines, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		g := got[i]
		same := g.ratio == w.ratio || math.IsNaN(g.ratio) && math.IsNaN(w.ratio)
		if g.name != w.name || g.against != w.against || !same || g.theirs != w.theirs || g.verdict() != w.verdict {
			t.Errorf("line %d: got %+v %q, want %+v", i, g, g.verdict(), w)
		}
	}

	alone := row{most: 600}.results(took(599, 1), nil)[0]
	if alone.verdict() != "ok" || !math.IsNaN(alone.ratio) {
		t.Errorf("without a peer: %+v %q", alone, alone.verdict())
	}
}

func TestTree(t *testing.T) {
	tr := tree{files: 2000, least: least, most: most}
	sum, paths := 0, map[string]bool{}
	for i := range tr.files {
		text := tr.text(nil, i, 0)
		if len(text) < least || len(text) > most+100 {
			t.Fatalf("file %d has %d bytes", i, len(text))
		}
		sum += len(text)
		paths[tr.path(i)] = true
	}
	if mean := sum / tr.files; mean < 6000 || mean > 7200 {
		t.Errorf("files have %d bytes on average", mean)
	}
	if len(paths) != tr.files {
		t.Errorf("%d files have %d paths", tr.files, len(paths))
	}
	if !bytes.Equal(tr.text(nil, 7, 1), tr.text(nil, 7, 1)) || bytes.Equal(tr.text(nil, 7, 1), tr.text(nil, 7, 2)) {
		t.Error("a stamp must give the same bytes always, and others than any other stamp")
	}
}

// Every way of git stores what the row says, which its check sees; and one that
// stores nothing is found out.
func TestGitWays(t *testing.T) {
	for _, name := range []string{"git", "sh"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s", name)
		}
	}
	b := &bench{dir: t.TempDir(), log: io.Discard, repos: map[string]*repo{}}
	b.env = environment(b.dir)
	r, err := b.kept("test", tree{60, 100, 200}, numbered(1, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.settle(); err != nil {
		t.Fatal(err)
	}
	clean := capture{repo: r, witness: func() string { return r.tree.path(0) }}
	status, restore := clean.status(), r.restore("", 5, 1, 0)
	if _, err := b.once(&status, 0); err != nil {
		t.Error(err)
	}
	do := r.changed(3)
	for _, s := range append(do.ways(), restore.theirs...) {
		for round := range 2 {
			if _, err := b.once(&s, round); err != nil {
				t.Errorf("%s, round %d: %v", s.name, round, err)
			}
		}
	}
	files := &newcomers{repo: r, tree: tree{5, 100, 200}}
	first := capture{r, files.renew, files.witness}.copied()
	for round := range 2 {
		if _, err := b.once(&first, round); err != nil {
			t.Errorf("new files, round %d: %v", round, err)
		}
	}
	if list, _ := filepath.Glob(filepath.Join(r.dir, "new*")); len(list) != 1 || filepath.Base(list[0]) != files.dir {
		t.Errorf("new files are in %q, want %q alone", list, files.dir)
	}
	if err := os.RemoveAll(filepath.Join(r.dir, files.dir)); err != nil {
		t.Fatal(err)
	}

	idle := do.script("idle", "", "git rev-parse HEAD")
	if _, err := b.once(&idle, 0); err == nil || !strings.Contains(err.Error(), "not what is on disk") {
		t.Errorf("a way that stores nothing: %v", err)
	}
	left := restore.theirs[0]
	left.argv = []string{"git", "version"}
	if _, err := b.once(&left, 0); err == nil || !strings.Contains(err.Error(), "not as committed") {
		t.Errorf("a way that restores nothing: %v", err)
	}

	if _, err := b.once(&status, 0); err == nil || !strings.Contains(err.Error(), "not clean") {
		t.Errorf("status of a changed worktree: %v", err)
	}
	if err := r.clean(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.once(&status, 0); err != nil {
		t.Error(err)
	}
}

// What an earlier run left in a repository that is kept is gone in the next one.
func TestKept(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	b := &bench{dir: t.TempDir(), log: io.Discard, repos: map[string]*repo{}}
	b.env = environment(b.dir)
	made := 0
	open := func() *repo {
		t.Helper()
		r, err := b.kept("test", tree{60, 100, 200}, nil, func(string) error { made++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := open()
	if err := first.dirty(2); err != nil {
		t.Fatal(err)
	}
	id, err := b.ask(first.dir, "git", "hash-object", "-w", first.tree.path(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.tool(first.dir, "git", "update-ref", "refs/bench/x", id); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(first.git("chordgit"), 0o755); err != nil {
		t.Fatal(err)
	}
	if open() != first {
		t.Error("a repository in use was opened again")
	}
	b.repos = map[string]*repo{}
	second := open()
	if made != 1 {
		t.Errorf("made %d times", made)
	}
	text, err := os.ReadFile(filepath.Join(second.dir, second.tree.path(0)))
	if err != nil || !bytes.Equal(text, second.tree.text(nil, 0, 0)) {
		t.Errorf("the change was not taken back: %.60q, %v", text, err)
	}
	if _, err := b.ask(second.dir, "git", "cat-file", "-e", id); err == nil {
		t.Error("the object of the change is still there")
	}
	if _, err := os.Stat(second.git("chordgit")); !os.IsNotExist(err) {
		t.Errorf("the directory of chordgit: %v", err)
	}
}
