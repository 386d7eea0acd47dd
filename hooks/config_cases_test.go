package hooks_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
)

func TestDecodePolicyCases(t *testing.T) {
	cases, err := hooks.DecodePolicyCases("P", []byte("cases:\n  - {path: 1.0, want: allow}\n  - {path: a, op: move, to: b, tool: edit, want: deny, class: rule}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []hooks.PolicyCase{
		{Operation: hooks.Operation{Kind: hooks.Write, Path: "1.0"}, Want: "allow", Line: 2},
		{Operation: hooks.Operation{Kind: hooks.Move, Path: "a", To: "b", Tool: "edit"}, Want: "deny", Class: "rule", Line: 3},
	}
	if fmt.Sprintf("%+v", cases) != fmt.Sprintf("%+v", want) {
		t.Errorf("got %+v, want %+v", cases, want)
	}
	for text, want := range map[string]string{
		"cases: a\n":                       "P:1:8: cases: want a list of cases, found a string",
		"cases: [a]\n":                     "P:1:9: cases: want a map, found a string",
		"cases: [{want: deny}]\n":          "P:1:9: cases: a case needs a path",
		"cases: [{path: ~, want: deny}]\n": "P:1:16: cases.path: want a text, found ~",
		"cases: [{path: a, want: denied}]": `P:1:25: cases.want: want allow, ask or deny, found "denied"`,
		"case: []\n":                       `P:1:1: unknown key "case" (did you mean "cases"?)`,
	} {
		var all edit.Errors
		if _, err := hooks.DecodePolicyCases("P", []byte(text)); !errors.As(err, &all) || all[0].Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// FuzzDecodePolicyCases: no panic; cases that can be judged, or errors.
func FuzzDecodePolicyCases(f *testing.F) {
	f.Add([]byte("cases:\n  - {path: a, op: move, to: b, tool: edit, want: deny, class: rule}\n"))
	f.Add([]byte("version: 1\ncases: [{path: ~}, [a], {path: \"\\x01\", want: ask}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		cases, err := hooks.DecodePolicyCases("P", data)
		if err != nil {
			if len(cases) > 0 {
				t.Fatalf("%d cases and %v", len(cases), err)
			}
			return
		}
		p := hooks.NewPolicy(hooks.Site{})
		for _, c := range cases {
			if c.Path == "" || c.Want == "" || (c.Kind == hooks.Move) != (c.To != "") {
				t.Fatalf("%+v", c)
			}
			p.Judge(hooks.Agent, c.Operation)
		}
	})
}

func ExamplePolicy_Judge() {
	config, err := hooks.DecodeConfig(".chordgit.yaml", []byte("policy:\n  deny: [{glob: \"**/*.pem\", reason: keys are rotated by a job}]\n  ask: [go.mod]\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := hooks.NewPolicy(hooks.Site{}, hooks.Layer{Name: "HEAD", Place: ".chordgit.yaml", Config: config})
	for _, path := range []string{"src/a.go", "certs/x.pem", "go.mod", ".husky/pre-commit"} {
		found := p.Judge(hooks.Agent, hooks.Operation{Path: path, Tool: "edit"})
		fmt.Println(path, hooks.Strictest(found))
		for _, f := range found {
			fmt.Println("  " + f.Message())
		}
	}
	// Output:
	// src/a.go allow
	// certs/x.pem deny
	//   policy.deny "**/*.pem" (.chordgit.yaml:2). keys are rotated by a job
	// go.mod ask
	//   needs the user's consent: policy.ask "go.mod" (.chordgit.yaml:3)
	// .husky/pre-commit deny
	//   hook and agent settings are protected; policy.unprotect can lift it
}
