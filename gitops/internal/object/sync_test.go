package object

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestSyncs: each object of its own, a pack and its index are on the disk before
// they get their names; where that fails, none gets one.
func TestSyncs(t *testing.T) {
	defer func() { fsync = (*os.File).Sync }()
	for _, c := range []struct{ objects, syncs int }{{20, 20}, {60, 2}} {
		for fail := range c.syncs + 1 { // 0: none
			r, db := setupAs(t, SHA1)
			var n atomic.Int32
			fsync = func(f *os.File) error {
				if n.Add(1) == int32(fail) {
					return syscall.EIO
				}
				return f.Sync()
			}
			b := db.NewBatch()
			for i := range c.objects {
				must(b.Blob(fmt.Append(nil, i)))
			}
			err := b.Flush()
			if fail == 0 && (err != nil || int(n.Load()) != c.syncs) || fail > 0 && !errors.Is(err, syscall.EIO) {
				t.Errorf("%d objects, sync %d fails: %v after %d", c.objects, fail, err, n.Load())
			}
			if fail > 0 {
				checkStore(t, r, 0, 0)
			}
			b.Close()
		}
	}
}
