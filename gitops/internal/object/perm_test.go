//go:build unix

package object

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/durable"
	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

// New files and directories have the bits that git would give them.
func TestSharedRepository(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	for shared, perm := range map[string]durable.Perm{
		"umask": {}, "group": {Shared: 0o660}, "all": {Shared: 0o664}, "0640": {Shared: 0o640, Exact: true},
	} {
		r := gittest.New(t, "--shared="+shared)
		objects := filepath.Join(r.GitDir(), "objects")
		theirs := loosePath(objects, id(t, r.GitIn("git's", "hash-object", "-w", "--stdin")))
		b := open(t, r, Options{Perm: perm}).NewBatch()
		ours := loosePath(objects, must(b.Blob([]byte("ours"))))
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		b.Close()
		for range 2 {
			got, want := must(os.Stat(ours)).Mode(), must(os.Stat(theirs)).Mode()
			if got != want {
				t.Errorf("%s: %s has %v, git's %v", shared, ours, got, want)
			}
			ours, theirs = filepath.Dir(ours), filepath.Dir(theirs)
		}
	}
}

func TestRootLeavesFilesToTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root")
	}
	r := gittest.New(t)
	if err := os.Chown(r.GitDir(), 1234, 4321); err != nil {
		t.Skip(err)
	}
	b := open(t, r, Options{Perm: durable.PermOf(r.GitDir(), 0, false)}).NewBatch()
	defer b.Close()
	name := loosePath(filepath.Join(r.GitDir(), "objects"), must(b.Blob([]byte("x"))))
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{name, filepath.Dir(name)} {
		if st := must(os.Stat(f)).Sys().(*syscall.Stat_t); st.Uid != 1234 || st.Gid != 4321 {
			t.Errorf("%s belongs to %d:%d", f, st.Uid, st.Gid)
		}
	}
}
