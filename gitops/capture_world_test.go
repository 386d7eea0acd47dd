//go:build unix

package gitops

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Dice choose by the bytes of a fuzzer while there are any, and then at random,
// from a seed that is theirs as well.
type dice struct {
	data []byte
	rnd  *rand.Rand
}

func newDice(data []byte) *dice {
	h := fnv.New64a()
	h.Write(data)
	return &dice{data, rand.New(rand.NewPCG(h.Sum64(), 1))}
}

func (d *dice) n(below int) int {
	if len(d.data) == 0 {
		return d.rnd.IntN(below)
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % below
}

func (d *dice) one(of ...string) string { return of[d.n(len(of))] }

// often is true p times of 100.
func (d *dice) often(p int) bool { return d.n(100) < p }

// A world is a repository with all that makes captures hard.
type world struct {
	*dice
	t   *testing.T
	dir string
	log []string // what was done, for the message
}

var worldNames = []string{
	"a", "b", "c", "d", "x.o", "y.log", "keep", "build", "Build", "node_modules", "sub", "tmp", ".hidden",
	"two words", " lead", "trail ", "-n", ":(top)x", "new\nline", "tab\t", `"q"`, `back\slash`, "*", "[a]", "#x", "!y", "~", "a.",
	"caf\xe9", "\xff\xfe", "e\u0301", "\u00e9", "git~1", ".GIT", ".gitmodules",
}

var worldRules = []string{
	"*.o", "*.log", "/a", "a", "build/", "build", "node_modules/", "!keep", "!*.log", "**/tmp", "sub/**", "sub/*", "!sub/b",
	"/sub/x.o", "#x", `\#x`, `\!y`, "!y", "trail\\ ", "trail ", "[ab]", "caf\xe9", "*", "!*/", "!a", "!.gitignore", ".hidden", "/*/c",
	"d/", "!d/", "\ufeffb", "c\r", "*/b", "Build", "~", `\*`, "?", "",
}

// newWorld makes one: a repository with rules, files and index as the dice
// fall. All git and all of chordgit see the same configuration.
func newWorld(t *testing.T, d *dice) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{dice: d, t: t, dir: filepath.Join(base, "work")}
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	for name, value := range map[string]string{
		"HOME": filepath.Join(base, "home"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(base, "config"),
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@x", "LC_ALL": "C",
	} {
		t.Setenv(name, value)
	}
	config := ""
	if w.often(50) {
		config = "[core]\n\texcludesFile = " + filepath.Join(base, "excludes") + "\n"
		w.must(os.WriteFile(filepath.Join(base, "excludes"), []byte(w.rules()), 0o666))
	}
	w.must(os.WriteFile(filepath.Join(base, "config"), []byte(config), 0o666))
	w.must(os.Mkdir(w.dir, 0o777))
	w.initRepo("")
	for range 8 + w.n(20) {
		w.edit()
	}
	w.index()
	for range w.n(6) {
		w.edit()
	}
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%v\n%s", err, strings.Join(w.log, "\n"))
	}
}

func (w *world) path(p string) string { return filepath.Join(w.dir, p) }

// git runs git in a repository of the world, and returns what it prints.
func (w *world) git(root, stdin string, args ...string) []byte {
	w.t.Helper()
	cmd := w.command(root, stdin, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git %q in %q: %v: %s\n%s", args, root, err, stderr.Bytes(), strings.Join(w.log, "\n"))
	}
	return out
}

func (w *world) command(root, stdin string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"--no-optional-locks"}, args...)...)
	cmd.Dir = w.path(root)
	cmd.Stdin = strings.NewReader(stdin)
	return cmd
}

// try is git where it may refuse.
func (w *world) try(root, stdin string, args ...string) {
	cmd := w.command(root, stdin, args...)
	out, err := cmd.CombinedOutput()
	w.log = append(w.log, fmt.Sprintf("git -C %q %q: %v %s", root, args, err, bytes.TrimSpace(out)))
}

