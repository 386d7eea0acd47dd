package ignore

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// wildmatch is the slow reference: git 2.39's wildmatch.c with WM_PATHNAME,
// statement by statement, with its aborts and its exponential time.
func wildmatch(p, text string, fold bool) bool {
	return (&wild{p + "\x00", text + "\x00", fold}).do(0, 0) == wmMatch
}

type wild struct {
	p, t string
	fold bool
}

const (
	wmMatch = iota
	wmNoMatch
	wmAbortAll
	wmAbortToStarStar
)

func (w *wild) do(p, t int) int {
	start := p
	for ; w.p[p] != 0; p, t = p+1, t+1 {
		pc, tc := w.p[p], w.t[t]
		if tc == 0 && pc != '*' {
			return wmAbortAll
		}
		if w.fold {
			pc, tc = lowerByte(pc), lowerByte(tc)
		}
		switch pc {
		case '\\':
			p++
			if tc != w.p[p] {
				return wmNoMatch
			}
		case '?':
			if tc == '/' {
				return wmNoMatch
			}
		case '*':
			deep := false
			p++
			if w.p[p] == '*' {
				before := p - 2
				for w.p[p] == '*' {
					p++
				}
				if (before < start || w.p[before] == '/') &&
					(w.p[p] == 0 || w.p[p] == '/' || w.p[p] == '\\' && w.p[p+1] == '/') {
					if w.p[p] == '/' && w.do(p+1, t) == wmMatch {
						return wmMatch
					}
					deep = true
				}
			}
			slash := strings.IndexByte(w.t[t:], '/')
			if w.p[p] == 0 {
				if !deep && slash >= 0 {
					return wmNoMatch
				}
				return wmMatch
			}
			if !deep && w.p[p] == '/' {
				if slash < 0 {
					return wmNoMatch
				}
				t += slash
				break
			}
			for tc != 0 {
				if strings.IndexByte(special, w.p[p]) < 0 {
					pc := w.p[p]
					if w.fold {
						pc = lowerByte(pc)
					}
					for {
						if tc = w.t[t]; tc == 0 || !deep && tc == '/' {
							break
						}
						if w.fold {
							tc = lowerByte(tc)
						}
						if tc == pc {
							break
						}
						t++
					}
					if tc != pc {
						return wmNoMatch
					}
				}
				if m := w.do(p, t); m != wmNoMatch {
					if !deep || m != wmAbortToStarStar {
						return m
					}
				} else if !deep && tc == '/' {
					return wmAbortToStarStar
				}
				t++
				tc = w.t[t]
			}
			return wmAbortAll
		case '[':
			var m int
			if m, p = w.class(p, tc); m != wmMatch {
				return m
			}
		default:
			if tc != pc {
				return wmNoMatch
			}
		}
	}
	if w.t[t] != 0 {
		return wmNoMatch
	}
	return wmMatch
}

func (w *wild) class(p int, tc byte) (int, int) {
	p++
	pc := w.p[p]
	negated := pc == '!' || pc == '^'
	if negated {
		p++
		pc = w.p[p]
	}
	matched := false
	for prev := byte(0); ; {
		switch {
		case pc == 0:
			return wmAbortAll, p
		case pc == '\\':
			p++
			if pc = w.p[p]; pc == 0 {
				return wmAbortAll, p
			}
			matched = matched || tc == pc
		case pc == '-' && prev != 0 && w.p[p+1] != 0 && w.p[p+1] != ']':
			p++
			if pc = w.p[p]; pc == '\\' {
				p++
				if pc = w.p[p]; pc == 0 {
					return wmAbortAll, p
				}
			}
			matched = matched || prev <= tc && tc <= pc
			if up := tc - 'a' + 'A'; w.fold && isLower(tc) {
				matched = matched || prev <= up && up <= pc
			}
			pc = 0
		case pc == '[' && w.p[p+1] == ':':
			s := p + 2
			for p = s; w.p[p] != 0 && w.p[p] != ']'; p++ {
			}
			if pc = w.p[p]; pc == 0 {
				return wmAbortAll, p
			}
			n := p - s - 1
			if n < 0 || w.p[p-1] != ':' {
				p, pc = s-2, '['
				matched = matched || tc == pc
				break
			}
			in, ok := posix(w.p[s:s+n], tc, w.fold)
			if !ok {
				return wmAbortAll, p
			}
			matched = matched || in
			pc = 0
		default:
			matched = matched || tc == pc
		}
		prev = pc
		p++
		if pc = w.p[p]; pc == ']' {
			break
		}
	}
	if matched == negated || tc == '/' {
		return wmNoMatch, p
	}
	return wmMatch, p
}

func posix(name string, c byte, fold bool) (in, ok bool) {
	const punct = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	lo, up, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	p := strings.IndexByte(punct, c) >= 0
	in, ok = map[string]bool{
		"alnum": lo || up || digit, "alpha": lo || up, "blank": c == ' ' || c == '\t',
		"cntrl": c < 32 || c == 127, "digit": digit, "graph": lo || up || digit || p,
		"lower": lo, "print": lo || up || digit || p || c == ' ', "punct": p,
		"space": strings.IndexByte(" \t\n\v\f\r", c) >= 0, "upper": up || fold && lo,
		"xdigit": digit || strings.IndexByte("abcdefABCDEF", c) >= 0,
	}[name]
	return in, ok
}

