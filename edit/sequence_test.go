package edit

import "testing"

// The words are Rust's, as Codex prints them.
func TestBadUTF8(t *testing.T) {
	for data, want := range map[string]string{
		"":                   "",
		"ok 提示":              "",
		"\uFFFD":             "",
		"ok\xe9\n":           "invalid utf-8 sequence of 1 bytes from index 2",
		"\xff":               "invalid utf-8 sequence of 1 bytes from index 0",
		"ok\xe4\xb8":         "incomplete utf-8 byte sequence from index 2",
		"ok\xe4\xb8z":        "invalid utf-8 sequence of 2 bytes from index 2",
		"ok\xf0\x90\x80z":    "invalid utf-8 sequence of 3 bytes from index 2",
		"ok\xf0\x90\x80":     "incomplete utf-8 byte sequence from index 2",
		"\xed\xa0\x80 half":  "invalid utf-8 sequence of 1 bytes from index 0",
		"\xc3":               "incomplete utf-8 byte sequence from index 0",
		"\xc0\xaf overlong ": "invalid utf-8 sequence of 1 bytes from index 0",
	} {
		if got := badUTF8([]byte(data)); got != want {
			t.Errorf("%q: %q, want %q", data, got, want)
		}
	}
}
