package charset

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{
		china, mixed, "caf\xE9\n", "\xEF\xBB\xBFa\xEF\xBB\xBF", "\xFF\xFEa\x00\x3D\xD8\x00\xDE", "\xFE\xFF\xD8\x3D\xDE\x00",
		"\xFF\xFE\x00\x00a\x00\x00\x00", "\x00\x00\xFE\xFF\x00\x01\xF6\x00", "\x84\x31\xA4\x37",
		stored(f, simplifiedchinese.GB18030, china+"😀\ufffd"), stored(f, big5{traditionalchinese.Big5}, taiwan),
		stored(f, japanese.ShiftJIS, japan), stored(f, korean.EUCKR, korea), stored(f, japanese.EUCJP, japan),
	} {
		f.Add([]byte(s), "new é 漢 😀", uint(7), uint(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, added string, from, length uint) {
		original := bytes.Clone(data)
		e, text, err := Decode(data)
		if err != nil {
			return
		}
		back, err := e.Encode(text)
		if err != nil || !bytes.Equal(back, original) {
			t.Fatalf("%s: % X came back as % X, %v", e.Name(), original, back, err)
		}
		if !e.Bytes() && !utf8.Valid(text) {
			t.Fatalf("%s: text is not UTF-8: %q", e.Name(), text)
		}
		checkNew(t, e, added)
		checkEdit(t, e, original, text, from, length)
	})
}

// checkNew holds what the encoding says about new text against what it does.
func checkNew(t *testing.T, e *Encoding, added string) {
	checked := e.Check(added)
	if e.Bytes() {
		ascii := strings.IndexFunc(added, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
		if (checked == nil) != ascii {
			t.Fatalf("%q in byte-transparent mode: %v", added, checked)
		}
		return
	}
	stored, err := e.Encode([]byte(added))
	if (checked == nil) != (err == nil) {
		t.Fatalf("%s, %q: checked %v, encoded %v", e.Name(), added, checked, err)
	}
	var bad *UnencodableError
	if errors.As(err, &bad) {
		if e.Check(added[:bad.Offset]) != nil || bad.Rune >= 0 && !strings.HasPrefix(added[bad.Offset:], string(bad.Rune)) {
			t.Fatalf("%s, %q: %v at %d", e.Name(), added, err, bad.Offset)
		}
		return
	}
	// What is written means what was asked for: no substitutes.
	text, err := e.decode(stored[len(e.mark):])
	if err != nil || string(text) != added {
		t.Fatalf("%s: %q is read as %q, %v", e.Name(), added, text, err)
	}
}

// checkEdit replaces a part of the text by ASCII: all bytes around it stay.
func checkEdit(t *testing.T, e *Encoding, data, text []byte, from, length uint) {
	start := boundary(text, int(from%uint(len(text)+1)))
	end := boundary(text, start+int(length%uint(len(text)-start+1)))
	before, err1 := e.Encode(text[:start])
	after, err2 := e.Encode(text[end:])
	whole, err3 := e.Encode(bytes.Join([][]byte{text[:start], []byte("x = 1\n"), text[end:]}, nil))
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	after = after[len(e.mark):]
	if !bytes.HasPrefix(data, before) || !bytes.HasPrefix(whole, before) {
		t.Fatalf("%s: bytes before the edit: % X in % X and % X", e.Name(), before, data, whole)
	}
	if !bytes.HasSuffix(data, after) || !bytes.HasSuffix(whole, after) {
		t.Fatalf("%s: bytes behind the edit: % X in % X and % X", e.Name(), after, data, whole)
	}
}

// boundary returns the start of the character at i.
func boundary(text []byte, i int) int {
	if utf8.Valid(text) {
		for i < len(text) && !utf8.RuneStart(text[i]) {
			i--
		}
	}
	return i
}
