package invisible

import (
	"strings"
	"testing"
	"time"
	"unicode"
)

func TestClean(t *testing.T) {
	type test struct{ name, text, old, want, removed string }
	same := func(name, text, old string) test { return test{name, text, old, text, ""} }
	for _, tt := range []test{
		same("ASCII", "func main() {\n\treturn\r\n}\x00\x1b[0m\x7f", ""),
		same("spaces of all kinds", "a\u00a0b\u2003c\u202fd\u3000e\u2028f\u0085g", ""),
		same("bidirectional controls", "a\u200e\u202eb\u2066", ""),
		{"zero-width space", "a\u200bb", "", "ab", "U+200B×1"},
		{"zero-width space of old", "a\u200bb", "a\u200bb", "ab", "U+200B×1"},
		{"word joiner", "a\u2060b", "", "ab", "U+2060×1"},
		{"byte order mark inside", "a\ufeffb", "", "ab", "U+FEFF×1"},
		{"byte order mark first", "\ufeffb", "", "b", "U+FEFF×1"},
		{"ascending", "\u200b\u0304a\u200b", "", "a", "U+0304×1, U+200B×2"},

		{"mark at start", "\u0304x", "", "x", "U+0304×1"},
		{"mark after a blank", "a \u0304b", "", "a b", "U+0304×1"},
		{"mark after a no-break space", "a\u00a0\u0304b", "", "a\u00a0b", "U+0304×1"},
		{"mark after LF", "x\n\u0304y", "", "x\ny", "U+0304×1"},
		{"mark after CR", "x\r\u0304y", "", "x\ry", "U+0304×1"},
		{"marks stacked on nothing", "\u0304\u0305\u0306x", "", "x", "U+0304×1, U+0305×1, U+0306×1"},
		{"mark after removed", "\u200b\u0304x", "", "x", "U+0304×1, U+200B×1"},
		{"mark after a kept hyphen that begins a line", "\u00ad\u0304x", "\u00adx", "\u00adx", "U+0304×1"},
		{"spacing mark", " \u093ex", "", " x", "U+093E×1"},
		{"selectors as marks", "\ufe00\u180bx\U000e0100", "", "x\U000e0100", "U+180B×1, U+FE00×1"},
		same("mark on a letter", "x\u0304", ""),
		same("mark on a digit", "3\u0305", ""),
		same("mark on a symbol", "=\u0338 ❤\u0301", ""),
		same("stacked marks", "x\u0304\u0305\u0306", ""),
		{"mark behind removed", "x\u200b\u0304", "", "x\u0304", "U+200B×1"},
		same("enclosing marks", "\u20ddx \u20dd 1\u20e3", ""),
		{"mark on an enclosing mark that stands alone", "\u20dd\u0301x", "", "\u20ddx", "U+0301×1"},
		same("ideographic and Mongolian variants", "葛\U000e0100 ᠠ\u180b ≨\ufe00", ""),

		same("emoji family", "👨\u200d👩\u200d👧", ""),
		same("emoji family of four", "x 👨\u200d👩\u200d👧\u200d👦 y", ""),
		same("skin tones", "👩🏽\u200d💻 🧑🏻\u200d🤝\u200d🧑🏿 👍🏾", ""),
		same("selector before joiner", "🏳\ufe0f\u200d🌈 👁\ufe0f\u200d🗨\ufe0f 🙂\u200d↔\ufe0f", ""),
		same("sign after joiner", "🕵🏻\u200d♂\ufe0f ❤\ufe0f\u200d🔥", ""),
		same("flags", "🇩🇪🇫🇷", ""),
		same("tags", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", ""),
		same("keycaps", "1\ufe0f\u20e3 #\ufe0f\u20e3 *\ufe0f\u20e3 3\u20e3", ""),
		same("styles", "❤\ufe0f ❤\ufe0e ‼\ufe0f ⁉\ufe0e ℹ\ufe0f 〰\ufe0f 〽\ufe0f ↔\ufe0f ©\ufe0f ±\ufe0e", ""),
		same("emoji younger than the Unicode tables", "\U0001fae9\ufe0f\u200d\U0001fadf", ""),
		{"joiner between letter and emoji", "a\u200d👩", "", "a👩", "U+200D×1"},
		{"joiner between emoji and letter", "👩\u200da", "", "👩a", "U+200D×1"},
		{"joiner between emoji and blank", "👩\u200d 👩", "", "👩 👩", "U+200D×1"},
		{"joiner at the end", "👩\u200d", "", "👩", "U+200D×1"},
		{"removed before joiner", "👨\u200b\u200d👩", "", "👨\u200d👩", "U+200B×1"},
		{"removed after joiner", "👨\u200d\u200b\u2060👩", "", "👨\u200d👩", "U+200B×1, U+2060×1"},
		{"joiner twice", "👨\u200d\u200d👩", "", "👨\u200d👩", "U+200D×1"},
		{"selector behind joiner", "❤\u200d\ufe0f👩", "", "❤\u200d👩", "U+FE0F×1"},
		{"selector behind removed joiner", "❤\u200d\ufe0fx", "", "❤\ufe0fx", "U+200D×1"},
		{"mark before joiner", "👨\u0301\u200d👩", "", "👨\u0301👩", "U+200D×1"},
		{"mark behind joiner", "👨\u200d\u0301👩", "", "👨\u0301👩", "U+200D×1"},
		{"non-joiner between emoji", "👨\u200c👩", "👨\u200c👩", "👨👩", "U+200C×1"},
		{"selector on a digit", "slot 1\ufe0f", "", "slot 1", "U+FE0F×1"},
		{"selector on a letter", "x\ufe0f", "", "x", "U+FE0F×1"},
		{"selector on ASCII symbols", "^\ufe0f +\ufe0f", "", "^ +", "U+FE0F×2"},
		{"second selector", "❤\ufe0f\ufe0f ❤\ufe0e\ufe0f", "", "❤\ufe0f ❤\ufe0e", "U+FE0F×2"},
		{"selector after a mark", "❤\u0301\ufe0f", "", "❤\u0301", "U+FE0F×1"},
		{"text style in a keycap", "1\ufe0e\u20e3", "", "1\u20e3", "U+FE0E×1"},
		{"keycap with removed", "1\u200b\ufe0f\u200d\u20e3", "", "1\ufe0f\u20e3", "U+200B×1, U+200D×1"},
		{"letter keycap", "a\ufe0f\u20e3", "", "a\u20e3", "U+FE0F×1"},
		{"two selectors in a keycap", "1\ufe0f\ufe0f\u20e3", "", "1\ufe0f\u20e3", "U+FE0F×1"},

		same("Persian", "نمی\u200cشود", "می\u200cشود"),
		{"Persian without witness", "نمی\u200cشود", "", "نمیشود", "U+200C×1"},
		{"Persian with Hindi as witness", "نمی\u200cشود", "क्\u200cष", "نمیشود", "U+200C×1"},
		{"Persian with the other joiner", "نمی\u200cشود", "می\u200dشود", "نمیشود", "U+200C×1"},
		same("Persian, other letters", "ها\u200cی", "می\u200cشود"),
		same("Arabic vowel signs", "مِ\u200cشَ", "می\u200cشود"),
		same("Syriac", "ܐ\u200cܒ", "ܓ\u200cܕ"),
		same("Hindi", "क्\u200dष क्\u200cष", "र्\u200dय त्\u200cव"),
		{"Hindi without witness", "क्\u200dष", "कष", "क्ष", "U+200D×1"},
		same("Bengali, mark behind joiner", "র\u200d্য", "র\u200d্যা"),
		same("Sinhala", "ශ්\u200dරී", "ක්\u200dර"),
		same("Malayalam", "ന്\u200dറ", "ന്\u200dമ"),
		{"joiner at the end of a word", "ന്\u200d ന", "ന്\u200dമ", "ന് ന", "U+200D×1"},
		{"non-joiner between two scripts", "ش\u200cक", "ش\u200cش क\u200cक", "شक", "U+200C×1"},
		{"joiner between Latin letters", "a\u200db", "a\u200db", "ab", "U+200D×1"},
		{"joiner of old beside a break", "ش\u200cش", "ش\u200c\nش", "شش", "U+200C×1"},
		same("joiners in sequence", "ل\u200d\u200c\u200dا", "ل\u200d\u200c\u200dا"),
		{"removed inside", "ش\u200b\u200c\u0304\u2060ش", "ش\u200cش", "ش\u200c\u0304ش", "U+200B×1, U+2060×1"},

		same("soft hyphen", "soft\u00adware b", "soft\u00adware a"),
		{"soft hyphen elsewhere", "so\u00adftware b", "soft\u00adware a", "software b", "U+00AD×1"},
		{"soft hyphen without witness", "soft\u00adware", "", "software", "U+00AD×1"},
		same("soft hyphen at the end of a line", "a\u00ad\r\nb\u00ad", "b\u00ad\nxa\u00ad"),
		same("soft hyphen at the start of a line", "\u00ada\n\u00adb", "x\n\u00ada\r\u00adb"),
		{"soft hyphen through removed", "a\u200b\u00ad\u2060b", "a\u00ad\ufeffb", "a\u00adb", "U+200B×1, U+2060×1"},
		{"soft hyphen through floating marks", " \u0304\u00ad\u0304b", " \u00adb", " \u00adb", "U+0304×2"},
		same("soft hyphen beside a mark", "e\u0301\u00adb", "e\u0301\u00adb"),
		{"soft hyphen without the mark", "e\u0301\u00adb", "e\u00adb", "e\u0301b", "U+00AD×1"},

		same("bytes that are not UTF-8", "a\xe2\x80\u200b\x8b", ""),
		{"old that is not UTF-8", "a\u00adb", "\xff\u00ad\xe2a\u00adb\xc2", "a\u00adb", ""},
	} {
		got, removed := Clean(tt.text, tt.old, false)
		if got != tt.want || removed.String() != tt.removed {
			t.Errorf("%s: Clean(%+q, %+q) = %+q, %q; want %+q, %q", tt.name, tt.text, tt.old, got, removed, tt.want, tt.removed)
		}
	}
}

func TestCleanWhole(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeffa\ufeff":       "\ufeffa",
		"\ufeff\ufeffa":       "\ufeffa",
		"\u200b\ufeffa":       "a",
		"\ufeff\u0304a":       "\ufeffa",
		"a\n\ufeffb":          "a\nb",
		"\ufeff":              "\ufeff",
		"\ufeff\u200d👩\ufe0f": "\ufeff👩\ufe0f",
	} {
		if got, _ := Clean(text, "", true); got != want {
			t.Errorf("Clean(%+q) = %+q, want %+q", text, got, want)
		}
	}
}

