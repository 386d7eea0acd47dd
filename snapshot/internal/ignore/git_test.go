package ignore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTablesGit: git says what the tables say.
func TestTablesGit(t *testing.T) {
	needGit(t)
	rows := blanks
	for _, c := range table {
		for p := range strings.FieldsSeq(c.paths) {
			rows = append(rows, row{c.text, p[1:], p[0] == '+'})
		}
	}
	askGit(t, rows, false)
	askGit(t, folded, true)
}

// askGit gives each row a directory of its own, whose .gitignore is the text.
func askGit(t *testing.T, rows []row, fold bool) {
	g := &gitCase{top: t.TempDir()}
	g.git(t, "", "init", "-q")
	var in strings.Builder
	var asked []row
	for i, c := range rows {
		base := fmt.Sprintf("%s/%d/", g.top, i)
		dir, file := c.path[:strings.LastIndexByte(c.path, '/')+1], c.path[strings.LastIndexByte(c.path, '/')+1:]
		if err := os.MkdirAll(base+dir, 0o777); err != nil {
			t.Logf("left out: %v", err)
			continue
		}
		if file != "" {
			if err := os.WriteFile(base+c.path, nil, 0o666); err != nil {
				t.Logf("left out: %v", err)
				continue
			}
		}
		if err := os.WriteFile(base+".gitignore", []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		asked = append(asked, c)
		// With the slash git would match d/* with d and no name after it.
		fmt.Fprintf(&in, "%d/%s\x00", i, strings.TrimSuffix(c.path, "/"))
	}
	out := g.git(t, in.String(), "-c", fmt.Sprintf("core.ignoreCase=%v", fold), "check-ignore", "-z", "-v", "-n", "--no-index", "--stdin")
	f := strings.Split(out, "\x00")
	if len(f) != 4*len(asked)+1 {
		t.Fatalf("git printed %d fields for %d paths", len(f), len(asked))
	}
	for i, c := range asked {
		if got := f[4*i] != "" && !strings.HasPrefix(f[4*i+2], "!"); got != c.want {
			t.Errorf("git: %q, path %q, fold %v: ignored is %v", c.text, c.path, fold, got)
		}
	}
}

func needGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to compare with")
	}
	if runtime.GOOS == "windows" {
		t.Skip("most of the names cannot exist here")
	}
}

// TestGit compares this package with git check-ignore on random rules and
// trees: which line of which file decides about each path, or that none does.
//
// CHORDGIT_IGNORE_ROUNDS sets how many sets of rules are tried, and
// CHORDGIT_IGNORE_SEED starts from a seed that a failure printed.
func TestGit(t *testing.T) {
	needGit(t)
	rounds, seed := 60, uint64(time.Now().UnixNano())
	if testing.Short() {
		rounds = 10
	}
	if n, err := strconv.Atoi(os.Getenv("CHORDGIT_IGNORE_ROUNDS")); err == nil {
		rounds = n
	}
	if n, err := strconv.ParseUint(os.Getenv("CHORDGIT_IGNORE_SEED"), 10, 64); err == nil {
		seed = n
	}
	var g *gitCase
	decisions, matched := 0, 0
	for n := range rounds {
		if n%25 == 0 {
			g = newGitCase(t, seed+uint64(n))
		}
		d, m := g.round(t)
		decisions, matched = decisions+d, matched+m
		if t.Failed() {
			t.Fatalf("CHORDGIT_IGNORE_SEED=%d, round %d", g.seed, n%25)
		}
	}
	t.Logf("seed %d: %d decisions, %d by a line", seed, decisions, matched)
}

// A gitCase is a repository with a random tree.
type gitCase struct {
	seed        uint64
	r           *rand.Rand
	top, global string
	dirs        []string // each ending in a slash; the top is ""
	children    map[string][]child
	paths       []string
}

type child struct {
	name  string
	isDir bool
}