// slowMatch is git's match_pathname and match_basename for one line.
func slowMatch(line, path string, isDir, fold bool) bool {
	p := strings.TrimPrefix(line, "!")
	p, dirOnly := strings.CutSuffix(p, "/")
	if dirOnly && !isDir {
		return false
	}
	if !strings.Contains(p, "/") {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	p = strings.TrimPrefix(p, "/")
	n := strings.IndexAny(p, special)
	if n < 0 {
		n = len(p)
	}
	if n > len(path) {
		return false
	}
	a, b := p[:n], path[:n]
	if fold {
		a, b = lower(a), lower(b)
	}
	return a == b && wildmatch(p[n:], path[n:], fold)
}

// ask walks down to path and asks about it, as if nothing above were ignored.
func ask(r *Rules, path string, isDir bool) (Match, bool) {
	l := New(r)
	for {
		dir, rest, more := strings.Cut(path, "/")
		if !more {
			return l.Explain(path, isDir)
		}
		l, path = l.Enter(dir, nil), rest
	}
}

func checkSlow(t *testing.T, line, path string, isDir, fold bool) {
	t.Helper()
	m, got := ask(Parse("", []byte(line), Options{fold}), path, isDir)
	if want := slowMatch(line, path, isDir, fold); got != want {
		t.Fatalf("pattern %q, path %q, directory %v, fold %v: match is %v, want %v", line, path, isDir, fold, got, want)
	}
	if got && m.Pattern != line {
		t.Fatalf("pattern %q is reported as %q", line, m.Pattern)
	}
}

// usable: what Parse makes of the line is the line, and the path is a path.
func usable(line, path string) bool {
	return line != "" && line[0] != '#' && !strings.ContainsAny(line, "\n\r\x00") &&
		!strings.HasPrefix(line, "\ufeff") && trimBlanks(line) == line &&
		!strings.Contains(path, "\x00") && !strings.Contains("/"+path+"/", "//")
}

func FuzzMatch(f *testing.F) {
	for _, p := range []string{
		"a", "/a", "a/b", "*.o", "**/a", "a/**", "a**/b", "a/**/b", "*/[a-c]/?", "[!a]", "[[:alpha:]-z]", "[]-]",
		`\!a`, `a\`, "[a", "[[:x:]]", "*a*b*c*d", "**/a/**/b/**/c", "a/", "!a", "//a", "a//", "[A]", "[A-Z]", `\A`,
	} {
		f.Add(p, "a/b/c", true, false)
		f.Add(p, "A.o", false, true)
	}
	f.Fuzz(func(t *testing.T, line, path string, isDir, fold bool) {
		start := time.Now()
		_, _ = ask(Parse("", []byte(line), Options{fold}), path, isDir)
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("%d and %d bytes took %v", len(line), len(path), took)
		}
		if len(line) < 40 && len(path) < 40 && strings.Count(line, "*") < 8 && usable(line, path) {
			checkSlow(t, line, path, isDir, fold)
		}
	})
}

var patternParts = strings.Split("a a a b c A B . .c * * * ** **/ / / ? [a-c] [!a] [^b] [] [ ] [A] [A-B] [[:upper:]] [[:alpha:] [a/] - \\ \\/ \\* \\A ! é \xff", " ")

func randomPattern(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(7) {
		b.WriteString(patternParts[r.IntN(len(patternParts))])
	}
	return b.String()
}

func TestWildmatch(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	parts := strings.Split("a a b c A B . .c a.c * [ ] - \\ ! é \xff", " ")
	rounds, matched := 100_000, 0
	if testing.Short() {
		rounds = 10_000
	}
	for range rounds {
		var b strings.Builder
		for i := range 1 + r.IntN(6) {
			if i > 0 && r.IntN(3) == 0 {
				b.WriteByte('/')
			}
			b.WriteString(parts[r.IntN(len(parts))])
		}
		line, path := randomPattern(r), b.String()
		if usable(line, path) {
			isDir, fold := r.IntN(2) == 0, r.IntN(2) == 0
			checkSlow(t, line, path, isDir, fold)
			if slowMatch(line, path, isDir, fold) {
				matched++
			}
		}
	}
	t.Logf("%d of %d matched", matched, rounds)
}

// No pattern takes exponential time, as some do in git before 2.44.
func TestLinear(t *testing.T) {
	long := strings.Repeat("a", 4000)
	deep := strings.TrimSuffix(strings.Repeat("a/", 2000), "/")
	for _, c := range []struct{ pattern, path string }{
		{strings.Repeat("*a", 60) + "b", long},
		{strings.Repeat("*a", 2000) + "b", long},
		{strings.Repeat("?*", 2000) + "b", long},
		{strings.Repeat("*", 100_000) + "b", long},
		{strings.Repeat("**/a/", 60) + "b", deep},
		{strings.Repeat("**/a/", 1000) + "b", deep},
		{strings.Repeat("**/*a*/", 500) + "b", deep},
		{strings.Repeat("**/", 50_000) + "b", deep},
		{strings.Repeat("[a", 50_000) + "]", long},
		{strings.Repeat("[a-", 50_000), long},
		{strings.Repeat("[[:", 50_000), long},
		{strings.Repeat("[[:]", 50_000), long},
		{`\` + strings.Repeat("a", 100_000), long},
	} {
		start := time.Now()
		r := Parse("", []byte(c.pattern), Options{})
		i := strings.LastIndexByte(c.path, '/') + 1
		l := &Level{dir: c.path[:i], depth: strings.Count(c.path, "/")}
		l.rules = &source{Rules: r}
		if _, ok := l.Explain(c.path[i:], false); ok {
			t.Errorf("%.20q… matches", c.pattern)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%.20q… took %v", c.pattern, took)
		}
	}
}
