package gitstate

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestEncoding: turns and sessions that are stored are read by what members are
// called, so what is told of git's own state keeps its exact form.
func TestEncoding(t *testing.T) {
	for _, tt := range []struct {
		name, stored string
		into         any
	}{
		{"HEAD", `{"before":{"ref":"refs/heads/main","oid":"10e1"},"after":{"oid":"20e2"}}`, &Heads{}},
		{"unborn HEAD", `{"before":{"ref":"refs/heads/main"},"after":{}}`, &Heads{}},
		{"nothing moved", `{}`, &Record{}},
		{"all moved", `{"refs":[{"name":"refs/heads/main","before":"10e1","after":"20e2"},{"name":"refs/tags/v1","after":"20e2"}],` +
			`"stash":{"before":[{"id":"30e3","message":"WIP on main: %E9"}],"after":[]},` +
			`"operation":{"before":"merge","after":"rebase"},` +
			`"moves":[{"kind":"switch","from":"10e1","to":"20e2"},{"kind":"pull","to":"10e1"}],` +
			`"carried":412,"edited":["a","caf%E9"],"index":"changed",` +
			`"flags":[{"path":"a","before":"assume-unchanged","after":"assume-unchanged,intent-to-add"},{"path":"b"}]}`, &Record{}},
		{"the operation alone", `{"operation":{"after":"bisect"},"index":"unknown"}`, &Record{}},
		{"start", `{"log":{"size":150,"sum":"d1"},"operation":"merge",` +
			`"index":{"size":104,"mtime":1796000000000000000,"sum":"00ff"},"stash":[{"id":"30e3"}],"sparse":true}`, &Start{}},
		{"start without anything", `{"log":{"size":0},"index":{"absent":true},"stash":null}`, &Start{}},
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
}
