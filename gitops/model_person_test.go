//go:build unix

package gitops

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A person changes a worktree in any way that a shell can. Every text is
// unlike all others, so that a lost one is missed.
type person struct {
	*rand.Rand
	dir  string
	tell func(format string, args ...any)
	made int // texts so far
}

// modelNames collide often: a path is a file here and a directory there.
var modelNames = []string{"a", "b", "c", "d", "d/x", "d/y", "d/e", "d/e/z", "caf\xe9", "sp ace/q", "x.log", "d/k.dat", "build/o", "build/p/q", "sub/.gitignore", "sub/n.dat", "sub/m", "l", "a/in", "new/deep/er"}

func (u *person) name() string { return modelNames[u.IntN(len(modelNames))] }

// text is a new one: of lines, with a zero byte, or empty.
func (u *person) text() string {
	u.made++
	switch u.IntN(12) {
	case 0:
		return fmt.Sprintf("\x00binary %d\n", u.made)
	case 1:
		return ""
	}
	var b strings.Builder
	end := "\n"
	if u.IntN(8) == 0 {
		end = "\r\n"
	}
	for i := range 4 + u.IntN(12) {
		fmt.Fprintf(&b, "text %d line %d%s", u.made, i, end)
	}
	return b.String()
}

// edited changes some lines of a text.
func (u *person) edited(text string) string {
	u.made++
	lines := strings.SplitAfter(text, "\n")
	at := u.IntN(len(lines))
	mine := fmt.Sprintf("edit %d\n", u.made)
	switch u.IntN(4) {
	case 0:
		lines = append(lines[:at:at], lines[min(at+1, len(lines)):]...)
		return mine + strings.Join(lines, "")
	case 1:
		return strings.Join(lines[:at], "") + mine + strings.Join(lines[at:], "")
	case 2:
		return text + mine
	}
	lines[at] = mine
	return strings.Join(lines, "")
}

func (u *person) full(p string) string { return filepath.Join(u.dir, filepath.FromSlash(p)) }

// change does one thing; what cannot be done is not done. It returns the paths
// whose bytes it replaced or removed knowingly.
func (u *person) change() {
	d, err := look(u.dir)
	if err != nil {
		panic(err)
	}
	files := d.pick(func(p string, t thing) bool { return t.mode.IsRegular() && !temporary(p) })
	dirs := d.pick(func(p string, t thing) bool { return t.mode.IsDir() })
	some := func(list []string) string {
		if len(list) == 0 {
			return "none"
		}
		return list[u.IntN(len(list))]
	}
	p := u.name()
	switch u.IntN(15) {
	case 0, 1:
		u.write(p, u.text())
	case 2, 3, 4:
		if p = some(files); d.has(p) {
			u.write(p, u.edited(d[p].text))
		}
	case 5:
		p = some(files)
		u.tell("rm %q: %v", p, os.Remove(u.full(p)))
	case 6:
		from := some(files)
		u.room(p)
		if !d.file(p) {
			u.tell("mv %q %q: %v", from, p, os.Rename(u.full(from), u.full(p)))
		}
	case 7:
		from := some(dirs)
		if !d.has(p) && !strings.HasPrefix(p+"/", from+"/") {
			u.room(p)
			u.tell("mv %q/ %q: %v", from, p, os.Rename(u.full(from), u.full(p)))
		}
	case 8:
		p = some(files)
		mode := []fs.FileMode{0o600, 0o644, 0o755, 0o700, 0o444}[u.IntN(5)]
		u.tell("chmod %o %q: %v", mode, p, os.Chmod(u.full(p), mode))
	case 9:
		p = some(dirs)
		mode := []fs.FileMode{0o755, 0o700, 0o750}[u.IntN(3)]
		u.tell("chmod %o %q/: %v", mode, p, os.Chmod(u.full(p), mode))
	case 10: // a file becomes a directory, with something in it or not
		p = some(files)
		u.tell("rm %q, mkdir: %v, %v", p, os.Remove(u.full(p)), os.Mkdir(u.full(p), 0o755))
		if u.IntN(2) == 0 {
			u.write(path.Join(p, "in"), u.text())
		}
	case 11: // and back
		p = some(dirs)
		u.tell("rm -r %q/: %v", p, os.RemoveAll(u.full(p)))
		if u.IntN(2) == 0 {
			u.write(p, u.text())
		}
	case 12:
		u.room(p)
		u.tell("mkdir %q: %v", p, os.Mkdir(u.full(p), 0o755))
	case 13:
		if u.IntN(2) == 0 {
			p = some(files)
			os.Remove(u.full(p))
		}
		u.room(p)
		u.tell("ln -s %q: %v", p, os.Symlink([]string{"a", "d", "nowhere", "../outside"}[u.IntN(4)], u.full(p)))
	case 14:
		rules := [][]string{{"*.log"}, {"build/"}, {"*.dat"}, {"*.log", "build/", "!x.log"}, {"/d/"}, {"sub/"}, {}}[u.IntN(7)]
		u.write(".gitignore", strings.Join(append(rules, ""), "\n"))
	}
}

// room makes the directories above a path, as far as nothing is in the way.
func (u *person) room(p string) {
	if up := path.Dir(p); up != "." && !u.linked(p) {
		_ = os.MkdirAll(u.full(up), 0o755)
	}
}

// linked reports whether a directory above a path is a link: what lies behind
// it is another path's.
func (u *person) linked(p string) bool {
	for up := path.Dir(p); up != "."; up = path.Dir(up) {
		if info, err := os.Lstat(u.full(up)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// write writes in place or by a new file, as editors do.
func (u *person) write(p, text string) {
	if u.linked(p) {
		return
	}
	u.room(p)
	info, err := os.Lstat(u.full(p))
	switch {
	case err == nil && info.IsDir():
		return
	case err == nil && (info.Mode()&fs.ModeSymlink != 0 || u.IntN(2) == 0):
		os.Remove(u.full(p))
	}
	u.tell("write %q %q: %v", p, text, os.WriteFile(u.full(p), []byte(text), 0o644))
}
