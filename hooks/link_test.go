package hooks_test

import (
	"io/fs"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
)

// A link that is made is judged by where it leads, too.
func TestLinkTarget(t *testing.T) {
	tree := &siteTree{entries: map[string]*edit.File{}}
	tree.put("d/out", &edit.File{Mode: fs.ModeSymlink | 0o777, Data: []byte("../../x")})
	for _, c := range []struct {
		target        string
		agent, person string // classes
	}{
		{"../a", "", ""},
		{"b/c", "", ""},
		{"/etc/passwd", hooks.ClassOutside, hooks.ClassNote},
		{"../../x", hooks.ClassOutside, hooks.ClassNote},
		{"out/y", hooks.ClassOutside, hooks.ClassNote},
		{"../.git/config", hooks.ClassGit, hooks.ClassGit},
		{"/w/.GIT/hooks", hooks.ClassGit, hooks.ClassGit},
		{"/w/a", "", ""},
		{"/elsewhere/.git/config", hooks.ClassGit, hooks.ClassGit},
	} {
		p := hooks.NewPolicy(hooks.Site{Tree: tree, Roots: []string{"/w"}})
		for who, want := range map[hooks.Who]string{hooks.Agent: c.agent, hooks.Person: c.person} {
			got := ""
			if found := p.Judge(who, hooks.Operation{Kind: hooks.Create, Path: "d/l", Found: true, Link: c.target}); len(found) > 0 {
				got = found[0].Class
			}
			if got != want {
				t.Errorf("%s by %d: %q, want %q", c.target, who, got, want)
			}
		}
	}
}
