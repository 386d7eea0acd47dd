package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A row is one measurement.
type row struct {
	group string // its name for -rows
	run   func() error
}

func (b *bench) rows() []row {
	heavy := max(b.rounds/5, 3)
	return []row{
		{"start", func() error {
			version := contender{cmd: func() *exec.Cmd { return exec.Command(b.chordgit, "version") }}
			return pair("chordgit version ÷ hello world", b.rounds, "1.5+3ms", 1.5, version,
				&contender{cmd: func() *exec.Cmd { return exec.Command(b.hello) }})
		}},
		{"one", func() error { return b.apply("1 file, 40 lines, 1 hunk", b.rounds, 2.5, one()) }},
		{"five-hundred", func() error { return b.apply("500 files × 200 lines, 1 hunk each", heavy, 1.5, fiveHundred()) }},
		{"new", func() error { return b.apply("500 new files × 50 lines", heavy, 1.5, newFiles()) }},
		{"lines", func() error {
			for _, v := range []struct{ name, suffix, prefix, last string }{
				{"50,000 lines, 200 hunks, exact", "", "", ""},
				{"50,000 lines, trailing blanks", "  ", "", ""},
				{"50,000 lines, trimmed", "", "  ", ""},
				{"50,000 lines, last hunk missing", "", "", "@@\n-nowhere\n+x\n"},
			} {
				if err := b.apply(v.name, heavy, 1.2, manyHunks(v.prefix, v.suffix, v.last)); err != nil {
					return err
				}
			}
			return nil
		}},
		{"million", func() error { return b.apply("1,000,000 lines, 1 hunk near the end", 3, 0.8, million()) }},
		{"size", b.size},
		{"deleted", func() error {
			if err := b.massDeletion(); err != nil {
				return err
			}
			if err := b.apply("1 file, after a mass deletion", b.rounds, 2.5, one()); err != nil {
				return err
			}
			return b.apply("500 files, after a mass deletion", heavy, 1.5, fiveHundred())
		}},
	}
}

// A task is a request and the files that it is about.
type task struct {
	files map[string][]byte
	patch []byte
}

func envelope(body string) []byte {
	return []byte("*** Begin Patch\n" + body + "*** End Patch\n")
}

func text(lines, file int) []byte {
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, "line %d of file %d with some text in it\n", i, file)
	}
	return b.Bytes()
}

func one() task {
	return task{map[string][]byte{"f": text(40, 0)}, envelope("*** Update File: f\n@@\n line 19 of file 0 with some text in it\n-line 20 of file 0 with some text in it\n+changed\n")}
}

func fiveHundred() task {
	t := task{files: map[string][]byte{}}
	var p strings.Builder
	for k := range 500 {
		name := fmt.Sprintf("d%d/f%d", k%5, k)
		t.files[name] = text(200, k)
		fmt.Fprintf(&p, "*** Update File: %s\n@@\n-line 100 of file %d with some text in it\n+changed\n", name, k)
	}
	t.patch = envelope(p.String())
	return t
}

func newFiles() task {
	var p strings.Builder
	for k := range 500 {
		fmt.Fprintf(&p, "*** Add File: n%d/f%d\n", k%5, k)
		for i := range 50 {
			fmt.Fprintf(&p, "+line %d of file %d\n", i, k)
		}
	}
	return task{map[string][]byte{"keep": []byte("kept\n")}, envelope(p.String())}
}

func manyHunks(prefix, suffix, last string) task {
	var p strings.Builder
	p.WriteString("*** Update File: f\n")
	for i := 100; i < 50_000-250; i += 249 {
		fmt.Fprintf(&p, "@@\n %sline %d of file 0 with some text in it%s\n-%sline %d of file 0 with some text in it%s\n+changed %d\n", prefix, i, suffix, prefix, i+1, suffix, i)
	}
	p.WriteString(last)
	return task{map[string][]byte{"f": text(50_000, 0)}, envelope(p.String())}
}

func million() task {
	var b bytes.Buffer
	for i := range 1_000_000 {
		fmt.Fprintf(&b, "line %d of a long file with a good deal of text in it..\n", i)
	}
	return task{map[string][]byte{"f": b.Bytes()}, envelope("*** Update File: f\n@@\n-line 999000 of a long file with a good deal of text in it..\n+changed\n")}
}

