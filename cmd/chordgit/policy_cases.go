package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
)

func (a *app) policyTest(args []string) {
	policy, _, repo, err := a.policyHere(nil, true)
	if err != nil {
		a.policyFailure("policy test", err)
		return
	}
	defer repo.Close()
	name, place := filepath.Join(repo.Top(), ".chordgit.test.yaml"), ".chordgit.test.yaml"
	if len(args) == 1 {
		if name, place = args[0], args[0]; !filepath.IsAbs(name) {
			name = filepath.Join(a.dir, name)
		}
	}
	cases, err := readCases(name, place)
	if err != nil {
		a.policyFailure("policy test", err)
		return
	}
	type result struct {
		OK   bool   `json:"ok"`
		Name string `json:"name"`
		Got  string `json:"got"`
		Line int    `json:"line"`
	}
	answer := struct {
		Command string   `json:"command"`
		Status  string   `json:"status"`
		Cases   []result `json:"cases"`
	}{"policy test", "ok", []result{}}
	for _, c := range cases {
		found := policy.Judge(hooks.Agent, c.Operation)
		got, class := hooks.Strictest(found), ""
		text := got.String()
		if len(found) > 0 {
			class = found[0].Class
			text += " (" + class + "): " + found[0].Message()
		}
		ok := got.String() == c.Want && (c.Class == "" || c.Class == class)
		label := string(c.Kind) + " " + c.Path
		if c.To != "" {
			label += " -> " + c.To
		}
		if c.Tool != "" {
			label += " by " + c.Tool
		}
		want := c.Want
		if c.Class != "" {
			want += " (" + c.Class + ")"
		}
		if !ok {
			answer.Status, a.code = failed, exitDenied
		}
		answer.Cases = append(answer.Cases, result{ok, label + ": " + want, text, c.Line})
	}
	if a.json {
		a.writeJSON(answer)
		return
	}
	for i, r := range answer.Cases {
		if r.OK {
			fmt.Fprintf(a.stdout, "ok %d - %s\n", i+1, edit.Quote(r.Name))
		} else {
			fmt.Fprintf(a.stdout, "not ok %d - %s\n# %s:%d: got %s\n", i+1, edit.Quote(r.Name), place, r.Line, edit.Quote(r.Got))
		}
	}
	fmt.Fprintf(a.stdout, "1..%d\n", len(answer.Cases))
}

func readCases(name, place string) ([]hooks.PolicyCase, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, &edit.Error{Code: edit.Usage, Err: err}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, hooks.ConfigLimit+1))
	if err != nil {
		return nil, &edit.Error{Code: edit.Unreadable, Path: place, Err: err}
	}
	return hooks.DecodePolicyCases(place, data)
}
