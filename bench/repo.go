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

// leafDirs is how many directories the files of the large repository lie in;
// with those above them they are 5,883.
const leafDirs = 5807

// repository makes a repository of so many generated files, beside those given:
// one commit, packed, the worktree clean and in the index.
func (b *bench) repository(dir string, files int, own []file, pristine string) error {
	fmt.Fprintf(b.log, "making %s: %d files\n", dir, files+len(own))
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
	err = errors.Join(b.history(in, files, own, pristine), in.Close(), cmd.Wait())
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"reset", "-q", "--hard"}, {"config", "gc.auto", "0"}, {"gc", "-q"}} {
		if err := b.tool(dir, "git", args...); err != nil {
			return err
		}
	}
	return nil
}

// history writes the one commit as git fast-import reads it.
func (b *bench) history(out io.Writer, files int, own []file, pristine string) error {
	w := bufio.NewWriterSize(out, 64<<10)
	fmt.Fprintf(w, "commit refs/heads/main\ncommitter bench <bench@localhost> 1700000000 +0000\ndata 5\nfirst\n")
	leaves := max(1, min(leafDirs, files/17))
	for i := range files {
		leaf := i * leaves / files
		text := fmt.Sprintf("file %06d\n", i)
		for n := 1; len(text) < b.bytes; n++ {
			text += line(text, n) + "\n"
		}
		fmt.Fprintf(w, "M 100644 inline d%02d/e%02d/f%06d.go\ndata %d\n%s\n", leaf/77, leaf%77, i, len(text), text)
	}
	for _, f := range own {
		content, err := os.Open(filepath.Join(pristine, f.path))
		if err != nil {
			return err
		}
		defer content.Close()
		st, err := content.Stat()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n", f.path, st.Size())
		if _, err := io.Copy(w, content); err != nil {
			return err
		}
		w.WriteByte('\n')
	}
	return w.Flush()
}

// largeRepository is the repository of many files, made once and kept. What turns an
// earlier benchmark left in it is removed.
func (b *bench) largeRepository(own []file, pristine string) (string, error) {
	dir := filepath.Join(b.dir, fmt.Sprintf("large2-%d-%d", b.large, b.bytes))
	done := filepath.Join(dir, ".git", "bench-complete")
	if _, err := os.Stat(done); err != nil {
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
		if err := b.repository(dir, b.large, own, pristine); err != nil {
			return "", err
		}
		return dir, os.WriteFile(done, nil, 0o644)
	}
	refs, err := b.ask(dir, "git", "for-each-ref", "--format=%(refname)", "refs/chordgit")
	if err != nil {
		return "", err
	}
	for name := range strings.FieldsSeq(refs) {
		if err := b.tool(dir, "git", "update-ref", "-d", name); err != nil {
			return "", err
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git", "chordgit")); err != nil {
		return "", err
	}
	return dir, b.tool(dir, "git", "prune", "--expire=now")
}