func TestStripAndOnly(t *testing.T) {
	for _, tt := range []struct {
		text, strip string
	}{
		{"", ""},
		{"\u200b", ""},
		{"\u200b\u0304\ufe0f\u200d\u200c\u00ad\u2060\ufeff\ufe00\u093e", ""},
		{"\u200b\n", "\n"},
		{"\u200b ", " "},
		{"\u20dd", "\u20dd"},
		{"می\u200cشود a\u200bb", "میشود ab"},
		{"👨\u200d👩", "👨\u200d👩"},
		{"\xff\u200b", "\xff\u200b"},
	} {
		got, _ := Strip(tt.text)
		if got != tt.strip {
			t.Errorf("Strip(%+q) = %+q, want %+q", tt.text, got, tt.strip)
		}
		if want := tt.text != "" && tt.strip == ""; Only(tt.text) != want {
			t.Errorf("Only(%+q) = %t", tt.text, !want)
		}
	}
}

func TestCountsAdd(t *testing.T) {
	c := Counts{zeroWidthSpace: 1}
	c.Add(Counts{zeroWidthSpace: 2, 0x304: 1})
	c.Add(nil)
	Counts(nil).Add(nil)
	if got := c.String(); got != "U+0304×1, U+200B×3" {
		t.Error(got)
	}
	if got := (Counts{0x1f3fb: 1, softHyphen: 1}).String(); got != "U+00AD×1, U+1F3FB×1" {
		t.Error(got)
	}
}

