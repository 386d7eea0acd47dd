package ignore

import (
	"fmt"
	"strings"
	"testing"
)

// benchRules are 300 patterns as projects have them: names, directories,
// extensions, anchored paths, and a few that have to be matched.
func benchRules(opt Options) *Rules {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "name%d\ndir%d/\n*.ext%d\n/anchored%d\n", i, i, i, i)
	}
	for i := range 10 {
		fmt.Fprintf(&b, "out%d/gen/*.txt\n**/deep%d/\nsrc/**/made%d.go\npre%d-*\n", i, i, i, i)
	}
	b.WriteString("*~\n.#*\n[._]*.s[a-w][a-z]\n*.py[cod]\n**/[Pp]ackages/*\n!**/[Pp]ackages/build/\n!keep*\n*.tmp\nnode_modules/\n.DS_Store\n" +
		"*.o\n*.a\n*.so\n*.dll\n*.exe\n*.log\n.env\n.env.*\n!.env.example\n/dist\n")
	return Parse(".gitignore", []byte(b.String()), opt)
}

// benchTree is 100,000 entries in 1,000 directories three levels down.
func benchTree(opt Options) (dirs []*Level, names []string) {
	top := New(benchRules(opt), nil, Parse("info", []byte("*.local\n"), opt))
	for i := range 10 {
		a := top.Enter(fmt.Sprintf("src%d", i), nil)
		for j := range 10 {
			b := a.Enter(fmt.Sprintf("package%d", j), nil)
			for k := range 10 {
				dirs = append(dirs, b.Enter(fmt.Sprintf("part%d", k), nil))
			}
		}
	}
	for i := range 100 {
		names = append(names, fmt.Sprintf([]string{"file_%d.go", "Component%d.tsx", "README%d", "test-%d.json", "made%d.go", "x%d.o"}[i%6], i))
	}
	return dirs, names
}

func BenchmarkIgnored(b *testing.B) {
	for _, opt := range []Options{{}, {FoldCase: true}} {
		dirs, names := benchTree(opt)
		b.Run(fmt.Sprintf("fold=%v", opt.FoldCase), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, d := range dirs {
					for _, n := range names {
						d.Ignored(n, false)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e5, "ns/entry")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	var big strings.Builder
	for _, r := range benchRules(Options{}).rules {
		big.WriteString(r.text + "\n")
	}
	for _, c := range []struct{ name, text string }{{"3", "/build\n*.o\nnode_modules/\n"}, {"300", big.String()}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse("", []byte(c.text), Options{})
			}
		})
	}
}

func TestIgnoredAllocates(t *testing.T) {
	for _, opt := range []Options{{}, {FoldCase: true}} {
		dirs, names := benchTree(opt)
		if n := testing.AllocsPerRun(10, func() {
			for _, name := range names {
				dirs[0].Ignored(name, true)
			}
		}); n != 0 {
			t.Errorf("%+v: %v allocations for %d names", opt, n, len(names))
		}
	}
}
