//go:build unix

package snapshot

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

// TestSyncs: every staged file is on the disk before the first name is exchanged,
// and every directory with a new name before the turn is closed. Where the disk
// fails in any of these, nothing is applied.
func TestSyncs(t *testing.T) {
	defer func() { fsync = (*os.File).Sync }()
	const n = 20 // more than are synced at once
	m := memory{}
	files, x := map[string]string{}, wish{after: map[string]*edit.File{}}
	for i := range n {
		p := fmt.Sprintf("d%d/f", i)
		files[p] = "old"
		x.after[p] = m.file("new", 0o644)
	}
	for _, fail := range []int{0, 1, n / 2, n, n + 1, n + n/2, 2 * n} { // 0: none
		top := t.TempDir()
		lay(t, top, files)
		before := tree(t, top)
		var mu sync.Mutex
		staged, dirs := 0, 0
		fsync = func(f *os.File) error {
			mu.Lock()
			defer mu.Unlock()
			if fi, err := f.Stat(); err != nil {
				return err
			} else if fi.IsDir() {
				dirs++
			} else {
				staged++
			}
			if staged+dirs == fail {
				return syscall.EIO
			}
			return f.Sync()
		}
		w := open(t, top, Options{Store: m, Step: func(name string) {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasPrefix(name, "exchange:") && staged != n {
				t.Errorf("%s with %d of %d files synced", name, staged, n)
			}
			if name == "finish" && dirs != n {
				t.Errorf("closed with %d of %d directories synced", dirs, n)
			}
		}})
		_, err := w.Apply(t.Context(), 7, m.plan(t, w, x), nil)
		if fail == 0 && err != nil || fail > 0 && !errors.Is(err, syscall.EIO) {
			t.Errorf("sync %d fails: %v", fail, err)
		}
		if fail > 0 {
			sameTree(t, fmt.Sprintf("sync %d failed", fail), tree(t, top), before)
		}
	}
}
