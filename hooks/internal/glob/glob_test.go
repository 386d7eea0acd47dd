package glob_test

import (
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/chordgit/chordgit/hooks/internal/glob"
	"golang.org/x/text/unicode/norm"
)

func list(t testing.TB, fold, widen bool, globs ...string) *glob.List {
	parsed := make([]glob.Glob, len(globs))
	for i, s := range globs {
		g, err := glob.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		parsed[i] = g
	}
	return glob.NewList(parsed, fold, widen)
}

// TestMatch: what deny covers, what allow covers, and what neither does.
func TestMatch(t *testing.T) {
	for _, tt := range []struct{ glob, both, deny, neither string }{
		{"secret", "secret", "secret/a secret/a/b", "secrets a/secret Secret"},
		{"/secret", "secret", "secret/a", "a/secret"},
		{"secret/", "secret secret/a secret/a/b", "", "a/secret"},
		{"secret/**", "secret secret/a secret/a/b", "", "a/secret secret2"},
		{"*.key", "a.key .key", "a.key/b", "b/a.key"},
		{"**/*.key", "a.key b/a.key c/b/a.key", "a.key/b", "a.keys"},
		{"src/*.go", "src/a.go", "src/a.go/b", "src/a/b.go src"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "a/b/c a/x/b/c", "a ab a/xb"},
		{"{x,y}/z", "x/z y/z", "x/z/a", "z x"},
		{"{a,b{c,d}}{,e}", "a ae bc bd bce bde", "ae/x", "b be abc"},
		{"a/**/**", "a/b a/b/c", "", "a"},
		{"**", "a a/b", "", ""},
		{"?", "a é", "a/b", "ab"},
		{"*", "a .env", "a/b", ""},
		{"a[!b]c", "axc", "axc/d", "abc a/c"},
		{"a[^b]c", "axc", "", "abc a/c"},
		{"a[+-9]c", "a1c a.c a+c", "", "a/c"},
		{"a[-x]c", "a-c axc", "", "ayc"},
		{"a[x-]c", "a-c axc", "", "ayc"},
		{`a[\]]c`, "a]c", "", "axc"},
		{`a[\!\^]c`, "a!c a^c", "", `a\c`},
		{`\[a\]/\*`, "[a]/*", "[a]/*/x", "a/x"},
		{`\{a,b\}`, "{a,b}", "{a,b}/c", "a b"},
		{"[{]a,b[}]", "{a,b}", "", "a b"},
		{"[A-Z]x", "Ax", "", "ax"},
		{"1.0", "1.0", "1.0/a", "1"},
		{"x/**/*", "x/a x/a/b", "", "x"},
	} {
		allow, deny := list(t, false, false, tt.glob), list(t, false, true, tt.glob)
		for _, name := range strings.Fields(tt.both) {
			if allow.Match(name) != 0 || deny.Match(name) != 0 {
				t.Errorf("%s does not match %s: %d, %d", tt.glob, name, allow.Match(name), deny.Match(name))
			}
		}
		for _, name := range strings.Fields(tt.deny) {
			if allow.Match(name) == 0 || deny.Match(name) != 0 {
				t.Errorf("%s, %s: %d, %d", tt.glob, name, allow.Match(name), deny.Match(name))
			}
		}
		for _, name := range strings.Fields(tt.neither) {
			if allow.Match(name) == 0 || deny.Match(name) == 0 {
				t.Errorf("%s matches %s", tt.glob, name)
			}
		}
	}
}

func TestFold(t *testing.T) {
	for _, tt := range []struct{ glob, yes, no string }{
		{"Src/*.GO", "src/a.go SRC/A.Go", "sr/a.go"},
		{"[A-Z]x", "ax AX zX", "1x"},
		{"[Z-a]x", "zx ax AX Zx", "bx"},
		{"[^A-Z]x", "1x", "ax Ax"},
		{"[^A]x", "bx Bx", "ax Ax"},
		{"É*", "é1 É1", "e1"},
		{"[À-Ý]x", "éx Éx", "ex"},
		{`\A[B]`, "", ""},
		{"ſ", "s S ſ", "f"},
	} {
		if tt.yes == "" {
			if _, err := glob.Parse(tt.glob); err == nil {
				t.Errorf("%s is accepted", tt.glob)
			}
			continue
		}
		l := list(t, true, false, tt.glob)
		for _, name := range strings.Fields(tt.yes) {
			if l.Match(name) != 0 {
				t.Errorf("%s does not match %s", tt.glob, name)
			}
		}
		for _, name := range strings.Fields(tt.no) {
			if l.Match(name) == 0 {
				t.Errorf("%s matches %s", tt.glob, name)
			}
		}
	}
}

