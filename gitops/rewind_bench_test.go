//go:build linux

package gitops

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

// BenchmarkRewind takes back a turn that changed 10,000 files of 20 KB, as it
// left them and with an edit in each since. Peak-MB is the most that the process
// held in memory, mapped files aside.
func BenchmarkRewind(b *testing.B) {
	const files = 10_000
	text := func(i int, first, last string) []byte {
		return fmt.Appendf(nil, "%s\n%s%s\n", first, bytes.Repeat(fmt.Appendf(nil, "line of file %06d\n", i), 1000), last)
	}
	for _, merge := range []bool{false, true} {
		b.Run(map[bool]string{false: "restore", true: "merge"}[merge], func(b *testing.B) {
			g := gittest.New(b)
			all := func(first, last string) {
				for i := range files {
					name := filepath.Join(g.Dir, fmt.Sprint("d", i/100), fmt.Sprint("f", i))
					if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
						b.Fatal(err)
					}
					if err := os.WriteFile(name, text(i, first, last), 0o644); err != nil {
						b.Fatal(err)
					}
				}
			}
			r, err := Open(g.Dir, Options{NoSync: true})
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			all("before", "end")
			if _, err := r.Begin(b.Context(), Turn{}); err != nil {
				b.Fatal(err)
			}
			all("after", "end")
			t, err := r.End(b.Context(), "", EndOptions{})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				b.StopTimer()
				if merge {
					all("after", "mine")
				} else {
					all("after", "end")
				}
				debug.FreeOSMemory()
				if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
					b.Skip(err)
				}
				b.StartTimer()
				res, err := r.Rewind(b.Context(), t.N, RewindOptions{})
				if err != nil || len(res.Plan.Changes) != files {
					b.Fatalf("%v: %+v", err, res)
				}
				b.StopTimer()
				b.ReportMetric(peak(b), "peak-MB")
				runtime.KeepAlive(res)
				b.StartTimer()
			}
		})
	}
}

// peak is the most memory that the process has had resident since its record
// was cleared, in MB.
func peak(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kb float64
	if _, err := fmt.Sscan(string(bytes.TrimSpace(rest[:min(len(rest), 30)])), &kb); err != nil {
		b.Fatal(err)
	}
	return kb / 1024
}
