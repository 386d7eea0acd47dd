package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// A tree is many generated files of different sizes: small ones are common,
// large ones rare. The same numbers give the same bytes everywhere.
type tree struct {
	files       int
	least, most int // size of a file, in bytes
}

// leafDirs is how many directories 100,000 files lie in; with those above them
// they are 5,883.
const leafDirs = 5807

// path is that of file i, from 0: as long as paths of large projects are, for
// git writes all of them whenever it writes an index.
func (t tree) path(i int) string {
	leaves := max(1, min(leafDirs, t.files/17))
	leaf := i * leaves / t.files
	return fmt.Sprintf("directory%02d/subdirectory%02d/implementation%06d_test.go", leaf/77, leaf%77, i)
}

// text appends the content of file i to buf. Stamp 0 is its first version; all
// others differ from it, and from each other, in the first line.
func (t tree) text(buf []byte, i, stamp int) []byte {
	from := len(buf)
	buf = fmt.Appendf(buf, "file %06d", i)
	if stamp > 0 {
		buf = fmt.Appendf(buf, " %s", mark(stamp))
	}
	buf = append(buf, '\n')
	// The golden ratio spreads the sizes evenly over neighbours; the power makes
	// the mean a third of what is between least and most, and a little less.
	_, u := math.Modf(float64(i) * 0.6180339887498949)
	size := t.least + int(float64(t.most-t.least)*u*u*math.Sqrt(u))
	path := t.path(i)
	for n := 1; len(buf)-from < size; n++ {
		buf = append(buf, line(path, n)...)
		buf = append(buf, '\n')
	}
	return buf
}

// spread are the numbers of so many files at equal distances.
func (t tree) spread(count int) []int {
	list := make([]int, count)
	for k := range list {
		list[k] = k * t.files / count
	}
	return list
}

// write gives files below dir the version of a stamp, in place where they exist.
func (t tree) write(dir string, numbers []int, stamp int) error {
	var buf []byte
	for _, i := range numbers {
		name := filepath.Join(dir, t.path(i))
		buf = t.text(buf[:0], i, stamp)
		err := os.WriteFile(name, buf, 0o644)
		if os.IsNotExist(err) {
			if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
				err = os.WriteFile(name, buf, 0o644)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// objects makes so many files below dir, as a build leaves them.
func objects(dir string, count, size int) error {
	const each = 500
	text := make([]byte, size)
	for i := range count {
		name := filepath.Join(dir, fmt.Sprintf("d%03d", i/each), fmt.Sprintf("%d.o", i))
		if i%each == 0 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
