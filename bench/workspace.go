package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// A workspace has a row's files three times: as they shall be before every run,
// in a repository of 300 other files for us, and in a plain directory for the
// peer.
type workspace struct {
	b                      *bench
	files                  []file
	dir                    string
	pristine, ours, theirs string
}

func (b *bench) workspace(name string, files []file) (*workspace, error) {
	w := &workspace{b: b, files: files, dir: filepath.Join(b.dir, "rows", name)}
	w.pristine, w.ours, w.theirs = filepath.Join(w.dir, "pristine"), filepath.Join(w.dir, "ours"), filepath.Join(w.dir, "theirs")
	if err := os.RemoveAll(w.dir); err != nil {
		return nil, err
	}
	for _, dir := range []string{w.pristine, w.theirs} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if err := f.write(w.pristine); err != nil {
			return nil, err
		}
	}
	return w, b.repository(w.ours, tree{files: 300, least: 200, most: 200}, files)
}

// restore gives the files their first content, as a checkout would leave them:
// on disk, and known to the index where there is one.
func (w *workspace) restore(dir string) error {
	for _, f := range w.files {
		if err := copyFile(filepath.Join(dir, f.path), filepath.Join(w.pristine, f.path)); err != nil {
			return err
		}
	}
	if dir != w.theirs {
		if err := w.b.tool(dir, "git", "update-index", "-q", "--refresh"); err != nil {
			return err
		}
	}
	return flush(dir)
}

// request writes a request to a file and returns its name.
func (w *workspace) request(text string) (string, error) {
	name := filepath.Join(w.dir, "request")
	return name, os.WriteFile(name, []byte(text), 0o644)
}

// A work is one kind of request to both tools.
type work struct {
	patch  func(round int) string
	result func(round int) string // a path that bears the round's mark afterwards
	fails  bool
}

// updates is a work that changes all files of the workspace.
func (w *workspace) updates(hunks int, spell spelling) work {
	return work{
		patch: func(round int) string {
			var sections []string
			for _, f := range w.files {
				sections = append(sections, update(f, hunks, round, spell))
			}
			return envelope(sections...)
		},
		result: w.last,
	}
}

// last is the file that a request comes to last.
func (w *workspace) last(int) string { return w.files[len(w.files)-1].path }

// row makes a row of a work: chordgit and apply_patch.
func (w *workspace) row(name string, rounds int, target float64, do work) row {
	return row{
		name: name, rounds: rounds, target: target, twice: true,
		ours:   w.side([]string{w.b.chordgit, "apply"}, w.ours, do),
		theirs: w.side([]string{w.b.peer}, w.theirs, do).as("apply_patch"),
	}
}

func (w *workspace) side(argv []string, dir string, do work) side {
	return side{
		argv: argv, dir: dir, fails: do.fails,
		prepare: func(round int) (string, error) {
			name, err := w.request(do.patch(round))
			if err != nil {
				return "", err
			}
			return name, w.restore(dir)
		},
		check: func(round int) error {
			found, err := marked(filepath.Join(dir, do.result(round)), round)
			if err == nil && found == do.fails {
				err = fmt.Errorf("%s is not as it must be", do.result(round))
			}
			return err
		},
	}
}

// deletion makes and removes 20,000 files in both places, as a build does that
// is cleaned: ext4 is slow to give such inodes out again.
func (w *workspace) deletion() error {
	fmt.Fprintf(w.b.log, "deleting files in %s\n", w.dir)
	exclude := filepath.Join(w.ours, ".git", "info", "exclude")
	if err := os.WriteFile(exclude, []byte("/build/\n"), 0o644); err != nil {
		return err
	}
	for _, dir := range []string{w.ours, w.theirs} {
		if err := objects(filepath.Join(dir, "build"), 20_000, 100); err != nil {
			return err
		}
	}
	if err := flush(w.dir); err != nil {
		return err
	}
	for _, dir := range []string{w.ours, w.theirs} {
		if err := os.RemoveAll(filepath.Join(dir, "build")); err != nil {
			return err
		}
	}
	return nil
}
