package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A disk is a small file system that is full when the test says so.
type disk struct {
	victim
	names bool // what runs out is names for files, not room in them
}

// onDisk copies a prepared repository to a file system of its own.
func onDisk(t *testing.T, from string, names bool) disk {
	t.Helper()
	mount := t.TempDir()
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(mount, unix.MNT_DETACH) })
	dir := filepath.Join(mount, "work")
	if out, err := exec.Command("cp", "-a", from, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return disk{victim{workspace: workspace{t, dir}}, names}
}

// left leaves room for n pages, or names, and plenty if n is negative.
func (d disk) left(n int) {
	d.t.Helper()
	mount := filepath.Dir(d.dir)
	var s unix.Statfs_t
	if err := unix.Statfs(mount, &s); err != nil {
		d.t.Fatal(err)
	}
	blocks, names := uint64(4096), uint64(0) // 0: no limit
	if d.names {
		names = 4096
	}
	switch {
	case n >= 0 && d.names:
		names = s.Files - s.Ffree + uint64(n)
	case n >= 0:
		blocks = s.Blocks - s.Bfree + uint64(n)
	}
	opt := fmt.Sprintf("size=%d,nr_inodes=%d", blocks*uint64(s.Bsize), names)
	if err := unix.Mount("tmpfs", mount, "tmpfs", unix.MS_REMOUNT, opt); err != nil {
		d.t.Fatalf("%s: %v", opt, err)
	}
}

// temporaries are files of ours that nobody will ever use.
func (d disk) temporaries() (names []string) {
	d.t.Helper()
	filepath.WalkDir(d.dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		refLock := strings.HasSuffix(name, ".lock") && strings.Contains(p, "/refs/")
		if strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, ".chordgit-") || strings.HasSuffix(name, ".tmp") || refLock {
			names = append(names, p)
		}
		return nil
	})
	return names
}

// A stint is a command that runs out of room.
type stint struct {
	name     string
	args     []string
	stdin    string
	template string
	status   int               // of a refusal
	files    map[string]string // of the worktree, whether it is refused or not
	then     func(disk, string)
	least    int // so many refusals
}

// TestFullDisk runs commands with room for nothing, one page, two pages … and
// with so many names. What cannot be recorded is refused with what could not be
// written, leaves nothing behind, changes no file, and goes well once there is
// room.
func TestFullDisk(t *testing.T) {
	fresh := clone(t, prepare(t, false))
	killed{fresh, ""}.write("drafts", "not tracked\n")
	files := fresh.files()
	begun := clone(t, fresh.dir)
	begun.run(nil, "", "begin", "--session", "s")
	killed{begun, ""}.write("update", "changed\n")
	killed{begun, ""}.write("made", "in the turn\n")
	changed := begun.files()
	ended := clone(t, begun.dir)
	ended.run(nil, "", "end", "--session", "s")
	// More than 48 new objects go into a pack.
	many := clone(t, fresh.dir)
	for i := range 60 {
		killed{many, ""}.write(fmt.Sprint("new", i), fmt.Sprint(i, "\n"))
	}
	for _, s := range []stint{
		{"begin", []string{"begin", "--session", "s"}, "", fresh.dir, 1, files, disk.thenWhole, 8},
		{"begin of many", []string{"begin", "--session", "s"}, "", many.dir, 1, many.files(), disk.thenWhole, 5},
		{"end", []string{"end", "--session", "s"}, "", begun.dir, 1, changed, disk.thenEnded, 8},
		{"begin again", []string{"begin", "--session", "s"}, "", begun.dir, 1, changed, disk.thenAgain, 8},
		{"end by hook", []string{"hook", "claude"}, `{"session_id":"s","cwd":".","hook_event_name":"Stop"}`, begun.dir, 0, changed, disk.thenAgain, 8},
		{"init", []string{"init"}, "", many.dir, 1, many.files(), disk.thenWhole, 3},
		{"run", []string{"run", "--", "sh", "-c", "rm delete; echo more >>keep"}, "", fresh.dir, 125, files, disk.thenRan, 8},
		{"rewind", []string{"rewind", "1"}, "", ended.dir, 1, changed, disk.thenRewound, 5},
		{"hook", []string{"hook", "claude"}, `{"session_id":"s","cwd":".","hook_event_name":"UserPromptSubmit","prompt":"p"}`, fresh.dir, 0, files, disk.thenWhole, 8},
	} {
		for _, names := range []bool{false, true} {
			of := "pages"
			if names {
				of = "names"
			}
			t.Run(s.name+" "+of, func(t *testing.T) {
				t.Parallel()
				step := 2
				if os.Getenv("CHORDGIT_LONG") != "" {
					step = 1
				}
				refused, last, said := 0, 0, ""
				for n := 0; n <= last+3; n += step {
					if onDisk(t, s.template, names).short(s, n, &said) {
						refused++
						last = n
					}
					if t.Failed() {
						t.FailNow()
					}
				}
				if refused*step < s.least {
					t.Errorf("refused %d times only", refused)
				}
				t.Logf("%d refusals, the last: %s", refused, said)
			})
		}
	}
}

