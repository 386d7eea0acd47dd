package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// repository makes a repository of generated files: one commit, in the pack that
// fast-import writes, the worktree clean and in the index.
func (b *bench) repository(dir string, t tree, own []file) error {
	fmt.Fprintf(b.log, "making %s: %d files\n", dir, t.files+len(own))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := b.tool(dir, "git", "init", "-q", "-b", "main"); err != nil {
		return err
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stderr = dir, b.env, b.log
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := errors.Join(history(in, t, own), in.Close(), cmd.Wait()); err != nil {
		return err
	}
	for _, args := range [][]string{{"reset", "-q", "--hard"}, {"pack-refs", "--all"}, {"config", "gc.auto", "0"}} {
		if err := b.tool(dir, "git", args...); err != nil {
			return err
		}
	}
	return flush(dir)
}

// history writes the one commit as git fast-import reads it.
func history(out io.Writer, t tree, own []file) error {
	w := bufio.NewWriterSize(out, 64<<10)
	fmt.Fprintf(w, "commit refs/heads/main\ncommitter bench <bench@localhost> 1700000000 +0000\ndata 5\nfirst\n")
	var text []byte
	for i := range t.files {
		text = t.text(text[:0], i, 0)
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", t.path(i), len(text), text)
	}
	for _, f := range own {
		var size counter
		if err := f.print(&size); err != nil {
			return err
		}
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n", f.path, size)
		if err := f.print(w); err != nil {
			return err
		}
		w.WriteByte('\n')
	}
	return w.Flush()
}

// A counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// A repo is a repository that is costly to make: made once, and kept in the work
// directory.
type repo struct {
	b    *bench
	dir  string
	tree tree
}

// kept gives the repository of a name, as it was when it was made. Setup, nil for
// none, adds to a new one what no commit has.
func (b *bench) kept(name string, t tree, own []file, setup func(dir string) error) (*repo, error) {
	dir := filepath.Join(b.dir, fmt.Sprintf("%s-%d-%d-%d", name, t.files, t.least, t.most))
	if r := b.repos[dir]; r != nil {
		return r, nil
	}
	r := &repo{b, dir, t}
	done := r.git("bench-complete")
	if _, err := os.Stat(done); err == nil {
		err = r.clean()
		b.repos[dir] = r
		return r, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := b.repository(dir, t, own); err != nil {
		return nil, err
	}
	if setup != nil {
		if err := setup(dir); err != nil {
			return nil, err
		}
	}
	b.repos[dir] = r
	return r, errors.Join(os.WriteFile(done, nil, 0o644), flush(dir))
}

// git names a file in the git directory.
func (r *repo) git(name string) string { return filepath.Join(r.dir, ".git", name) }

// clean removes what benchmarks left: changes, turns, and all that only they
// need. It runs before the first row and after the last: to delete between rows
// would make the files that later rows create dear on ext4.
func (r *repo) clean() error {
	fmt.Fprintf(r.b.log, "cleaning %s\n", r.dir)
	refs, err := r.b.ask(r.dir, "git", "for-each-ref", "--format=%(refname)", "refs/chordgit", "refs/bench")
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(refs) {
		if err := r.b.tool(r.dir, "git", "update-ref", "-d", name); err != nil {
			return err
		}
	}
	if err := errors.Join(os.RemoveAll(r.git("chordgit")), os.RemoveAll(r.git("bench")), r.revert()); err != nil {
		return err
	}
	packs, err := filepath.Glob(r.git("objects/pack/*.pack"))
	if err != nil {
		return err
	}
	if len(packs) > 1 {
		if err := r.b.tool(r.dir, "git", "repack", "-a", "-d", "-q"); err != nil {
			return err
		}
	}
	return errors.Join(r.b.tool(r.dir, "git", "prune", "--expire=now"), flush(r.dir))
}

// revert gives all tracked files their first content, and makes the index know
// them.
func (r *repo) revert() error { return r.b.tool(r.dir, "git", "reset", "-q", "--hard") }

// dirty changes so many files, spread over the tree, to bytes that they never
// had.
func (r *repo) dirty(count int) error {
	r.b.stamp++
	if err := r.tree.write(r.dir, r.tree.spread(count), r.b.stamp); err != nil {
		return err
	}
	return flush(r.dir)
}
