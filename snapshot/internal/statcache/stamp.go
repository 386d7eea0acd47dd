package statcache

import (
	"os"
	"time"
)

// A Mark is the time of a file system, as a new file in it shows it.
type Mark struct {
	Time int64  // its mtime, nanoseconds
	Dev  uint64 // 0 where devices have no number
	// OwnCtime: the file's ctime did not follow when its mtime was set back, so
	// that it is the kernel's own. False where that was not put to the test.
	OwnCtime bool
}

// Stamp takes the time in a directory, by making a file there and removing it.
// A scan does so before its first lstat and at its end; the older counts, see
// [Older]. The test of ctime costs one more call and is for file systems that
// are not [Local].
func Stamp(dir string, test bool) (m Mark, err error) {
	f, err := os.CreateTemp(dir, ".stamp-*.tmp")
	if err != nil {
		return Mark{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	// A write, so that the server's clock sets the time where there is one.
	if _, err := f.Write([]byte{'\n'}); err != nil {
		return Mark{}, err
	}
	fi, err := f.Stat()
	if err != nil {
		return Mark{}, err
	}
	mtime, ctime, dev := statTimes(fi)
	m = Mark{Time: mtime, Dev: dev}
	if !test || ctime == 0 {
		return m, nil
	}
	back := time.Unix(0, mtime).Add(-24 * time.Hour)
	if err := os.Chtimes(f.Name(), back, back); err != nil {
		return m, nil
	}
	if fi, err = f.Stat(); err != nil {
		return m, nil
	}
	after, ctime2, _ := statTimes(fi)
	m.OwnCtime = after < mtime && ctime2 >= ctime
	return m, nil
}