// initRepo makes a directory a repository.
func (w *world) initRepo(root string) {
	w.git(root, "", "init", "-q", "-b", "main")
	if w.often(50) {
		w.must(os.MkdirAll(w.path(root+"/.git/info"), 0o777))
		w.must(os.WriteFile(w.path(root+"/.git/info/exclude"), []byte(w.rules()), 0o666))
	}
	w.log = append(w.log, fmt.Sprintf("init %q", root))
}

func (w *world) rules() string {
	var b strings.Builder
	for range 1 + w.n(5) {
		b.WriteString(worldRules[w.n(len(worldRules))] + "\n")
	}
	w.log = append(w.log, fmt.Sprintf("next come the rules %q", b.String()))
	return b.String()
}

// paths are those of what is on the disk, without what belongs to git.
func (w *world) paths() (dirs, others []string) {
	w.must(filepath.WalkDir(w.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(p, w.dir), "/")
		switch {
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			dirs = append(dirs, rel)
		default:
			others = append(others, rel)
		}
		return nil
	}))
	return dirs, others
}

func (w *world) someDir() string {
	dirs, _ := w.paths()
	return dirs[w.n(len(dirs))]
}

func (w *world) someFile() string {
	_, others := w.paths()
	if len(others) == 0 {
		return ""
	}
	return others[w.n(len(others))]
}

func join(dir, name string) string { return strings.TrimPrefix(dir+"/"+name, "/") }

func (w *world) text() []byte {
	return []byte(strings.Repeat(w.one("one\n", "two\r\n", "three", "\x00\xff", ""), 1+w.n(3)))
}

// write writes a file, and follows no link: there might be a pipe behind it.
func (w *world) write(p string, data []byte) error {
	if info, err := os.Lstat(w.path(p)); err == nil && !info.Mode().IsRegular() {
		return fs.ErrExist
	}
	return os.WriteFile(w.path(p), data, 0o666)
}

// edit changes one thing.
func (w *world) edit() {
	dir := w.someDir()
	p := join(dir, worldNames[w.n(len(worldNames))])
	old := w.someFile()
	what := ""
	switch k := w.n(100); {
	case k < 30:
		what = fmt.Sprintf("write %q: %v", p, w.write(p, w.text()))
	case k < 42:
		if path.Base(p) == ".gitmodules" {
			return // the user's own repository would be unsound
		}
		what = fmt.Sprintf("mkdir %q: %v", p, os.Mkdir(w.path(p), 0o777))
	case k < 52:
		p := join(dir, ".gitignore")
		what = fmt.Sprintf("rules %q: %v", p, w.write(p, []byte(w.rules())))
	case k < 58 && old != "": // same size, and the mtime as it was
		info, err := os.Lstat(w.path(old))
		w.must(err)
		if !info.Mode().IsRegular() || info.Size() == 0 {
			return
		}
		data, err := os.ReadFile(w.path(old))
		w.must(err)
		data[0] ^= 1
		w.must(os.WriteFile(w.path(old), data, 0o666))
		what = fmt.Sprintf("change %q, mtime kept: %v", old, os.Chtimes(w.path(old), time.Time{}, info.ModTime()))
	case k < 66 && old != "":
		what = fmt.Sprintf("remove %q: %v", old, os.Remove(w.path(old)))
	case k < 70 && dir != "":
		what = fmt.Sprintf("remove all of %q: %v", dir, os.RemoveAll(w.path(dir)))
	case k < 76 && old != "":
		what = fmt.Sprintf("move %q to %q: %v", old, p, os.Rename(w.path(old), w.path(p)))
	case k < 79 && dir != "":
		to := join(w.someDir(), "moved "+worldNames[w.n(len(worldNames))])
		what = fmt.Sprintf("move %q to %q: %v", dir, to, os.Rename(w.path(dir), w.path(to)))
	case k < 83:
		what = fmt.Sprintf("link %q: %v", p, os.Symlink(w.one("a", "sub", "../out", "nowhere", "caf\xe9"), w.path(p)))
	case k < 87 && old != "":
		if info, err := os.Lstat(w.path(old)); err != nil || !info.Mode().IsRegular() {
			return
		}
		mode := []fs.FileMode{0o755, 0o600, 0o644, 0o444, 0o654}[w.n(5)]
		what = fmt.Sprintf("chmod %o %q: %v", mode, old, os.Chmod(w.path(old), mode))
	case k < 89 && dir != "":
		what = fmt.Sprintf("chmod 0700 %q: %v", dir, os.Chmod(w.path(dir), 0o700))
	case k < 91:
		what = fmt.Sprintf("fifo %q: %v", p, syscall.Mkfifo(w.path(p), 0o666))
	case k < 93 && dir != "":
		if _, err := os.Lstat(w.path(dir + "/.git")); err == nil {
			return
		}
		w.initRepo(dir)
		if w.often(50) {
			w.try(dir, "", "add", "-A")
		}
	case k < 94 && dir != "": // what only looks like a repository
		if _, err := os.Lstat(w.path(dir + "/.git")); err == nil {
			return
		}
		if w.often(50) {
			what = fmt.Sprintf("empty .git in %q: %v", dir, os.Mkdir(w.path(dir+"/.git"), 0o777))
		} else {
			what = fmt.Sprintf("broken .git in %q: %v", dir, os.WriteFile(w.path(dir+"/.git"), []byte("gitdir: /nowhere\n"), 0o666))
		}
	case k < 95:
		what = fmt.Sprintf("info/exclude: %v", os.WriteFile(w.path(".git/info/exclude"), []byte(w.rules()), 0o666))
	case k < 97:
		big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16+w.n(2))
		what = fmt.Sprintf("large %q: %v", p, w.write(p, big))
	default:
		w.index()
	}
	if what != "" {
		w.log = append(w.log, what)
	}
}

