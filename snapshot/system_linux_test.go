package snapshot

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/chordgit/chordgit/edit"
)

// asNobody lets the rest of the test touch files as a user without rights.
func asNobody(t *testing.T, top string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	filepath.WalkDir(top, func(p string, _ fs.DirEntry, err error) error { return errors.Join(err, os.Lchown(p, nobody, nobody)) })
	os.Chmod(filepath.Dir(top), 0o755)
	runtime.LockOSThread()
	unix.SetfsgidRetGid(nobody)
	unix.SetfsuidRetUid(nobody)
	t.Cleanup(func() {
		unix.SetfsuidRetUid(0)
		unix.SetfsgidRetGid(0)
		runtime.UnlockOSThread()
	})
}

// A full disk shows before the first file changes.
func TestDiskFull(t *testing.T) {
	top := t.TempDir()
	if err := unix.Mount("tmpfs", top, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	defer unix.Unmount(top, unix.MNT_DETACH)
	m := memory{}
	lay(t, top, everything)
	before := tree(t, top)
	x := m.everything()
	x.after["zz/last"] = m.file(strings.Repeat("too much", 1<<16), 0o644)
	_, err := apply(t, top, Options{}, m, x)
	if !errors.Is(err, &edit.Error{Code: edit.CommitFailed, Path: "zz/last"}) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	sameTree(t, "full", tree(t, top), before)
}

// A directory that may not be written to refuses the whole plan.
func TestReadOnlyDirectory(t *testing.T) {
	m, top := memory{}, t.TempDir()
	lay(t, top, map[string]string{"a": "1", "d/f": "old", "e/g": "goes"})
	asNobody(t, top)
	os.Chmod(filepath.Join(top, "e"), 0o555)
	before := tree(t, top)
	_, err := apply(t, top, Options{}, m, wish{after: map[string]*edit.File{"a": m.file("2", 0o644), "d/f": m.file("new", 0o644), "e/g": nil}})
	if !errors.Is(err, &edit.Error{Code: edit.CommitFailed, Path: "e/g"}) || !errors.Is(err, syscall.EACCES) {
		t.Fatal(err)
	}
	sameTree(t, "read-only", tree(t, top), before)
}

// A rollback that cannot finish says how each path stands and loses nothing;
// recovery finishes it when it can.
func TestRollbackFails(t *testing.T) {
	modes(t, func(t *testing.T, opt Options) {
		m, top := memory{}, t.TempDir()
		lay(t, top, map[string]string{"d/a": "1", "d/b": "1", "d/gone": "1", "e/c": "1"})
		asNobody(t, top)
		opt.Store = m
		opt.Step = func(step string) {
			switch step {
			case "exchange:4":
				os.WriteFile(filepath.Join(top, "e/c"), []byte("theirs"), 0o644)
			case "rollback":
				os.Chmod(filepath.Join(top, "d"), 0o555)
			}
		}
		w := open(t, top, opt)
		plan := m.plan(t, w, wish{after: map[string]*edit.File{
			"d/a": m.file("2", 0o644), "d/b": m.file("2", 0o644), "d/new": m.file("2", 0o644), "d/gone": nil, "e/c": m.file("2", 0o644),
		}})
		_, err := w.Apply(t.Context(), 7, plan, nil)
		for _, p := range []string{"d/a", "d/b", "d/new"} {
			if !errors.Is(err, &edit.Error{Code: edit.RollbackFailed, Path: p}) {
				t.Errorf("%s is not told of: %v", p, err)
			}
		}
		if !errors.Is(err, &edit.Error{Code: edit.Stale, Path: "e/c"}) {
			t.Errorf("the cause is not told: %v", err)
		}
		os.Chmod(filepath.Join(top, "d"), 0o755)
		opt.Step = nil
		r, err := open(t, top, opt).Recover(7, recorded(plan), true)
		if err != nil || r.Outcome != RolledBack {
			t.Fatal(err, r)
		}
		sameTree(t, "recovered", tree(t, top), map[string]string{
			"d": "d", "d/a": "0644 1", "d/b": "0644 1", "d/gone": "0644 1", "e": "d", "e/c": "0644 theirs",
		})
	})
}

// acl is an access control list in the kernel's form that gives one user more.
func acl() []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range [][3]uint32{{1, 6, ^uint32(0)}, {2, 6, 1234}, {4, 4, ^uint32(0)}, {0x10, 6, ^uint32(0)}, {0x20, 4, ^uint32(0)}} {
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(b, e[2])
	}
	return b
}

func attributesOf(p string) string {
	var b [1024]byte
	n, _ := unix.Listxattr(p, b[:])
	return strings.ReplaceAll(string(b[:max(n, 0)]), "\x00", " ")
}