// TestFirst: the first glob of the list is told, and what it matches.
func TestFirst(t *testing.T) {
	l := list(t, false, true, "b/*/x", "a", "**/*.go", "a/b.go")
	for name, want := range map[string]struct {
		n  int
		by string
	}{
		"a/b.go": {1, "a"}, "c.go": {2, ""}, "b/a/x/y.go": {0, "b/a/x"}, "z": {glob.None, ""},
	} {
		n := l.Match(name)
		if n != want.n {
			t.Errorf("%s: %d, want %d", name, n, want.n)
		}
		if n != glob.None && l.By(name, n) != want.by {
			t.Errorf("%s: by %q, want %q", name, l.By(name, n), want.by)
		}
	}
	if n, name := l.Below("a"); n != 3 || name != "a/b.go" {
		t.Errorf("below a: %d, %s", n, name)
	}
	if n, _ := l.Below("b"); n != glob.None {
		t.Errorf("below b: %d", n)
	}
}

// TestBraces: braces that would take doublestar minutes are refused, at once.
func TestBraces(t *testing.T) {
	start := time.Now()
	for _, s := range []string{strings.Repeat("{a,a}", 22), strings.Repeat("{", 400) + "a" + strings.Repeat("}", 400) + "{", strings.Repeat("{a,b", 200) + strings.Repeat("}", 200), "{a", "a}", "{a}}"} {
		if _, err := glob.Parse(s); err == nil && s != strings.Repeat("{a,b", 200)+strings.Repeat("}", 200) {
			t.Errorf("%s is accepted", s)
		}
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

// FuzzMatch: a glob that is accepted matches what doublestar says it does, and
// what can be told without it agrees.
func FuzzMatch(f *testing.F) {
	for _, s := range []string{"secret/**", "a/**/b", "{a,b{c,d}}{,e}", "a[^b]c", `\[a\]`, "**/*.{go,mod}", "[a-z]*?", "{**/x,y}", "a/**/**", "{a,[b]}"} {
		f.Add(s, "a/x/b")
		f.Add(s, "secret")
		f.Add(s, "bce")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		g, err := glob.Parse(pattern)
		if err != nil || len(name) > 200 || path.Clean("/"+name) != "/"+name || name == "" {
			return
		}
		l := glob.NewList([]glob.Glob{g}, false, false)
		got := l.Match(name) == 0
		normal := norm.NFC.String(strings.TrimPrefix(pattern, "/"))
		if strings.HasSuffix(normal, "/") {
			normal += "**"
		}
		// For doublestar a class may match a slash, and a name that ends before an
		// empty alternative does not match. Here it is the other way round.
		empty := slices.ContainsFunc([]string{"{}", "{,", ",}", ",,"}, func(s string) bool { return strings.Contains(pattern, s) })
		if strings.Count(pattern, "{") > 3 {
			return // it takes doublestar too long
		}
		if want := doublestar.MatchUnvalidated(normal, l.Normal(name)); got != want && !strings.Contains(pattern, "[") && !(got && empty) {
			t.Errorf("%q, %q: got %v, doublestar says %v", pattern, name, got, want)
		}
		if got && glob.NewList([]glob.Glob{g}, false, true).Match(name+"/below") != 0 {
			t.Errorf("%q does not widen from %q", pattern, name)
		}
		if folded := glob.NewList([]glob.Glob{g}, true, false); got && !strings.Contains(pattern, "^") && !strings.Contains(pattern, "!") && folded.Match(name) != 0 {
			t.Errorf("%q matches %q no more if case does not count", pattern, name)
		}
	})
}