// short runs the command with room for n, and reports whether it was refused.
func (d disk) short(s stint, n int, said *string) bool {
	d.t.Helper()
	_, open := d.refs()
	d.left(n)
	code, out := d.try(s.stdin, s.args...)
	d.left(-1)
	at := fmt.Sprintf("room for %d: %s", n, out)
	refused := code != 0 || strings.Contains(out, "cannot be taken back") || strings.Contains(out, "was not recorded")
	if refused {
		*said = out
		if code != s.status || !strings.Contains(out, "no space left on device") || !strings.Contains(out, d.dir) {
			d.t.Errorf("status %d, %s", code, at)
		}
		files := d.files()
		_, there := files["delete"]
		ran := s.name == "run" && !there
		if ran {
			files["delete"], files["keep"] = s.files["delete"], s.files["keep"]
		}
		if !maps.Equal(files, s.files) {
			d.t.Errorf("the files are %q after %s", files, at)
		}
		if left := d.temporaries(); len(left) > 0 {
			d.t.Errorf("%q is left after %s", left, at)
		}
		closed, now := d.refs()
		if len(now) > len(open) && !ran && !strings.Contains(out, "cannot be given up") && !strings.Contains(out, "cannot be removed") {
			d.t.Errorf("open is %v, was %v, after %s", now, open, at)
		}
		for _, mark := range open {
			if !slices.Contains(now, mark) && !slices.Contains(closed, path.Base(mark)) {
				d.t.Errorf("%s is lost after %s", mark, at)
			}
		}
	}
	s.then(d, at)
	return refused
}

func (d disk) thenWhole(at string) {
	d.t.Helper()
	killed{d.victim, at}.whole()
}

// thenRan goes on after a run: its command was started if and only if there is a
// turn, from which it can be taken back.
func (d disk) thenRan(at string) {
	d.t.Helper()
	_, there := d.files()["delete"]
	ran := !there
	d.run(nil, "", "begin") // which closes what a dead run left
	d.run(nil, "", "end")
	closed, open := d.refs()
	if ran != (len(closed) == 1) || len(open) > 0 {
		d.t.Fatalf("ran: %v, closed %v, open %v, after %s", ran, closed, open, at)
	}
	if !ran {
		return
	}
	d.run(nil, "", "rewind", closed[0])
	if files := d.files(); files["delete"] == "" || files["keep"] != fiveBefore["keep"] {
		d.t.Errorf("the rewind gives %q, after %s", files, at)
	}
}

// thenAgain goes on after a begin that had to close another turn first: what that
// one did can be taken back.
func (d disk) thenAgain(at string) {
	d.t.Helper()
	d.run(nil, "", "begin", "--session", "s")
	d.run(nil, "", "end", "--session", "s")
	closed, open := d.refs()
	if len(open) > 0 || !slices.Contains(closed, "1") {
		d.t.Fatalf("closed %v, open %v, after %s", closed, open, at)
	}
	d.run(nil, "", "rewind", "1", "--owner", "self,ambiguous,outside") // closed late
	if files := d.files(); files["update"] != fiveBefore["update"] || files["made"] != "" {
		d.t.Errorf("the rewind gives %q, after %s", files, at)
	}
}

func (d disk) thenEnded(at string) {
	d.t.Helper()
	killed{d.victim, at}.ended()
	if _, err := os.Lstat(filepath.Join(d.dir, "made")); err == nil {
		d.t.Errorf("the rewind left what the turn made, after %s", at)
	}
}

func (d disk) thenRewound(at string) {
	d.t.Helper()
	closed, _ := d.refs()
	if len(closed) < 2 {
		d.run(nil, "", "rewind", "1")
	}
	files := d.files()
	if files["update"] != fiveBefore["update"] || files["made"] != "" || files["drafts"] == "" {
		d.t.Errorf("the rewind gives %q, after %s", files, at)
	}
}