var treeNames = []string{
	"a", "b", "c", "ab", "abc", "a.c", ".c", "b.c", "A", "AB", "A.C", "a ", "a  ", " ", "-a", "--", "#a", "!a", "a!", "[a", "a]", "*", "a*", "?",
	`\`, `a\`, `\a`, "é", "É", "\xff", "a\xffb", "\xef\xbb\xbfa", "a\nb", "\n", "a\r", "\r", "a\t", "~", "a~", "a-b", "^", ":", ":a", "_", "d", "e", "foo", "Foo", "foo.o", "FOO.O",
}

func newGitCase(t *testing.T, seed uint64) *gitCase {
	r := rand.New(rand.NewPCG(seed, 1))
	g := &gitCase{seed: seed, r: r, top: t.TempDir(), children: map[string][]child{}}
	g.global = filepath.Join(t.TempDir(), "global")
	g.git(t, "", "init", "-q")
	g.fill(t, "", 0)
	return g
}

func (g *gitCase) fill(t *testing.T, dir string, depth int) {
	g.dirs = append(g.dirs, dir)
	taken := map[string]bool{}
	for range 3 + g.r.IntN(7) {
		c := child{treeNames[g.r.IntN(len(treeNames))], depth < 4 && g.r.IntN(3) == 0}
		at := filepath.Join(g.top, dir+"x")
		at = at[:len(at)-1] + c.name // Join would clean the name
		if taken[c.name] {
			continue
		}
		taken[c.name] = true
		var err error
		switch {
		case c.isDir:
			err = os.Mkdir(at, 0o777)
		case g.r.IntN(8) == 0:
			err = os.Symlink(".", at) // to a directory, and not one
		default:
			err = os.WriteFile(at, nil, 0o666)
		}
		if err != nil {
			t.Logf("left out: %v", err) // not every file system takes every name
			continue
		}
		g.children[dir] = append(g.children[dir], c)
		g.paths = append(g.paths, dir+c.name)
		if c.isDir {
			g.fill(t, dir+c.name+"/", depth+1)
		}
	}
}

// round writes new rules and compares all paths.
func (g *gitCase) round(t *testing.T) (decisions, matched int) {
	opt := Options{FoldCase: g.r.IntN(2) == 0}
	texts := map[string]string{}
	write := func(source string, file string, odds int) *Rules {
		if g.r.IntN(10) >= odds {
			os.Remove(file)
			return nil
		}
		text := g.text()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		texts[source] = text
		return Parse(source, []byte(text), opt)
	}
	global := write(g.global, g.global, 5)
	info := write(".git/info/exclude", filepath.Join(g.top, ".git/info/exclude"), 5)
	own := map[string]*Rules{}
	for i, d := range g.dirs {
		odds := 3
		if i == 0 {
			odds = 8
		}
		own[d] = write(d+".gitignore", g.top+"/"+d+".gitignore", odds)
	}
	ours := map[string]Match{}
	g.walk(New(own[""], global, info), "", nil, own, ours)

	var in bytes.Buffer
	for _, p := range g.paths {
		in.WriteString("./" + p + "\x00") // a colon at the start would be magic
	}
	out := g.git(t, in.String(), "-c", "core.excludesFile="+g.global, "-c", fmt.Sprintf("core.ignoreCase=%v", opt.FoldCase),
		"check-ignore", "-z", "-v", "-n", "--no-index", "--stdin")
	f := strings.Split(out, "\x00")
	if len(f) != 4*len(g.paths)+1 {
		t.Fatalf("git printed %d fields for %d paths", len(f), len(g.paths))
	}
	for i, p := range g.paths {
		var want Match
		if f[4*i] != "" {
			line, _ := strconv.Atoi(f[4*i+1])
			want = Match{f[4*i], line, f[4*i+2], strings.HasPrefix(f[4*i+2], "!")}
			matched++
		}
		if got := ours[p]; got != want {
			t.Errorf("path %q, fold %v:\n got %+v\nwant %+v\nsource: %q", p, opt.FoldCase, got, want, texts[want.Source]+texts[got.Source])
			if want.Source == "" {
				break
			}
		}
	}
	return len(g.paths), matched
}

// walk asks about each entry of a directory; in is the line that ignored it or
// a directory above, which then decides about all that it holds.
func (g *gitCase) walk(l *Level, dir string, in *Match, own map[string]*Rules, out map[string]Match) {
	for _, c := range g.children[dir] {
		m, below := Match{}, in
		if in != nil {
			m = *in
		} else if m, _ = l.Explain(c.name, c.isDir); l.Ignored(c.name, c.isDir) {
			below = &m
		}
		out[dir+c.name] = m
		if c.isDir {
			sub := dir + c.name + "/"
			g.walk(l.Enter(c.name, own[sub]), sub, below, own, out)
		}
	}
}

// text makes an ignore file.
func (g *gitCase) text() string {
	pick := func(s ...string) string { return s[g.r.IntN(len(s))] }
	var b strings.Builder
	if g.r.IntN(6) == 0 {
		b.WriteString("\ufeff")
	}
	for range 1 + g.r.IntN(6) {
		switch g.r.IntN(12) {
		case 0:
			b.WriteString(pick("#", " ", "\x00", "\ufeff", "\r", "!", "\\", "/", "\t", "!!", "//", "!/"))
		case 1, 2, 3:
			b.WriteString("!")
		}
		if g.r.IntN(5) == 0 {
			b.WriteString("/")
		}
		switch g.r.IntN(4) {
		case 0: // a name of the tree, or a path
			p := g.paths[g.r.IntN(len(g.paths))]
			b.WriteString(p[max(0, strings.LastIndexByte(p, '/')*g.r.IntN(2)):])
		case 1:
			p := g.paths[g.r.IntN(len(g.paths))]
			b.WriteString(g.blur(p))
		case 2:
			b.WriteString(pick("*", "a*", "*.c", "**", "*/", "**/a", "a/**", "/*", "?", "[a-c]*", "**/*.c", "*a", "*/*", "[!a]", "a**/b"))
		default:
			b.WriteString(randomPattern(g.r))
		}
		b.WriteString(pick("", "", "", "", "", "", "/", "/", "/", " ", "  ", "\\ ", "\\  ", "\\\\ ", "\t", "\r", " \r", "\r\r", "\r ", "\x00", "\x00\r", "\\"))
		b.WriteString(pick("\n", "\n", "\n", "\n", "\n", "\n", "\r\n", "\r\n", "\n\n", "\n\r\n", ""))
	}
	return b.String()
}

// blur puts wildcards into a path.
func (g *gitCase) blur(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if g.r.IntN(3) > 0 {
			b.WriteByte(p[i])
			continue
		}
		switch g.r.IntN(9) {
		case 0:
			b.WriteByte('*')
		case 1:
			b.WriteByte('?')
		case 2:
			b.WriteString("[" + p[i:i+1] + "x]")
		case 3:
			b.WriteString("[!" + p[i:i+1] + "]")
		case 4:
			b.WriteString("\\" + p[i:i+1])
		case 5:
			b.WriteString("**/")
		case 6:
			b.WriteString("**")
		case 7:
			b.WriteString(strings.ToUpper(p[i : i+1]))
		case 8:
			b.WriteString("[[:alnum:]-")
			b.WriteString(p[i:i+1] + "]")
		}
	}
	return b.String()
}

func (g *gitCase) git(t *testing.T, in string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Stdin = g.top, strings.NewReader(in)
	c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: no path is ignored
		t.Fatalf("git %s: %v: %s", args, err, stderr.Bytes())
	}
	return string(out)
}
