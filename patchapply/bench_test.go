package patchapply

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse reads requests of 50 MB, and of a tenth of that: the time of a
// byte must not grow with the length.
func BenchmarkParse(b *testing.B) {
	line := func(i int) string { return fmt.Sprintf("    value%d := parse.token(%d)", i, i*7919%65536) }
	repeat := func(size int, part func(i int) string) string {
		var s strings.Builder
		for i := 0; s.Len() < size; i++ {
			s.WriteString(part(i))
		}
		return s.String()
	}
	for _, bb := range []struct {
		name string
		text func(size int) string
	}{
		{"envelope", func(size int) string {
			return "*** Begin Patch\n" + repeat(size, func(i int) string {
				return fmt.Sprintf("*** Update File: f%d\n@@ func f()\n %s\n-%s\n+%s\n", i, line(i), line(i+1), line(i+2))
			}) + "*** End Patch\n"
		}},
		{"add", func(size int) string {
			return "*** Begin Patch\n*** Add File: f\n" + repeat(size, func(i int) string { return "+" + line(i) + "\n" }) + "*** End Patch\n"
		}},
		{"diff", func(size int) string {
			return repeat(size, func(i int) string {
				return fmt.Sprintf("--- a/f%d\n+++ b/f%d\n@@ -1,2 +1,2 @@\n %s\n-%s\n+%s\n", i, i, line(i), line(i+1), line(i+2))
			})
		}},
		{"blocks", func(size int) string {
			return repeat(size, func(i int) string {
				return fmt.Sprintf("src/f%d\n<<<<<<< SEARCH\n%s\n=======\n%s\n>>>>>>> REPLACE\n\n", i, line(i), line(i+1))
			})
		}},
		{"edits", func(size int) string {
			old, err := json.Marshal(line(1))
			if err != nil {
				b.Fatal(err)
			}
			return `{"path":"f","edits":[` + repeat(size, func(i int) string {
				return fmt.Sprintf(`{"old_string":%s,"new_string":"x%d"},`, old, i)
			}) + `{"old_string":"a","new_string":"b"}]}`
		}},
		{"write", func(size int) string {
			content, err := json.Marshal(repeat(size, func(i int) string { return line(i) + "\n" }))
			if err != nil {
				b.Fatal(err)
			}
			return `{"name":"Write","input":{"file_path":"f","content":` + string(content) + `}}`
		}},
	} {
		for _, size := range []int{5 << 20, 50 << 20} {
			b.Run(fmt.Sprintf("%s/%dMB", bb.name, size>>20), func(b *testing.B) {
				text := []byte(bb.text(size))
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if _, err := Parse(text, Options{Exists: func(string) bool { return true }}); err != nil {
						b.Fatal(err.Error()[:min(len(err.Error()), 300)])
					}
				}
			})
		}
	}
}
