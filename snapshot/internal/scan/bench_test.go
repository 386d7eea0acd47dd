//go:build unix

package scan

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// large is a tree of 100,000 small files in 5,883 directories, kept in the
// directory that CHORDGIT_BENCH_TREE names, if it is set.
func large(b *testing.B) string {
	top := os.Getenv("CHORDGIT_BENCH_TREE")
	if top == "" {
		top = b.TempDir()
	} else if _, err := os.Stat(filepath.Join(top, "complete")); err == nil {
		return top
	}
	// 5,883 = 1 top + 42 × (1 + 139) + 2
	files := 0
	for i := range 5882 {
		d := filepath.Join(top, fmt.Sprintf("pkg%02d", i%42), fmt.Sprintf("dir%03d", i/42))
		if i < 42 {
			d = filepath.Dir(d)
		}
		if err := os.MkdirAll(d, 0o755); err != nil {
			b.Fatal(err)
		}
		for n := 17; n > 0 && files < 99_999; n-- {
			if err := os.WriteFile(filepath.Join(d, fmt.Sprintf("source_file_%02d.go", n)), fmt.Appendf(nil, "file %d\n", files), 0o644); err != nil {
				b.Fatal(err)
			}
			files++
		}
	}
	if err := os.WriteFile(filepath.Join(top, "complete"), nil, 0o644); err != nil {
		b.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"}, {"status"}} {
		if err := exec.Command("git", append([]string{"-C", top}, args...)...).Run(); err != nil {
			b.Log("git: ", err)
			break
		}
	}
	return top
}

func BenchmarkLarge(b *testing.B) {
	c := newCapture(b)
	c.top = large(b)
	settle()
	c.run(b)
	r := c.run(b)
	if u := r.untrusted(); len(u) > 0 {
		b.Fatalf("%d files are not trusted", len(u))
	}
	b.Logf("%d entries, %d directories", len(r.Entries), len(r.Dirs))
	open := func() *statcache.Cache {
		var st syscall.Stat_t
		if err := syscall.Stat(c.top, &st); err != nil {
			b.Fatal(err)
		}
		old, err := statcache.Open(c.cache, 20, uint64(st.Dev), st.Ino)
		if err != nil {
			b.Fatal(err)
		}
		return old
	}
	rule := func(h *statcache.Header, local bool) statcache.Rule {
		return statcache.NewRule(h, statcache.Scene{Stamp: h.Stamp, Boot: "b", Local: local, SameFS: true, OwnCtime: true})
	}
	// Beside the time that it took, since other programs may be at work: that of
	// the processors, in milliseconds.
	run := func(name string, f func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			before := cpu()
			f(b)
			b.ReportMetric((cpu()-before)/float64(b.N), "cpu-ms/op")
		})
	}
	run("full", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			scan(b, c.top, &Options{})
		}
	})
	run("warm files", func(b *testing.B) {
		for b.Loop() {
			old := open()
			scan(b, c.top, &Options{Cache: old, Rule: rule(&old.Header, false)})
			old.Close()
		}
	})
	run("warm", func(b *testing.B) { // with the opening of the cache
		b.ReportAllocs()
		for b.Loop() {
			old := open()
			scan(b, c.top, &Options{Cache: old, Rule: rule(&old.Header, true)})
			old.Close()
		}
	})
	run("cache read", func(b *testing.B) {
		for b.Loop() {
			open().Close()
		}
	})
	run("cache write", func(b *testing.B) {
		old := open()
		defer old.Close()
		name, h := filepath.Join(b.TempDir(), "cache"), old.Header
		for b.Loop() {
			if err := statcache.Write(name, &h, &r.Tree, old.ID); err != nil {
				b.Fatal(err)
			}
		}
	})
	run("git status", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("git", "-C", c.top, "status", "--porcelain").Run(); err != nil {
				b.Skip(err)
			}
		}
	})
}

// cpu is the processor time used by the process and the children it waited for.
func cpu() float64 {
	sum := int64(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			sum += u.Utime.Nano() + u.Stime.Nano()
		}
	}
	return float64(sum) / 1e6
}

// BenchmarkAgainstGit takes turns with git, so that both meet the same load.
func BenchmarkAgainstGit(b *testing.B) {
	c := newCapture(b)
	c.top = large(b)
	settle()
	c.run(b)
	c.run(b)
	var ours, theirs []time.Duration
	for b.Loop() {
		start := time.Now()
		c.run(b) // with the stamp, and the cache read and written
		ours = append(ours, time.Since(start))
		start = time.Now()
		if err := exec.Command("git", "-C", c.top, "status", "--porcelain").Run(); err != nil {
			b.Skip(err)
		}
		theirs = append(theirs, time.Since(start))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	b.ReportMetric(float64(ours[len(ours)/2])/float64(theirs[len(theirs)/2]), "of-git-status")
	b.ReportMetric(float64(ours[0])/float64(theirs[0]), "of-git-status-best")
}
