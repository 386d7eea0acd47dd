package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// large is a number of files or turns: few by default, as many as are promised
// with CHORDGIT_LONG.
func large(few, many int) int {
	if os.Getenv("CHORDGIT_LONG") != "" {
		return many
	}
	return few
}

// crowd makes n files in directories of a thousand, or in one.
func (v victim) crowd(dir string, n int, flat bool) {
	v.t.Helper()
	for i := range n {
		name := filepath.Join(v.dir, dir)
		if !flat {
			name = filepath.Join(name, fmt.Sprint(i/1000))
		}
		if i == 0 || !flat && i%1000 == 0 {
			if err := os.MkdirAll(name, 0o755); err != nil {
				v.t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(name, fmt.Sprint("f", i)), fmt.Appendf(nil, "file %d\n", i), 0o644); err != nil {
			v.t.Fatal(err)
		}
	}
}

// told runs a command that answers in JSON.
func (v victim) told(into any, args ...string) {
	v.t.Helper()
	code, out := v.try("", append([]string{"--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), into); err != nil || code != 0 {
		v.t.Fatalf("chordgit %v: status %d, %v: %.2000s", args, code, err, out)
	}
}

// stored is the size of the object directory in bytes.
func (v victim) stored() (n int64) {
	v.t.Helper()
	err := filepath.WalkDir(filepath.Join(v.dir, ".git", "objects"), func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return n
}

// Turns beside much build output that nothing ignores store what changed and no
// more; over the limit the oldest go, or a warning says so.
func TestLargeOutput(t *testing.T) {
	t.Parallel()
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"a": "a\n"}))}
	config := filepath.Join(t.TempDir(), "chordgit")
	v.env = []string{"XDG_CONFIG_HOME=" + filepath.Dir(config)}
	setting := func(text string) {
		if err := os.MkdirAll(config, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(config, "config.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	block := make([]byte, 1<<20) // bytes that do not compress
	random, err := os.Open("/dev/urandom")
	if err != nil {
		t.Fatal(err)
	}
	defer random.Close()
	mebibytes := large(8, 1000) // under snapshot.max_new
	if err := os.Mkdir(filepath.Join(v.dir, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range mebibytes {
		if _, err := random.Read(block); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(v.dir, "build", fmt.Sprint(i)), block, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v.run(nil, "", "init")
	first := v.stored()
	if first < int64(mebibytes)<<20 {
		t.Fatalf("%d bytes are stored of %d MiB", first, mebibytes)
	}
	turns := large(6, 50)
	for i := range turns {
		v.run(nil, "", "begin")
		killed{v, ""}.write("a", fmt.Sprint(i, "\n"))
		if err := os.WriteFile(filepath.Join(v.dir, "build", "0"), fmt.Appendf(nil, "%d", i), 0o644); err != nil {
			t.Fatal(err)
		}
		v.run(nil, "", "end")
	}
	// Each turn stores the changed files and the directory's tree, of 31 bytes an entry.
	if grown, most := v.stored()-first, int64(turns)*int64(8<<10+31*mebibytes); grown > most {
		t.Errorf("%d turns made the store %d bytes larger, over %d", turns, grown, most)
	}
	turn := func() string {
		v.run(nil, "", "begin")
		killed{v, ""}.write("a", fmt.Sprint(time.Now().UnixNano(), "\n"))
		out, _ := v.run(nil, "", "end")
		return out
	}
	for i := 1; i < turns; i++ {
		if err := age(v.dir, fmt.Sprint(i), 48); err != nil {
			t.Fatal(err)
		}
	}
	setting("store:\n  max_size: 1KiB\n  auto_prune: false\n")
	if out := turn(); !strings.Contains(out, "prune") {
		t.Errorf("no warning of the limit: %s", out)
	}
	if closed, _ := v.refs(); len(closed) != turns+1 {
		t.Errorf("turns went without being told to: %v", closed)
	}
	setting("store:\n  max_size: 1KiB\n")
	out := turn()
	if closed, _ := v.refs(); slices.Contains(closed, "1") || len(closed) < 3 { // those younger than a day stay
		t.Errorf("left are %v: %s", closed, out)
	}
}

// A first begin that cannot see everything in time says so at its deadline, and what
// it stored makes the next ones quick, until nothing is missing.
func TestLargeDeadline(t *testing.T) {
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"a": "a\n"}))}
	v.crowd("many", large(5000, 500_000), false)
	var found struct{ Read int }
	start := time.Now()
	clone(t, v.dir).told(&found, "init")
	whole := time.Since(start)
	if found.Read < large(5000, 500_000) {
		t.Fatalf("read %d", found.Read)
	}
	begin := func(v victim, try int, deadline time.Duration) (missing int) {
		var said struct{ Notes []struct{ Code string } }
		start := time.Now()
		v.told(&said, "begin", "--session", fmt.Sprint("s", try), "--deadline", deadline.String())
		if took := time.Since(start); took > deadline+2*time.Second+whole/4 {
			t.Errorf("a begin with a deadline of %v took %v", deadline, took)
		}
		for _, n := range said.Notes {
			if n.Code == "not-covered" {
				missing++
			}
		}
		return missing
	}
	from := v.dir
	for deadline := whole / 2; ; deadline /= 2 {
		v = clone(t, from)
		if missing := begin(v, 0, deadline); missing > 0 {
			t.Logf("with a deadline of %v %d paths are not covered", deadline, missing)
			break
		}
		if deadline < time.Millisecond {
			t.Fatal("a begin sees everything in no time")
		}
	}
	if missing := begin(v, 1, 4*whole+10*time.Second); missing > 0 {
		t.Errorf("%d paths are missing from the second begin", missing)
	}
	v.told(&found, "init")
	if found.Read > 100 {
		t.Errorf("%d files are read again", found.Read)
	}
}

// A turn among many untracked files reads what changed and nothing else.
func TestLargeUntracked(t *testing.T) {
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"a": "a\n"}))}
	n := large(4000, 40_000)
	v.crowd("many", n, false)
	var found struct{ Read, Covered int }
	v.told(&found, "init")
	if found.Covered != n+1 {
		t.Fatalf("%+v", found)
	}
	time.Sleep(50 * time.Millisecond)
	v.told(&found, "init") // what was too young to be known by its times
	start := time.Now()
	v.run(nil, "", "begin")
	killed{v, ""}.write("many/0/f0", "changed\n")
	v.run(nil, "", "end")
	if took := time.Since(start); large(0, 1) > 0 && took > time.Second {
		t.Errorf("a turn among %d untracked files took %v", n, took)
	}
	killed{v, ""}.write("many/0/f1", "changed\n")
	if v.told(&found, "init"); found.Read > 10 {
		t.Errorf("%d files were read for one that changed", found.Read)
	}
}

