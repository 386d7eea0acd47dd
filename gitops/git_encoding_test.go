package gitops

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestGitEncoding: turns and sessions that are stored are read by what members are
// called, so what is told of git's own state keeps its exact form.
func TestGitEncoding(t *testing.T) {
	for _, tt := range []struct {
		name, stored string
		into         any
	}{
		{"HEAD", `{"before":{"ref":"refs/heads/main","oid":"10e1"},"after":{"oid":"20e2"}}`, &metaHeads{}},
		{"unborn HEAD", `{"before":{"ref":"refs/heads/main"},"after":{}}`, &metaHeads{}},
		{"nothing moved", `{}`, &metaGit{}},
		{"all moved", `{"refs":[{"name":"refs/heads/main","before":"10e1","after":"20e2"},{"name":"refs/tags/v1","after":"20e2"}],` +
			`"stash":{"before":[{"id":"30e3","message":"WIP on main: %E9"}],"after":[]},` +
			`"operation":{"before":"merge","after":"rebase"},` +
			`"moves":[{"kind":"switch","from":"10e1","to":"20e2"},{"kind":"pull","to":"10e1"}],` +
			`"carried":412,"edited":["a","caf%E9"],"index":"changed",` +
			`"flags":[{"path":"a","before":"assume-unchanged","after":"assume-unchanged,intent-to-add"},{"path":"b"}]}`, &metaGit{}},
		{"the operation alone", `{"operation":{"after":"bisect"},"index":"unknown"}`, &metaGit{}},
		{"start", `{"log":{"size":150,"sum":"d1"},"operation":"merge",` +
			`"index":{"size":104,"mtime":1796000000000000000,"sum":"00ff"},"stash":[{"id":"30e3"}]}`, &gitStart{}},
		{"start without anything", `{"log":{"size":0},"index":{"absent":true},"stash":null}`, &gitStart{}},
	} {
		d := json.NewDecoder(strings.NewReader(tt.stored))
		d.DisallowUnknownFields()
		if err := d.Decode(tt.into); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got, err := json.Marshal(tt.into); err != nil || !bytes.Equal(got, []byte(tt.stored)) {
			t.Errorf("%s: %v\n got %s\nwant %s", tt.name, err, got, tt.stored)
		}
	}
	data, err := json.Marshal(&meta{Head: metaHeads{After: metaHead{OID: "20e2"}}, Git: metaGit{Index: indexUnknown}})
	for _, member := range []string{`"head":{"before":{},"after":{"oid":"20e2"}}`, `"git":{"index":"unknown"}`} {
		if err != nil || !bytes.Contains(data, []byte(member)) {
			t.Errorf("%v: meta.json lacks %s: %s", err, member, data)
		}
	}
	if data, err := json.Marshal(&meta{}); err != nil || bytes.Contains(data, []byte(`"git"`)) {
		t.Errorf("%v: a turn in which git's state stayed has a member git: %s", err, data)
	}
}
