package seed

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

func layout(t testing.TB, r *gittest.Repo) *repo.Layout {
	t.Helper()
	l, err := repo.Find(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// asked returns the paths to which git gives one of the attributes.
func asked(r *gittest.Repo, paths []string) map[string]bool {
	args := append([]string{"check-attr", "-z", "--stdin"}, converting[:]...)
	cmd := r.Command(args...)
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := cmd.Output()
	if err != nil {
		r.TB.Fatal(err)
	}
	has := map[string]bool{}
	f := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(f); i += 3 {
		if v := f[i+2]; v != "unspecified" && v != "unset" {
			has[f[i]] = true
		}
	}
	return has
}

func (a *attributes) ask(path string) bool {
	p := []byte(path)
	name := bytes.LastIndexByte(p, '/') + 1
	return a.convert(p, name, a.dir(p[:name]))
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

var (
	testPaths = []string{
		"a", "b.c", "x.png", "X.PNG", "a/b", "a/b.c", "a/x.png", "a/b/c", "a/b/c.h", "a/b/a/b", "b/a", "b/a/a/a", "b/A/.c",
		"a b", "a/a b.c", "t", "f", "_0", "a/\xff", "b/[x]", "b/x", `a\b`, "a/-", "#c", "!n", "b/.gitattributes",
	}
	simplePatterns = []string{
		"*", "*.c", "*.png", "a", "/a", "a/b", "/a/*", "a/**", "**/a", "**/a/b", "a/**/b", "b/a/a/a", "x*", "?", "?.c", "*.[ch]",
		"[a-b]", "[0-9a_]*", "a/", ".*", "*/*", "a*b", "**", "*\xff", "a/*.c", "/*/a",
	}
	oddPatterns = []string{
		"[!a]", "[^a]*", "[[:alpha:]]", "[a-]", "[]a]", "[.-9]", "[A-z]", `\a`, `a\*`, `\#c`, "!n", "**.c", "a**", "a**/b", "***", "**/", "/", "//a",
		"x**/c", `"a b"`, `"a\142"`, `"a`, `"[attr]m3"`, `"\133attr]m3"`, "[attr]", "a//b", "**/**/b", "*/**/*", "[", "a[", `a\`, "\ufeffa", "{a,b}", "A", "X.png",
	}
	testMentions = []string{
		"text", "-text", "!text", "text=auto", "text=", "eol=lf", "-eol", "crlf", "-crlf", "!crlf", "crlf=input", "filter=lfs", "-filter", "filter",
		"ident", "-ident", "working-tree-encoding=UTF-16", "binary", "-binary", "!binary", "binary=x", "diff", "-diff", "merge=union", "m1", "-m1", "!m1",
		"m2", "-m2", "m2=1", "m3", "-m3",
	}
	oddMentions = []string{"-binary=x", "!text=1", "-text=1", "b@d", "-", "=", "--text", "builtin_x", "-!text", "\x0btext", "m4", "text\xff", "text=\xff"}
)

func randomAttributes(rng *rand.Rand, odd bool) string {
	var b strings.Builder
	for range rng.IntN(5) {
		patterns, mentions := simplePatterns, testMentions
		if odd && rng.IntN(3) == 0 {
			patterns = oddPatterns
		}
		p := pick(rng, patterns)
		switch rng.IntN(12) {
		case 0, 1:
			p = "[attr]" + pick(rng, []string{"m1", "m2", "m3", "binary"})
		case 2:
			if odd {
				p = pick(rng, []string{"# ", "[attr] m1", "[attr]text", "[attr]b@d", "[attr]", "\t" + p, " " + p, "#", p + "\t"})
			}
		}
		b.WriteString(p)
		for range 1 + rng.IntN(3) {
			if odd && rng.IntN(12) == 0 {
				mentions = oddMentions
			}
			b.WriteString(pick(rng, []string{" ", " ", "\t", "  "}) + pick(rng, mentions))
		}
		b.WriteString(pick(rng, []string{"\n", "\n", "\n", "\r\n", " \n"}))
	}
	return b.String()
}

// No path that git converts counts as one that it does not; and of the others
// few are in doubt where the patterns are the usual ones.
func TestAttributesAgainstGit(t *testing.T) {
	r := gittest.New(t)
	l := layout(t, r)
	user := filepath.Join(t.TempDir(), "attributes")
	r.Git("config", "core.attributesFile", user)
	files := []string{
		r.Dir + "/.gitattributes", r.Dir + "/a/.gitattributes", r.Dir + "/a/b/.gitattributes", r.Dir + "/b/.gitattributes",
		r.GitDir() + "/info/attributes", user,
	}
	for _, name := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	clean, doubted := 0, 0
	for round := range 200 {
		odd, fold := round%2 == 1, round%4 > 1
		r.Git("config", "core.ignoreCase", fmt.Sprint(fold))
		var shown strings.Builder
		for _, name := range files {
			os.Remove(name)
			if rng.IntN(2) == 0 {
				text := randomAttributes(rng, odd)
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&shown, "%s:\n%s", name, text)
			}
		}
		has := asked(r, testPaths)
		a := newAttributes(l, &repo.Settings{IgnoreCase: fold, AttributesFile: user}, nil)
		rng.Shuffle(len(testPaths), func(i, j int) { testPaths[i], testPaths[j] = testPaths[j], testPaths[i] })
		for _, path := range testPaths {
			ours := a.ask(path)
			if has[path] && !ours {
				t.Fatalf("round %d: git converts %q, fold %v:\n%s", round, path, fold, shown.String())
			}
			if !odd && !fold && !has[path] {
				if clean++; ours {
					doubted++
				}
			}
		}
	}
	t.Logf("%d of %d paths in doubt", doubted, clean)
	if doubted*50 > clean || clean < 500 {
		t.Errorf("%d of %d paths without conversion are in doubt", doubted, clean)
	}
}

// What cannot be read as git reads it is a doubt, there and below.
func TestAttributesInDoubt(t *testing.T) {
	for name, c := range map[string]struct {
		set           func(r *gittest.Repo)
		top, sub, sib bool
	}{
		"none":     {func(*gittest.Repo) {}, false, false, false},
		"link":     {func(r *gittest.Repo) { os.Symlink("x", r.Dir+"/d/.gitattributes") }, false, true, false},
		"dir":      {func(r *gittest.Repo) { os.Mkdir(r.Dir+"/d/.gitattributes", 0o777) }, false, true, false},
		"NUL":      {func(r *gittest.Repo) { r.Write("d/.gitattributes", "a\x00") }, false, true, false},
		"long":     {func(r *gittest.Repo) { r.Write("d/.gitattributes", "# "+strings.Repeat("x", maxLine)) }, false, true, false},
		"huge":     {func(r *gittest.Repo) { r.Write("d/.gitattributes", strings.Repeat("x y\n", maxFile/4+1)) }, false, true, false},
		"info":     {func(r *gittest.Repo) { os.MkdirAll(r.GitDir()+"/info/attributes", 0o777) }, true, true, true},
		"macro":    {func(r *gittest.Repo) { r.Write(".gitattributes", "[attr]text x\n") }, true, true, true},
		"ordinary": {func(r *gittest.Repo) { r.Write(".gitattributes", "* -text\n/d/* text\n") }, false, true, false},
		"deleted": {func(r *gittest.Repo) {
			r.Write("d/.gitattributes", "x y\n")
			r.Git("add", ".")
			os.Remove(r.Dir + "/d/.gitattributes")
		}, false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := gittest.New(t)
			r.Write("d/e/f", "x")
			os.Remove(r.GitDir() + "/info/attributes")
			c.set(r)
			l := layout(t, r)
			indexed := map[string]struct{}{}
			if name == "deleted" {
				indexed["d/"] = struct{}{}
			}
			a := newAttributes(l, &repo.Settings{}, indexed)
			if top, sub, sib := a.ask("a"), a.ask("d/f"), a.ask("e/f"); top != c.top || sub != c.sub || sib != c.sib {
				t.Errorf("in doubt: %v %v %v", top, sub, sib)
			}
			if deep := a.ask("d/e/f"); deep != c.sub && name != "ordinary" {
				t.Errorf("below: %v", deep)
			}
		})
	}
}

// Whatever the file, its patterns are of bounded size, and those with nothing
// special match what they spell.
func FuzzAttributes(f *testing.F) {
	for _, p := range append(append([]string{}, simplePatterns...), oddPatterns...) {
		f.Add([]byte(p+" text -binary\n[attr]m1 eol=lf\n"), "a/b/c.h")
	}
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		lines, macros, ok := parse(data)
		if !ok {
			return
		}
		for _, m := range macros {
			if m.name == "" {
				t.Error("a macro without a name")
			}
		}
		for _, l := range lines {
			for _, fold := range []bool{false, true} {
				g := compile(l.pattern, fold)
				if len(g.steps) > maxSteps {
					t.Errorf("%q has %d steps", l.pattern, len(g.steps))
				}
				v := g.match([]byte(path))
				// A pattern without anything special matches itself alone.
				if !strings.ContainsAny(l.pattern, `*?[\`) && len(l.pattern) < maxSteps && !fold && !l.unsure && (v == yes) != (l.pattern == path) {
					t.Errorf("%q, %q: %v", l.pattern, path, v)
				}
				if v == no && (l.pattern == "*" && !strings.Contains(path, "/") || l.pattern == "**") {
					t.Errorf("%q does not match %q", l.pattern, path)
				}
			}
		}
	})
}
