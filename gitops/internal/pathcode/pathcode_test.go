package pathcode

import (
	"strings"
	"testing"
)

// TestCoding keeps paths of any bytes through JSON.
func TestCoding(t *testing.T) {
	for _, tt := range []struct{ path, coded string }{
		{"a/b.txt", "a/b.txt"},
		{"caf\xe9.txt", "caf%E9.txt"},
		{"100%25", "100%2525"},
		{"a\nb", "a%0Ab"},
		{"日本", "日本"},
		{"\u0085x", "%C2%85x"},
		{"%zz", "%25zz"},
	} {
		if got := Encode(tt.path); got != tt.coded {
			t.Errorf("%q is coded %q, want %q", tt.path, got, tt.coded)
		}
		if got := Decode(Encode(tt.path)); got != tt.path {
			t.Errorf("%q comes back as %q", tt.path, got)
		}
	}
}

func FuzzCoding(f *testing.F) {
	f.Add("a%b\xffc\n")
	f.Fuzz(func(t *testing.T, path string) {
		coded := Encode(path)
		if got := Decode(coded); got != path {
			t.Errorf("%q comes back as %q", path, got)
		}
		if strings.ContainsFunc(coded, func(r rune) bool { return r < 0x20 }) {
			t.Errorf("%q is coded %q", path, coded)
		}
	})
}
