package patchapply

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// grammarLanguage is the language that the grammar must have, written down a
// second time.
var grammarLanguage = regexp.MustCompile(`\A\*\*\* Begin Patch\n(?:` +
	`\*\*\* Add File: [^\n]+\n(?:\+[^\n]*\n)+|` +
	`\*\*\* Delete File: [^\n]+\n|` +
	`\*\*\* Update File: [^\n]+\n(?:\*\*\* Move to: [^\n]+\n)?(?:(?:@@\n|@@ [^\n]+\n|[-+ ][^\n]*\n)+(?:\*\*\* End of File\n)?)?` +
	`)+\*\*\* End Patch\n?\z`)

// grammarAccepts and grammarRejects are patches between which the grammar must
// draw the line.
var (
	grammarAccepts = []string{
		"*** Begin Patch\n*** Add File: a\n+\n*** End Patch\n",
		"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch", // no LF after End
		"*** Begin Patch\n*** Update File: a\n@@ class A\n@@ def f\n-x\n+y\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n*** Move to: b c\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n@@\n x\n \n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n+x\n*** End of File\n*** Update File: b\n@@\n*** Delete File: c\n*** Add File: d\n+é\n+*** End Patch\n*** End Patch\n",
	}
	grammarRejects = []string{
		"",
		"*** Begin Patch\n*** End Patch\n",
		"*** Begin Patch\n*** Add File: a\n*** End Patch\n",
		"*** Begin Patch\n*** Delete File: a\n\n*** Delete File: b\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n@@\nx\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n@@\n\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n-x\n*** End of File\n-y\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n*** End of File\n*** End Patch\n",
		"*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\n",
		"*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore",
		"*** Begin Patch\n*** Delete File: a\n*** End Patch\n\n",
		"*** Begin Patch\n*** Delete File: \n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n@@ \n-x\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: a\n-x\n*** Move to: b\n*** End Patch\n",
		" *** Begin Patch\n*** Delete File: a\n*** End Patch\n",
		"*** Begin Patch\n*** Delete File: a\n",
	}
)

func TestGrammar(t *testing.T) {
	if len(Grammar) >= 1024 || strings.Contains(Grammar, "%ignore") {
		t.Errorf("the grammar has %d bytes, or ignores something", len(Grammar))
	}
	g := readLark(t, Grammar)
	for _, s := range grammarAccepts {
		if !g.accepts(s) || !grammarLanguage.MatchString(s) {
			t.Errorf("rejected: %q", s)
		}
	}
	for _, s := range grammarRejects {
		if g.accepts(s) || grammarLanguage.MatchString(s) {
			t.Errorf("accepted: %q", s)
		}
	}
	// Patches put together from what may stand in one, in any order: about one in
	// ten is accepted.
	pieces := []string{"*** Add File: a\n", "*** Delete File: b\n", "*** Update File: c\n", "*** Move to: d\n", "@@\n", "@@ e\n", "@@ \n", "+f\n", "+\n", "-g\n",
		" h\n", "*** End of File\n", "\n", "i\n", "*** Add File: \n", "+\r\n"}
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 20_000 {
		s := "*** Begin Patch\n"
		for range random.IntN(6) {
			s += pieces[random.IntN(len(pieces))]
		}
		s += "*** End Patch" + strings.Repeat("\n", random.IntN(3))
		want := grammarLanguage.MatchString(s)
		if g.accepts(s) != want {
			t.Fatalf("%q: accepted %v, want %v", s, !want, want)
		}
		if want {
			accepted++
		}
	}
	if accepted < 200 {
		t.Errorf("only %d patches were accepted: the test says little", accepted)
	}
}

// TestGrammarInLark asks Lark itself, by both of its parsers.
func TestGrammarInLark(t *testing.T) {
	if err := exec.Command("python3", "-c", "import lark").Run(); err != nil {
		t.Skip("python3 has no lark:", err)
	}
	const script = `
import sys, lark
parser = lark.Lark(sys.argv[1], parser=sys.argv[2])
for text in sys.argv[3:]:
    try:
        parser.parse(text)
        print("accepted")
    except lark.exceptions.LarkError:
        print("rejected")
`
	for _, parser := range []string{"lalr", "earley"} {
		args := append([]string{"-c", script, Grammar, parser}, append(grammarAccepts, grammarRejects...)...)
		out, err := exec.Command("python3", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", parser, err, out)
		}
		want := strings.Repeat("accepted\n", len(grammarAccepts)) + strings.Repeat("rejected\n", len(grammarRejects))
		if got := strings.ReplaceAll(string(out), "\r", ""); got != want {
			t.Errorf("%s: got\n%s", parser, got)
		}
	}
}

// A lark is a grammar in the part of Lark's syntax that ours uses: rules of
// strings, names, groups, alternatives and the signs ? and +; terminals that are
// a string or a regular expression.
type lark struct {
	rules map[string]larkExpr
	busy  map[string]bool // rules being matched, by place: ours must not recur at one
}