// Owner, permissions, attributes and ACL stay with a file; setuid goes with
// its content; what a directory gives to new files is not given to old ones.
func TestAttributes(t *testing.T) {
	m, top := memory{}, t.TempDir()
	lay(t, top, map[string]string{"plain": "1", "tagged": "1", "listed": "1", "suid": "1", "from": "1"})
	at := func(p string) string { return filepath.Join(top, p) }
	if err := unix.Setxattr(at("tagged"), "user.tag", []byte("v"), 0); err != nil {
		t.Skipf("no extended attributes here: %v", err)
	}
	unix.Setxattr(at("from"), "user.tag", []byte("v"), 0)
	if err := errors.Join(
		unix.Setxattr(at("listed"), "system.posix_acl_access", acl(), 0),
		unix.Setxattr(top, "system.posix_acl_default", acl(), 0),
	); err != nil {
		t.Skipf("no access control lists here: %v", err)
	}
	if os.Geteuid() == 0 {
		os.Chown(at("plain"), 1234, 4321)
	}
	os.Chmod(at("suid"), 0o755|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky)
	os.Chmod(at("from"), 0o755|fs.ModeSetuid)
	mode := func(p string) fs.FileMode {
		fi, err := os.Lstat(at(p))
		if err != nil {
			t.Fatal(err)
		}
		return fi.Mode()
	}
	res, err := apply(t, top, Options{}, m, wish{
		after: map[string]*edit.File{
			"plain": m.file("2", 0o640), "tagged": m.file("2", 0o644), "listed": m.file("2", mode("listed")),
			"suid": m.file("2", mode("suid")), "from": nil, "to": m.file("1", mode("from")), "new": m.file("n", 0o644),
		},
		moves: map[string]string{"to": "from"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]string{"plain": "", "tagged": "user.tag ", "listed": "system.posix_acl_access ", "to": "user.tag ", "new": "system.posix_acl_access "} {
		if got := attributesOf(at(p)); got != want {
			t.Errorf("%s has %q, want %q", p, got, want)
		}
	}
	if got := modeBits(mode("suid")); got != 0o1755 {
		t.Errorf("suid: %04o", got)
	}
	if got := modeBits(mode("to")); got != 0o4755 {
		t.Errorf("moved: %04o", got)
	}
	if len(res.Notes) != 1 || res.Notes[0].Path != "suid" {
		t.Errorf("notes: %+v", res.Notes)
	}
	if fi, _ := os.Lstat(at("plain")); os.Geteuid() == 0 {
		if uid, gid, _ := owner(fi); uid != 1234 || gid != 4321 {
			t.Errorf("owner %d:%d", uid, gid)
		}
	}
}

// What root makes belongs to the owner of its directory.
func TestRootGivesToOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("for root only")
	}
	m, top := memory{}, t.TempDir()
	os.Chown(top, 1234, 4321)
	if _, err := apply(t, top, Options{}, m, wish{after: map[string]*edit.File{"n": m.file("1", 0o644), "d/e/n": m.file("1", 0o644), "l": m.file("-> n", 0)}}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"n", "l", "d", "d/e", "d/e/n"} {
		fi, err := os.Lstat(filepath.Join(top, p))
		if err != nil {
			t.Fatal(err)
		}
		if uid, gid, _ := owner(fi); uid != 1234 || gid != 4321 {
			t.Errorf("%s: owner %d:%d", p, uid, gid)
		}
	}
}

// All permission bits can be given, and are what Check compares.
func TestModes(t *testing.T) {
	m, top := memory{}, t.TempDir()
	lay(t, top, map[string]string{"f": "same"})
	for _, mode := range []fs.FileMode{0o600, 0o755, 0o755 | fs.ModeSetuid, 0o2755&0o777 | fs.ModeSetgid, 0o644 | fs.ModeSticky, 0o444} {
		if _, err := apply(t, top, Options{}, m, wish{after: map[string]*edit.File{"f": m.file("same", mode)}}); err != nil {
			t.Fatal(err)
		}
		if fi, _ := os.Lstat(filepath.Join(top, "f")); fi.Mode() != mode {
			t.Errorf("%v instead of %v", fi.Mode(), mode)
		}
	}
}

// A FIFO in the place of a file gives way; nobody waits for its other end.
func TestFIFO(t *testing.T) {
	m, top := memory{}, t.TempDir()
	if err := unix.Mkfifo(filepath.Join(top, "f"), 0o644); err != nil {
		t.Skip(err)
	}
	if _, err := apply(t, top, Options{}, m, wish{after: map[string]*edit.File{"f": m.file("1", 0o644)}}); err != nil {
		t.Fatal(err)
	}
	sameTree(t, "replaced", tree(t, top), map[string]string{"f": "0644 1"})
}
