package ignore_test

import (
	"fmt"

	"github.com/chordgit/chordgit/snapshot/internal/ignore"
)

func Example() {
	var opt ignore.Options // core.ignoreCase
	global := ignore.Parse("~/.config/git/ignore", []byte("*~\n"), opt)
	own := ignore.Parse(".gitignore", []byte("*.log\n/build/\n"), opt)

	top := ignore.New(own, global)
	fmt.Println(top.Ignored("build", true)) // and nobody needs to look inside

	// A nested repository would start with New again.
	docs := top.Enter("docs", ignore.Parse("docs/.gitignore", []byte("!keep.log\n"), opt))
	fmt.Println(docs.Ignored("build", true), docs.Ignored("a.log", false), docs.Ignored("keep.log", false))

	m, _ := docs.Explain("keep.log", false)
	fmt.Printf("%s:%d: %s\n", m.Source, m.Line, m.Pattern)
	// Output:
	// true
	// false true false
	// docs/.gitignore:1: !keep.log
}