// Text that loses nothing is returned without a copy.
func TestCleanAllocates(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("plain text\n", 100),
		strings.Repeat("Ünïcode、漢字 क्ष x\u0304\n", 100),
		strings.Repeat("👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3", 100),
	} {
		if n := testing.AllocsPerRun(10, func() { Clean(text, text, false) }); n != 0 {
			t.Errorf("%v allocations for %.20q…", n, text)
		}
	}
}

// One run of this length would take many minutes if it were read once for each
// of its characters.
func TestCleanIsLinear(t *testing.T) {
	const n = 1 << 18
	start := time.Now()
	for _, s := range []string{"\u00ad", "\u200d", "\u200c", "\ufe0f", "\u0304", "\u00ad\u0304", "\u200d\ufe0f", "\u20dd\u00ad", "\u00ad "} {
		run := strings.Repeat(s, n)
		for _, ends := range [][2]string{{"", ""}, {"a", "b"}, {"👩", "👩"}, {"1", "\u20e3"}, {"ش", "ش"}} {
			text := ends[0] + run + ends[1]
			Clean(text, text, false)
		}
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

// The range that emojiBase takes for emoji, unassigned ones too, holds nothing
// else in the tables of this Go.
func TestEmojiRange(t *testing.T) {
	for r := rune(0x1F300); r <= 0x1FAFF; r++ {
		if unicode.IsGraphic(r) && !unicode.IsSymbol(r) {
			t.Errorf("%U is no symbol", r)
		}
	}
}

// Below the limits from which mark and joiningScript search their tables there
// is nothing to find.
func TestLimits(t *testing.T) {
	for r := rune(0); r < 0x600; r++ {
		if mark(r) != unicode.IsMark(r) {
			t.Errorf("mark(%U) = %t", r, mark(r))
		}
		if unicode.IsLetter(r) && unicode.In(r, unicode.Arabic, unicode.Syriac) {
			t.Errorf("%U is a letter with joiners", r)
		}
	}
}

func BenchmarkCleanASCII(b *testing.B) {
	text := strings.Repeat("\tif err := run(); err != nil { return err }\n", 20000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Clean(text, "", false)
	}
}

func BenchmarkCleanMixed(b *testing.B) {
	text := strings.Repeat("\tfmt.Println(\"größer als 漢字 👩\ufe0f\") // x\u0304 and some more plain text\n", 20000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Clean(text, "", false)
	}
}
