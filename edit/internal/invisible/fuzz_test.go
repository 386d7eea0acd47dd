package invisible

import (
	"maps"
	"math/rand/v2"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzClean(f *testing.F) {
	for _, s := range [][2]string{
		{"plain\r\ntext", ""},
		{"a\u200bb", "a\u200bb"},
		{"\u0304x \u0304y\n\u20dd\u0301", ""},
		{"👨\u200b\u200d👩🏽\u200d\ufe0f💻", ""},
		{"1\ufe0f\u20e3 ❤\u200d\ufe0fx\ufe0e", ""},
		{"نمی\u200cشود", "می\u200cشود"},
		{"क्\u200dष\u200d", "र्\u200dय"},
		{"soft\u00adware b", "soft\u00adware a"},
		{" \u00ad\u0304b", " \u00ad\u0304b"},
		{"\ufeffa\ufeff", "\ufeff"},
		{"\xe2\x80\u200b\x8b", "\xc2"},
	} {
		f.Add(s[0], s[1], false)
		f.Add(s[0], s[1], true)
	}
	f.Fuzz(checkClean)
}

// Random mixtures of the characters that matter reach combinations that a
// fuzzer of bytes seldom meets.
func TestCleanMixtures(t *testing.T) {
	alphabet := []rune("ab 1\n\r\t\u00a0\u00ad\u00ad\u200b\u200c\u200d\u200d\u2060\ufeff\ufe0e\ufe0f\ufe0f\u0301\u20dd\u20e3\ufe00\u093e❤👩🏽ℹشیक\u094dष\U000e0067")
	rng := rand.New(rand.NewPCG(1, 2))
	mixture := func() string {
		s := make([]rune, rng.IntN(9))
		for i := range s {
			s[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return string(s)
	}
	for range 300_000 {
		text, old := mixture(), mixture()
		checkClean(t, text, old, rng.IntN(2) == 0)
		checkClean(t, text, text+old, false)
		if t.Failed() {
			t.Fatalf("text %+q, old %+q", text, old)
		}
	}
}

func checkClean(t *testing.T, text, old string, whole bool) {
	got, removed := Clean(text, old, whole)
	if again, r := Clean(got, old, whole); again != got || len(r) > 0 {
		t.Errorf("not idempotent: %+q, then %+q (%v)", got, again, r)
	}
	if !utf8.ValidString(text) || asciiLen(text) == len(text) {
		if got != text || removed != nil {
			t.Errorf("changed to %+q (%v)", got, removed)
		}
		return
	}
	if diff := missing(t, text, got); !maps.Equal(diff, removed) {
		t.Errorf("%+q lost %v, reported %v", got, diff, removed)
	}
	if a, b := floating(text), floating(got); !maps.Equal(a, marksOf(removed)) || len(b) > 0 {
		t.Errorf("floating marks %v, removed %v, left %v", a, removed, b)
	}
	if _, r := Clean(text, text, whole); r[softHyphen] > 0 {
		t.Errorf("%d soft hyphens lost though old is the text itself", r[softHyphen])
	}
	if s, _ := Strip(text); Only(text) != (s == "") {
		t.Errorf("Only = %t, Strip = %+q", Only(text), s)
	}
}

// missing returns what part lacks of text and fails if part is not text with
// some of the cleaning set left out.
func missing(t *testing.T, text, part string) Counts {
	lost := Counts{}
	for _, r := range text {
		p, size := utf8.DecodeRuneInString(part)
		if size > 0 && p == r {
			part = part[size:]
			continue
		}
		if !hidden(r) && !unicode.In(r, unicode.Mn, unicode.Mc) {
			t.Fatalf("%U is gone", r)
		}
		lost[r]++
	}
	if part != "" {
		t.Fatalf("%+q is new", part)
	}
	return lost
}

func floating(text string) Counts {
	c := Counts{}
	var m Marks
	for _, r := range text {
		if m.Floats(r) {
			c[r]++
		}
	}
	return c
}

func marksOf(c Counts) Counts {
	marks := Counts{}
	for r, n := range c {
		if !hidden(r) {
			marks[r] = n
		}
	}
	return marks
}
