//go:build unix

package gitops

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// writers each change a file to a text of the same length, in the ways of
// editors and tools.
var writers = map[string]func(name, text string) error{
	"in place": func(name, text string) error { return os.WriteFile(name, []byte(text), 0o644) },
	"in place, one byte at a time": func(name, text string) error {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		for i := range text {
			if _, err := f.WriteAt([]byte{text[i]}, int64(i)); err != nil {
				return err
			}
		}
		return nil
	},
	"by rename": func(name, text string) error {
		temp := name + ".new"
		if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
			return err
		}
		return os.Rename(temp, name)
	},
	"mtime put back": func(name, text string) error {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
		return os.Chtimes(name, time.Time{}, info.ModTime())
	},
	"by rename, mtime put back": func(name, text string) error {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		temp := name + ".new"
		if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
			return err
		}
		if err := os.Chtimes(temp, time.Time{}, info.ModTime()); err != nil {
			return err
		}
		return os.Rename(temp, name)
	},
}

// TestCaptureRace changes files all the time while captures run. When the
// writers rest, between two captures, the next one has what is on the disk.
// CHORDGIT_LONG goes on for a minute.
func TestCaptureRace(t *testing.T) {
	g := gittest.New(t)
	for kind := range writers {
		for i := range 4 {
			g.Write(fmt.Sprintf("%s/f%d", kind, i), text(0))
		}
	}
	for i := range 60 { // something else to look at
		g.Write(fmt.Sprintf("rest/%d", i), "x\n")
	}
	g.Commit()
	r := reopen(t, g, Options{NoSync: true})
	end := time.Now().Add(2 * time.Second)
	if os.Getenv("CHORDGIT_LONG") != "" {
		end = end.Add(time.Minute)
	}
	rounds, writes, trusted := 0, 0, 0
	for n := 1; time.Now().Before(end) && !t.Failed(); rounds++ {
		first, stop := n, make(chan struct{})
		counts := make([]int, 0, len(writers))
		var wg sync.WaitGroup
		var mu sync.Mutex
		for kind, write := range writers {
			wg.Go(func() {
				for k := first; ; k++ {
					select {
					case <-stop:
						mu.Lock()
						counts = append(counts, k)
						mu.Unlock()
						return
					default:
					}
					if err := write(filepath.Join(g.Dir, kind, fmt.Sprint("f", k%4)), text(k)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 2 { // beside the writers
			lookAt(t, r)
		}
		close(stop)
		wg.Wait() // the last writes come right after a capture
		for _, k := range counts {
			writes += k - first
			n = max(n, k)
		}
		files, read := lookAt(t, r)
		trusted += len(files) - read
		for kind := range writers {
			for i := range 4 {
				p := fmt.Sprintf("%s/f%d", kind, i)
				data, err := os.ReadFile(filepath.Join(g.Dir, p))
				if err != nil {
					t.Fatal(err)
				}
				if want := r.db.Format().Hash(object.Blob, data); files[p].ID != want {
					t.Errorf("round %d: %s is stored as %v, and holds %q", rounds, p, files[p].ID, data)
				}
			}
		}
	}
	t.Logf("%d rounds, %d writes, %d files were believed", rounds, writes, trusted)
	if rounds == 0 || writes == 0 || trusted == 0 {
		t.Error("nothing was tried")
	}
}

// text is one of many texts of the same length.
func text(n int) string { return fmt.Sprintf("text %06d\n", n%1_000_000) }

func lookAt(t *testing.T, r *Repo) (files map[string]object.Entry, read int) {
	t.Helper()
	c, err := r.capture(t.Context(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.batch.Flush(); err != nil {
		t.Fatal(err)
	}
	r.save(c, "", object.ID{})
	files = map[string]object.Entry{}
	if err := object.WalkFiles(c.batch, c.tree, func(p string, e object.Entry) { files[p] = e }); err != nil {
		t.Fatal(err)
	}
	return files, c.Read
}