// index changes what the index says.
func (w *world) index() {
	for range 1 + w.n(4) {
		old := w.someFile()
		switch k := w.n(100); {
		case k < 25:
			w.try("", "", "add", "-A")
		case k < 45 && old != "":
			w.try("", "", "add", "-f", "--", "./"+old)
		case k < 55:
			w.try("", "", "add", "-f", "--", "./"+join(w.someDir(), ""))
		case k < 65 && old != "":
			w.try("", "", "rm", "-q", "--cached", "-f", "--", "./"+old)
		case k < 70 && old != "":
			w.try("", "", "add", "-N", "-f", "--", "./"+old)
		case k < 75 && old != "":
			w.try("", "", "update-index", "--assume-unchanged", "--", "./"+old)
		case k < 78 && old != "":
			// As a sparse checkout leaves it.
			w.must(os.MkdirAll(w.path(".git/info"), 0o777))
			w.must(os.WriteFile(w.path(".git/info/sparse-checkout"), []byte("/*\n"), 0o666))
			w.try("", "", "update-index", "--skip-worktree", "--", "./"+old)
			if w.often(50) {
				w.log = append(w.log, fmt.Sprintf("remove %q: %v", old, os.Remove(w.path(old))))
			}
		case k < 84:
			w.try("", "", "commit", "-q", "--allow-empty", "-m", "c")
		case k < 87:
			w.try("", "", "update-index", "--index-version", w.one("2", "3", "4"))
		case k < 89:
			w.try("", "", "update-index", w.one("--split-index", "--no-split-index"))
		case k < 93 && old != "" && !strings.Contains(old, "\n"):
			blob := strings.TrimSpace(string(w.git("", "x", "hash-object", "-w", "--stdin")))
			w.try("", fmt.Sprintf("0 %040d\t%s\x00100644 %s 1\t%s\x00100644 %s 2\t%s\x00", 0, old, blob, old, blob, old), "update-index", "-z", "--index-info")
		case k < 96:
			w.must(w.write(".gitattributes", []byte(w.one("* text=auto\n", "*.o -text\n", "* eol=crlf\n", "* ident\n", "* filter=none\n"))))
		}
	}
}
