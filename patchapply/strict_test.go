package patchapply

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
)

func TestStrictFormats(t *testing.T) {
	_, err := Parse([]byte("{}"), Options{Strict: true, Format: "edit"})
	if !errors.Is(err, &edit.Error{Code: edit.Usage}) {
		t.Errorf("the format edit, read strictly: %v", err)
	}
	_, err = Parse([]byte(strings.Repeat(" ", 9)), Options{Strict: true, Limit: 8})
	if !errors.Is(err, &edit.Error{Code: edit.TooLarge}) {
		t.Errorf("more than the limit: %v", err)
	}
}

// FuzzStrict: no panic; one error, or operations that are complete.
func FuzzStrict(f *testing.F) {
	for _, body := range []string{
		"*** Update File: f\n@@ a\n b\n-c\n+d\n*** End of File\n",
		"*** Add File: a\n+x\n *** Delete File: b\n*** Update File: c\n*** Move to: d\n\n-x\n",
		"*** Environment ID: x\n*** Update File: f\n@@\n",
	} {
		f.Add("*** Begin Patch\n" + body + "*** End Patch")
		f.Add("<<'EOF'\n*** Begin Patch\r\n" + body + " *** End Patch\nEOF")
	}
	f.Fuzz(func(t *testing.T, text string) {
		req, err := Parse([]byte(text), Options{Strict: true})
		if err != nil {
			if all := edit.Errors(nil); !errors.As(err, &all) || len(all) != 1 || all[0].Msg == "" || req != nil {
				t.Fatalf("%d errors, request %v: %v", len(all), req, err)
			}
			return
		}
		for _, op := range req.Ops {
			if op.Line == 0 || op.Tool != "apply_patch" || op.Kind == edit.Update && len(op.Hunks) == 0 {
				t.Fatalf("incomplete: %+v", op)
			}
			for _, h := range op.Hunks {
				if len(h.Lines) == 0 || len(h.Anchors) > 1 {
					t.Fatalf("incomplete: %+v", h)
				}
			}
		}
	})
}

// BenchmarkStrict reads patches of two lengths: the time of a byte must not
// grow with the length.
func BenchmarkStrict(b *testing.B) {
	for _, n := range []int{2000, 32000} {
		text := []byte("*** Begin Patch\n" + strings.Repeat("*** Update File: f\n@@ a\n-b\n+c\n*** Add File: x\n+1\n", n) + "*** End Patch")
		b.Run(fmt.Sprint(2*n, " sections"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Parse(text, Options{Strict: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
