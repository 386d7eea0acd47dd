package jsonspan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit/internal/jsonspan"
)

func TestParse(t *testing.T) {
	text := []byte(" {\"a\\u0062\" : [ 1 , {\"deep\":[2]} ], \"c\":\"x\\\"\" }\n")
	v, err := jsonspan.Parse(text, 2)
	if err != nil {
		t.Fatal(err)
	}
	at := func(v jsonspan.Value) string { return string(text[v.Start:v.End]) }
	if len(v.Members) != 2 || v.Members[0].Key != "ab" || v.Members[1].Key != "c" || string(text[v.Members[0].Start:v.Members[0].KeyEnd]) != `"a\u0062"` {
		t.Fatalf("members: %+v", v.Members)
	}
	list := v.Members[0].Value
	if at(v) != strings.TrimSpace(string(text)) || at(list) != `[ 1 , {"deep":[2]} ]` || len(list.Items) != 2 || at(list.Items[0]) != "1" || at(list.Items[1]) != `{"deep":[2]}` {
		t.Errorf("%q: %+v", at(list), list)
	}
	if list.Items[1].Members != nil {
		t.Errorf("what lies deeper than asked for is listed: %+v", list.Items[1])
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "line 1: the JSON breaks off",
		"{\n\"a\":1,\n}":         `line 3: "\"" is expected`,
		"[1 2]":                  `line 1: a comma or "]" is expected`,
		"[,1]":                   "line 1: a value is expected",
		"{\"a\" 1}":              `line 1: ":" is expected`,
		"\"a\nb\"":               "line 1: a control character stands in a string",
		`"\x"`:                   "line 1: an escape is of no known kind",
		`"\u12g4"`:               "line 1: an escape has no four hexadecimal digits",
		`"abc`:                   "line 1: the JSON breaks off",
		"1.x":                    "line 1: a digit is expected",
		"01":                     "line 1: more follows after the value",
		"{} {}":                  "line 1: more follows after the value",
		strings.Repeat("[", 1e6): "line 1: the JSON is nested more than 500 deep",
	} {
		_, err := jsonspan.Parse([]byte(text), 3)
		var e *jsonspan.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

func TestString(t *testing.T) {
	for raw, want := range map[string]string{`"a\n\u00e9\/"`: "a\né/", `"\ud83d\ude00"`: "😀", `""`: ""} {
		if s, ok := jsonspan.String([]byte(raw)); s != want || !ok {
			t.Errorf("%s: %q, %v", raw, s, ok)
		}
	}
	for _, raw := range []string{`"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `12`} {
		if s, ok := jsonspan.String([]byte(raw)); ok {
			t.Errorf("%s is taken for %q", raw, s)
		}
	}
	for s, want := range map[string][2]string{"é\"\\\x1b\n😀": {`"é\"\\\u001b\n😀"`, `"\u00e9\"\\\u001b\n\ud83d\ude00"`}} {
		if got := [2]string{jsonspan.Quote(s, false), jsonspan.Quote(s, true)}; got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// FuzzParse: no panic; what encoding/json takes is taken; spans are those of
// valid JSON; strings decode as they do there and back to what they were.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e+3,true,null],"b":{"c":"\ud83d\ude00\\"}}`, `[NaN,-Infinity]`, "[ ]", `"\ud800"`, `[1,`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := jsonspan.Parse(text, 4)
		if valid := json.Valid(text); valid && err != nil && !strings.Contains(err.Error(), "deep") {
			t.Fatalf("valid, but: %v", err)
		} else if err != nil {
			return
		} else if !valid && !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
			t.Fatal("not valid")
		}
		var walk func(v jsonspan.Value)
		walk = func(v jsonspan.Value) {
			if v.Start < 0 || v.End > len(text) || v.Start >= v.End {
				t.Fatalf("span %d-%d", v.Start, v.End)
			}
			raw := text[v.Start:v.End]
			if s, ok := jsonspan.String(raw); ok {
				var want string
				if err := json.Unmarshal(raw, &want); err != nil || want != strings.ToValidUTF8(s, "\ufffd") && want == s {
					t.Fatalf("%s: %q, want %q", raw, s, want)
				}
				for _, ascii := range []bool{false, true} {
					s := strings.ToValidUTF8(s, "?")
					if back, ok := jsonspan.String([]byte(jsonspan.Quote(s, ascii))); !ok || back != s {
						t.Fatalf("%q comes back as %q", s, back)
					}
				}
			}
			for _, m := range v.Members {
				walk(m.Value)
			}
			for _, i := range v.Items {
				walk(i)
			}
		}
		walk(v)
	})
}
