package object

import (
	"reflect"
	"strings"
	"testing"
)

const commitText = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n" +
	"parent 1111111111111111111111111111111111111111\n" +
	"parent 2222222222222222222222222222222222222222\n" +
	"author A U Thor <a@localhost> 1700000000 +0100\n" +
	"committer C <c@localhost> 1700000001 +0000\n" +
	"gpgsig -----BEGIN PGP SIGNATURE-----\n parent 3\n -----END PGP SIGNATURE-----\n" +
	"\nsubject\n\nCo-authored-by: B <b@localhost>\n"

func TestParseCommit(t *testing.T) {
	c, err := SHA1.ParseCommit([]byte(commitText))
	if err != nil {
		t.Fatal(err)
	}
	one, _ := ParseID(strings.Repeat("1", 40))
	two, _ := ParseID(strings.Repeat("2", 40))
	want := &CommitObject{
		Tree: SHA1.EmptyTree(), Parents: []ID{one, two},
		Author: "A U Thor <a@localhost> 1700000000 +0100", Committer: "C <c@localhost> 1700000001 +0000",
		Message: "subject\n\nCo-authored-by: B <b@localhost>\n",
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v", c)
	}
	for _, bad := range []string{"", "tree x\n", strings.Replace(commitText, "parent 1", "parent x", 1)} {
		if c, err := SHA1.ParseCommit([]byte(bad)); err == nil {
			t.Errorf("%q: got %+v", bad, c)
		}
	}
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte(commitText))
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := SHA1.ParseCommit(data)
		// Digits may be capitals, as for git.
		if err == nil && (!strings.HasPrefix(strings.ToLower(string(data)), "tree "+c.Tree.String()) || !strings.HasSuffix(string(data), c.Message)) {
			t.Errorf("%q: %+v", data, c)
		}
	})
}