// A larkExpr returns the places where a match that begins at one of the places
// can end.
type larkExpr func(g *lark, text string, from map[int]bool) map[int]bool

func readLark(t *testing.T, grammar string) *lark {
	t.Helper()
	g := &lark{rules: map[string]larkExpr{}}
	for line := range strings.Lines(grammar) {
		name, body, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || !regexp.MustCompile(`^([a-z_]+|[A-Z_]+)$`).MatchString(name) || g.rules[name] != nil {
			t.Fatalf("not a rule: %q", line)
		}
		p := larkParser{t: t, tokens: larkTokens(t, body)}
		g.rules[name] = p.alternatives()
		if len(p.tokens) > 0 {
			t.Fatalf("%s: left over: %q", name, p.tokens)
		}
	}
	return g
}

func (g *lark) accepts(text string) bool {
	g.busy = map[string]bool{}
	return g.rules["start"](g, text, map[int]bool{0: true})[len(text)]
}

var larkToken = regexp.MustCompile(`^\s*("(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/|[a-zA-Z_]+|[()|?+])`)

func larkTokens(t *testing.T, s string) (tokens []string) {
	for s = strings.TrimSpace(s); s != ""; {
		m := larkToken.FindStringSubmatch(s)
		if m == nil {
			t.Fatalf("not in the part of Lark that is understood: %q", s)
		}
		tokens = append(tokens, m[1])
		s = s[len(m[0]):]
	}
	return tokens
}

type larkParser struct {
	t      *testing.T
	tokens []string
}

func (p *larkParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *larkParser) alternatives() larkExpr {
	all := []larkExpr{p.sequence()}
	for p.peek() == "|" {
		p.tokens = p.tokens[1:]
		all = append(all, p.sequence())
	}
	return func(g *lark, text string, from map[int]bool) map[int]bool {
		to := map[int]bool{}
		for _, e := range all {
			for i := range e(g, text, from) {
				to[i] = true
			}
		}
		return to
	}
}

func (p *larkParser) sequence() larkExpr {
	var all []larkExpr
	for t := p.peek(); t != "" && t != "|" && t != ")"; t = p.peek() {
		all = append(all, p.repeated())
	}
	if len(all) == 0 {
		p.t.Fatal("an empty alternative")
	}
	return func(g *lark, text string, from map[int]bool) map[int]bool {
		for _, e := range all {
			from = e(g, text, from)
		}
		return from
	}
}

func (p *larkParser) repeated() larkExpr {
	one := p.atom()
	switch p.peek() {
	case "?":
		p.tokens = p.tokens[1:]
		return func(g *lark, text string, from map[int]bool) map[int]bool {
			to := one(g, text, from)
			for i := range from {
				to[i] = true
			}
			return to
		}
	case "+":
		p.tokens = p.tokens[1:]
		return func(g *lark, text string, from map[int]bool) map[int]bool {
			all := map[int]bool{}
			for len(from) > 0 {
				next := map[int]bool{}
				for i := range one(g, text, from) {
					if !all[i] {
						all[i], next[i] = true, true
					}
				}
				from = next
			}
			return all
		}
	}
	return one
}

func (p *larkParser) atom() larkExpr {
	token := p.peek()
	if token == "" {
		p.t.Fatal("the rule breaks off")
	}
	p.tokens = p.tokens[1:]
	switch token[0] {
	case '(':
		e := p.alternatives()
		if p.peek() != ")" {
			p.t.Fatal("a group is not closed")
		}
		p.tokens = p.tokens[1:]
		return e
	case '"':
		s, err := strconv.Unquote(token)
		if err != nil {
			p.t.Fatal(err)
		}
		return func(_ *lark, text string, from map[int]bool) map[int]bool {
			to := map[int]bool{}
			for i := range from {
				if strings.HasPrefix(text[i:], s) {
					to[i+len(s)] = true
				}
			}
			return to
		}
	case '/':
		re := regexp.MustCompile(`\A(?:` + token[1:len(token)-1] + `)\z`)
		return func(_ *lark, text string, from map[int]bool) map[int]bool {
			to := map[int]bool{}
			for i := range from {
				for j := i + 1; j <= len(text); j++ {
					if re.MatchString(text[i:j]) {
						to[j] = true
					}
				}
			}
			return to
		}
	}
	return func(g *lark, text string, from map[int]bool) map[int]bool {
		to := map[int]bool{}
		for i := range from {
			at := fmt.Sprint(token, i)
			if g.rules[token] == nil || g.busy[at] {
				panic("the rule is missing, or begins with itself: " + token)
			}
			g.busy[at] = true
			for j := range g.rules[token](g, text, map[int]bool{i: true}) {
				to[j] = true
			}
			g.busy[at] = false
		}
		return to
	}
}
