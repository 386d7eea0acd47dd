package ignore

import (
	"strings"
	"sync"
	"testing"
)

// Each row: an ignore file, then paths and what becomes of them: a "+" before
// a path that is ignored, a "-" before one that is not. A slash at the end of
// a path means a directory. TestTablesGit asks git the same.
var table = []struct{ name, text, paths string }{
	{"a name matches at every depth", "a", "+a +b/a -ab -b/ab"},
	{"the last line wins", "a\n!a\n", "-a"},
	{"the last line wins, again", "!a\na\n", "+a"},
	{"an exception brings back", "*.o\n!keep.o", "+x.o -keep.o +d/x.o -d/keep.o"},
	{"but not below an ignored directory", "d/\n!d/keep", "+d/ +d/keep"},
	{"it does if only the content is ignored", "/d/*\n!/d/keep", "-d/ +d/x -d/keep"},
	{"a slash at the end: directories only", "a/", "+a/ +a/x -a"},
	{"and at any depth", "a/", "+b/a/ -b/a"},
	{"a slash at the start anchors", "/a", "+a -b/a"},
	{"a slash in the middle anchors", "a/b", "+a/b -c/a/b"},
	{"a slash at both ends", "/a/", "+a/ -b/a/"},
	{"two slashes match nothing", "//a\na//b\nc//", "-a -a/b -c/"},
	{"lone signs match nothing", "/\n!\n!/\n//\n", "-a -! -d/"},
	{"star", "*.c", "+a.c +.c -c +d/a.c"},
	{"star does not cross a slash", "d/*.c", "+d/a.c -d/e/a.c"},
	{"star in a directory name", "*/x", "+d/x -x -d/e/x"},
	{"question mark", "a?c", "+abc -ac -abbc"},
	{"question mark and a slash", "a?c/d", "+abc/d -a/c/d"},
	{"everything", "*", "+a +d/"},
	{"everything but", "*\n!*/\n!*.c", "+a -d/ -d/a.c +d/x"},
	{"leading double star", "**/a", "+a +d/a +d/e/a"},
	{"leading double star and a path", "**/a/b", "+a/b +d/a/b -a/c/b"},
	{"trailing double star", "a/**", "-a/ +a/b +a/b/c"},
	{"double star in the middle", "a/**/b", "+a/b +a/x/b +a/x/y/b -b -ab"},
	{"double star alone", "**", "+a +d/"},
	{"double star between letters is a star", "d/a**b", "+d/ab +d/axb -d/a/b"},
	{"unless nothing special stands before it", "a**/b", "+ab +a/b +axb/b +a1/2/b"},
	{"three stars are two", "***/a", "+a +d/a"},
	{"an escaped slash after a double star is a slash", `**\/a`, "-a +d/a"},
	{"class", "[a-c]x", "+ax +cx -dx"},
	{"negated class", "[!a]x\n[^b]y", "-ax +bx +ay -by"},
	{"a class never has the slash", "a[!x]b/c\nd[/]e/f", "-a/b/c +ayb/c -d/e/f"},
	{"a bracket that comes first is a member", "[]x]\n[!]x]y", "+] +x +ay -xy"},
	{"a hyphen at either end is a member", "[a-]x\n[-b]y", "+ax +-x -bx +-y +by"},
	{"a range cannot start where one ends", "[a-c-e]", "+b +- +e -d"},
	{"escapes in a class", `[\]\\a-\c]x`, `+]x +\x +bx`},
	{"a posix class", "[[:digit:]]\n[![:alnum:]-]y", "+1 -a +_y --y -1y"},
	{"what is no posix class", "[[:x:]]\n[[:alpha]y\n[[:ALPHA:]]z", "-x -[ +:y +[y +ay -az"},
	{"a class without an end", "[a\na[\nb[c", "-[a -a -a[ -b[c"},
	{"a backslash at the end", `a\`, `-a -a\`},
	{"a backslash before the slash at the end", `a\/`, `-a/ -a\/`},
	{"escapes", `\a\*` + "\n" + `\\b`, `+a* -ab +\b`},
	{"a comment", "#a\n\\#b\n #c", "-#a +#b -#c"},
	{"an escaped exclamation mark", "\\!a\na!", "+!a +a!"},
	{"two exclamation marks", "*\n!!a", "+a -!a"},
	{"blank lines", "\n\n\r\n   \na\n", "+a"},
	{"CR before the line end", "a\r\nb\r", "+a +b"},
	{"bytes that are not UTF-8", "\xff?\n[\x80-\xfe]b", "+\xff\xff +\xfdb -\xffbb"},
	{"a question mark is one byte", "?\n??x", "-é +éx"},
	{"a byte order mark", "\ufeffa\n\ufeffb", "+a -b"},
	{"a byte order mark before a comment", "\ufeff#a", "-#a"},
	{"NUL ends a line", "a\x00b\nc", "+a +c -ab"},
	{"hyphens", "-a\n--", "+-a +-- -a"},
}

func TestTable(t *testing.T) {
	for _, c := range table {
		for p := range strings.FieldsSeq(c.paths) {
			if got := ignoredPath(Parse("", []byte(c.text), Options{}), p[1:]); got != (p[0] == '+') {
				t.Errorf("%s: %q, path %q: ignored is %v", c.name, c.text, p[1:], got)
			}
		}
	}
}

// ignoredPath walks down to a path, as far as it is not ignored.
func ignoredPath(r *Rules, path string) bool {
	l := New(r)
	for {
		name, rest, isDir := strings.Cut(path, "/")
		if l.Ignored(name, isDir) {
			return true
		}
		if rest == "" {
			return false
		}
		l, path = l.Enter(name, nil), rest
	}
}

type row struct {
	text, path string
	want       bool
}

// Names with blanks and line ends do not fit the table.
var blanks = []row{
	{"a  ", "a", true},
	{"a  ", "a  ", false},
	{`a\ `, "a ", true},
	{`a\  `, "a ", true},
	{`a \ `, "a  ", true},
	{`a\\ `, `a\`, true},
	{`a\\\ `, `a\ `, true},
	{"a\t", "a", false},
	{"a\t", "a\t", true},
	{"a\t ", "a\t", true},
	{" a", " a", true},
	{" a", "a", false},
	{"a b", "a b", true},
	{"a \r\n", "a", true},
	{"a\r \n", "a", false},
	{"a\r \n", "a\r", true},
	{"a\r\r\n", "a\r", true},
	{"a\rb", "a\rb", true},
	{"a?b", "a\nb", true},
	{"\r\n", "\r", false},
	{"a/ ", "a", false},
}

func TestBlanks(t *testing.T) {
	for _, c := range blanks {
		if got := ignoredPath(Parse("", []byte(c.text), Options{}), c.path); got != c.want {
			t.Errorf("%q, name %q: ignored is %v", c.text, c.path, got)
		}
	}
}

var folded = []row{
	{"abc", "aBC", true},
	{"ABC", "abc", true},
	{"*.OBJ", "x.obj", true},
	{"*.obj", "x.OBJ", true},
	{"Foo*", "fOOD", true},
	{"/Dir/x?", "dIR/XY", true},
	{"**/X/*Z", "a/x/yz", true},
	{"É", "é", false}, // ASCII only
	{"[a-c]", "B", true},
	{"[A-C]", "b", true},
	{"[A]", "a", false}, // as git has it: it lowers the name only
	{"[A]", "A", false},
	{`\A`, "A", false},
	{`\A/b`, "A/b", false},
	{`\a`, "A", true},
	{"[[:upper:]]", "a", true},
	{"[[:lower:]]", "A", true},
}

func TestFoldCase(t *testing.T) {
	for _, c := range folded {
		if got := ignoredPath(Parse("", []byte(c.text), Options{FoldCase: true}), c.path); got != c.want {
			t.Errorf("%q, path %q: ignored is %v", c.text, c.path, got)
		}
	}
	if ignoredPath(Parse("", []byte("abc\n*.o\n[a-c]"), Options{}), "B") {
		t.Error("case is folded without being asked for")
	}
}

func TestSources(t *testing.T) {
	parse := func(name, text string) *Rules { return Parse(name, []byte(text), Options{}) }
	top := New(parse(".gitignore", "b\n/only-top\nx/y"), parse("global", "*\n!c"), parse("info", "!a\n!b\nsub/z"))
	sub := top.Enter("sub", parse("sub/.gitignore", "!b\n/only-sub\n*.o\n"))
	deep := sub.Enter("x", nil)
	for _, c := range []struct {
		level *Level
		name  string
		want  Match
	}{
		{top, "a", Match{"info", 1, "!a", true}},
		{top, "b", Match{".gitignore", 1, "b", false}},
		{top, "c", Match{"global", 2, "!c", true}},
		{top, "d", Match{"global", 1, "*", false}},
		{top, "only-top", Match{".gitignore", 2, "/only-top", false}},
		{sub, "only-top", Match{"global", 1, "*", false}},
		{sub, "b", Match{"sub/.gitignore", 1, "!b", true}},
		{sub, "only-sub", Match{"sub/.gitignore", 2, "/only-sub", false}},
		{sub, "z", Match{"info", 3, "sub/z", false}},
		{deep, "only-sub", Match{"global", 1, "*", false}},
		{deep, "y", Match{"global", 1, "*", false}}, // x/y is top's
		{deep, "x.o", Match{"sub/.gitignore", 3, "*.o", false}},
	} {
		got, ok := c.level.Explain(c.name, false)
		if !ok || got != c.want {
			t.Errorf("%s%s: %+v, want %+v", c.level.dir, c.name, got, c.want)
		}
		if c.level.Ignored(c.name, false) == c.want.Negated {
			t.Errorf("%s%s: Ignored and Explain differ", c.level.dir, c.name)
		}
	}
	if m, ok := New(nil, nil, parse("", "# nothing")).Explain("a", true); ok {
		t.Errorf("no rules, but %+v", m)
	}
	if top.Ignored("", true) {
		t.Error("a directory ignores itself")
	}
}

// Walkers that share a parent do not disturb each other (run with -race).
func TestShared(t *testing.T) {
	top := New(Parse("", []byte("a*\n*b\n*.c\nd\n/e/*\n**/f\nx**/y\n"), Options{FoldCase: true}))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				l := top.Enter("e", Parse("", []byte("!z"), Options{}))
				if !l.Ignored("q", false) || l.Ignored("z", false) || !l.Ignored("ZB", true) || !top.Ignored("XY", true) {
					t.Error("levels that share a parent disturb each other")
				}
			}
		})
	}
	wg.Wait()
}
