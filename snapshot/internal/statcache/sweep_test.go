package statcache

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{
		".stamp-1.tmp": 2 * time.Hour, ".cache-2.tmp": 2 * time.Hour, ".stamp-3.tmp": time.Minute, ".cache-4.tmp": 59 * time.Minute,
		"cache": 2 * time.Hour, ".other-5.tmp": 2 * time.Hour, ".stamp-6": 2 * time.Hour, ".stamp-7.tmp": -time.Hour,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".stamp-dir.tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	Sweep(dir, now.UnixNano())
	Sweep(filepath.Join(dir, "absent"), now.UnixNano())
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{".cache-4.tmp", ".other-5.tmp", ".stamp-3.tmp", ".stamp-6", ".stamp-7.tmp", ".stamp-dir.tmp", "cache"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}