// An ignored directory is not opened, whatever it holds.
func TestLargeIgnored(t *testing.T) {
	v := victim{workspace: newWorkspace(t, toFixtures(map[string]string{"a": "a\n", ".gitignore": "/out/\n"}))}
	v.crowd("out", large(5000, 686_000), true)
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Skip(err)
	}
	defer unix.Close(watch)
	if _, err := unix.InotifyAddWatch(watch, filepath.Join(v.dir, "out"), unix.IN_OPEN|unix.IN_ACCESS); err != nil {
		t.Skip(err)
	}
	events := func() int {
		n, err := unix.Read(watch, make([]byte, 64<<10))
		if err != nil {
			return 0
		}
		return n
	}
	for round := range 2 { // cold, then warm
		v.run(nil, "", "begin")
		killed{v, ""}.write("a", fmt.Sprint(round, "\n"))
		v.run(nil, "", "end")
		v.run(nil, "", "rewind")
		if events() > 0 {
			t.Errorf("round %d: the ignored directory was opened", round)
		}
	}
	if os.ReadDir(filepath.Join(v.dir, "out")); events() == 0 {
		t.Error("the watch sees nothing")
	}
	full := v.least()
	if err := os.Rename(filepath.Join(v.dir, "out"), filepath.Join(filepath.Dir(v.dir), "out")); err != nil {
		t.Fatal(err)
	}
	if none := v.least(); full > none+none/2+50*time.Millisecond {
		t.Errorf("a begin takes %v beside the ignored directory, %v without it", full, none)
	}
}

// least is the shortest time that a begin took of some.
func (v victim) least() time.Duration {
	least := time.Hour
	for i := range 7 {
		start := time.Now()
		v.run(nil, "", "begin", "--session", fmt.Sprint(i))
		least = min(least, time.Since(start))
	}
	return least
}