// apply measures one task in a repository in which its files are committed.
func (b *bench) apply(name string, rounds int, target float64, t task) error {
	dir := filepath.Join(b.dir, "repo")
	if err := fresh(dir, t.files); err != nil {
		return err
	}
	side := func(program string, args ...string) contender {
		return contender{
			prepare: func() error {
				if err := command("git", "-C", dir, "clean", "-fdq"); err != nil {
					return err
				}
				return write(dir, t.files)
			},
			cmd: func() *exec.Cmd {
				cmd := exec.Command(program, args...)
				cmd.Dir, cmd.Stdin = dir, bytes.NewReader(t.patch)
				return cmd
			},
			may: []int{1, 3}, // the row whose last hunk is missing
		}
	}
	ours := side(b.chordgit, "apply")
	if b.peer == "" {
		return pair(name, rounds, fmt.Sprint(target), 2*target, ours, nil)
	}
	theirs := side(b.peer)
	return pair(name, rounds, fmt.Sprint(target), 2*target, ours, &theirs)
}

// size measures a lone apply and its rewind in a small and in a large
// repository: their cost must not differ.
func (b *bench) size() error {
	small, large := filepath.Join(b.dir, "small"), filepath.Join(b.dir, "large")
	if err := generate(small, 300); err != nil {
		return err
	}
	if err := generate(large, 100_000); err != nil {
		return err
	}
	update := envelope("*** Update File: d7/f7\n@@\n-line 1 of file 7 with some text in it\n+changed\n")
	add := envelope("*** Add File: d7/new\n+new\n")
	for _, v := range []struct {
		name  string
		patch []byte
		setup bool // the patch is applied before, and taken back by what is measured
	}{
		{"apply of one file, 100,000 ÷ 300", update, false},
		{"apply that adds one, 100,000 ÷ 300", add, false},
		{"rewind of one file, 100,000 ÷ 300", update, true},
	} {
		side := func(dir string) contender {
			apply := func() *exec.Cmd {
				cmd := exec.Command(b.chordgit, "apply")
				cmd.Dir, cmd.Stdin = dir, bytes.NewReader(v.patch)
				return cmd
			}
			c := contender{cmd: apply, prepare: func() error { return restore(dir) }}
			if v.setup {
				c.prepare = func() error {
					if err := restore(dir); err != nil {
						return err
					}
					return apply().Run()
				}
				c.cmd = func() *exec.Cmd {
					cmd := exec.Command(b.chordgit, "rewind", "--yes")
					cmd.Dir = dir
					return cmd
				}
			}
			return c
		}
		theirs := side(small)
		if err := pair(v.name, b.rounds, "1.1", 1.1, side(large), &theirs); err != nil {
			return err
		}
	}
	return nil
}

// restore puts the one file back that the size rows change.
func restore(dir string) error {
	os.Remove(filepath.Join(dir, "d7", "new"))
	return os.WriteFile(filepath.Join(dir, "d7", "f7"), text(5, 7), 0o644)
}

// generate makes a packed repository of n small files, once.
func generate(dir string, n int) error {
	if _, err := os.Stat(filepath.Join(dir, ".git", "made")); err == nil {
		return nil
	}
	files := map[string][]byte{}
	for i := range n {
		files[fmt.Sprintf("d%d/f%d", i%max(n/17, 8), i)] = text(5, i)
	}
	if err := fresh(dir, files); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".git", "made"), nil, 0o644)
}

// fresh makes a repository with these files committed and packed.
func fresh(dir string, files map[string][]byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := command("git", "init", "-q", dir); err != nil {
		return err
	}
	if err := write(dir, files); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"config", "gc.auto", "0"}, {"add", "-A"}, {"-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "files"}, {"gc", "-q"},
	} {
		if err := command("git", append([]string{"-C", dir}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

func write(dir string, files map[string][]byte) error {
	for name, data := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// massDeletion makes and deletes 20,000 files: for minutes afterwards some file
// systems take ten times as long to make new ones.
func (b *bench) massDeletion() error {
	dir := filepath.Join(b.dir, "deleted")
	files := map[string][]byte{}
	for i := range 20_000 {
		files[fmt.Sprintf("d%d/f%d", i%100, i)] = []byte("x\n")
	}
	if err := write(dir, files); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
