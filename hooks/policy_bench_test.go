package hooks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/hooks"
)

// bigPolicy has a thousand rules of the forms that people write.
func bigPolicy(t testing.TB) *hooks.Config {
	var b strings.Builder
	b.WriteString("policy:\n  deny:\n")
	forms := []string{"secret%d/**", "src/pkg%d/gen.go", "**/*.key%d", "**/private%d/**", "conf/*/%d.yaml", "docs/{a,b}/%d-*.md", "**/*_%d.pb.go", "build%d", "**/[a-c]%d?", "vendor/**/x%d/*.c"}
	for i := range 1000 {
		fmt.Fprintf(&b, "    - %q\n", fmt.Sprintf(forms[i%len(forms)], i))
	}
	c, err := hooks.DecodeConfig("P", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// manyPaths are ten thousand in a thousand directories.
func manyPaths() (paths []string) {
	for i := range 10_000 {
		paths = append(paths, fmt.Sprintf("src/pkg%d/sub%d/file%d.go", i%100, i/10%10, i))
	}
	return paths
}

func BenchmarkPolicy(b *testing.B) {
	layers := []hooks.Layer{{Name: "HEAD", Place: "P", Config: bigPolicy(b)}, {Name: "worktree", Place: "P", Config: bigPolicy(b)}}
	paths := manyPaths()
	for b.Loop() {
		p := hooks.NewPolicy(hooks.Site{}, layers...)
		for _, path := range paths {
			if found := p.Judge(hooks.Agent, hooks.Operation{Kind: hooks.Write, Path: path, Found: true}); len(found) > 0 {
				b.Fatal(found)
			}
		}
	}
}

// BenchmarkPolicyOne is what one hook costs: the policy is made, one path judged.
func BenchmarkPolicyOne(b *testing.B) {
	layers := []hooks.Layer{{Name: "HEAD", Place: "P", Config: bigPolicy(b)}, {Name: "worktree", Place: "P", Config: bigPolicy(b)}}
	for b.Loop() {
		p := hooks.NewPolicy(hooks.Site{}, layers...)
		p.Judge(hooks.Agent, hooks.Operation{Kind: hooks.Write, Path: "a/b/c/d/e/f/g/h.go"})
	}
}

// TestPolicyTime: a thousand rules and ten thousand paths are judged in a time
// that a commit can wait. What is allowed here is that of a busy machine under
// the race detector.
func TestPolicyTime(t *testing.T) {
	p := hooks.NewPolicy(hooks.Site{}, hooks.Layer{Name: "HEAD", Place: "P", Config: bigPolicy(t)})
	start := time.Now()
	for _, path := range manyPaths() {
		p.Judge(hooks.Agent, hooks.Operation{Kind: hooks.Write, Path: path, Found: true})
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}
