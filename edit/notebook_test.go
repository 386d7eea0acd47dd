package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const testNotebook = `{
 "cells": [
  {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# \u00e9", "attachments": {}},
  {
   "cell_type": "code",
   "execution_count": 7,
   "metadata": {"x":  [1, 2]},
   "outputs": [{"text": ["1\n"]}],
   "source": [
    "x = 1\n",
    "y"
   ]
  } , {"source":[],"cell_type":"raw"}
 ],
 "nbformat": 4, "nbformat_minor": 5
}
`

// FuzzNotebook: no panic; every byte outside the touched cell stays; the result
// is JSON that has the source where it was wanted, and the same cells otherwise.
func FuzzNotebook(f *testing.F) {
	for mode := range uint8(3) {
		f.Add(testNotebook, "a", "one\ntwo", "code", mode)
		f.Add(testNotebook, "cell-1", "é\"\\\x1b", "markdown", mode)
		f.Add(testNotebook, "", "x\n", "markdown", mode)
		f.Add(`{"cells":[ ],"nbformat":4,"nbformat_minor":5}`, "", "", "code", mode)
		f.Add("\uFEFF"+strings.ReplaceAll(testNotebook, "\n", "\r\n"), "cell-2", "x\ny", "code", mode)
	}
	f.Fuzz(func(t *testing.T, text, id, source, kind string, mode uint8) {
		op := Op{Kind: Cell, Path: "n", Content: []byte(source), Cell: CellEdit{Mode: CellMode(mode % 3), ID: id, Type: kind}}
		if kind != "code" && kind != "markdown" {
			op.Cell.Type = "code"
		}
		plan, err := NewPlan(MapTree{"n": {Mode: 0o644, Data: []byte(text)}}, []Op{op}, Options{})
		if err != nil || len(plan.Changes) == 0 {
			return
		}
		src, e := decode([]byte(text))
		if e != nil {
			t.Fatal(e)
		}
		out, e := decode(plan.Changes[0].After.Data)
		if e != nil {
			t.Fatal(e)
		}
		old, e := openNotebook(src.text)
		if e != nil {
			t.Fatal(e)
		}
		now, e := openNotebook(out.text)
		if e != nil {
			t.Fatalf("the result is no notebook: %v\n%s", e, out.text)
		}
		if json.Valid(src.text) && !json.Valid(out.text) {
			t.Fatalf("the result is no JSON: %s", out.text)
		}
		at := -1
		if id != "" {
			at, _ = old.find(id)
		}
		was, is := 1, 1 // how many cells the place has before and after
		switch op.Cell.Mode {
		case InsertCell:
			at++
			was = 0
		case DeleteCell:
			is = 0
		}
		if len(now.cells) != len(old.cells)-was+is {
			t.Fatalf("%d cells became %d", len(old.cells), len(now.cells))
		}
		for i := range old.cells {
			j := i
			if i >= at {
				j += is - was
			}
			if i == at && was == 1 {
				continue
			}
			if old.raw(old.cells[i].Value) != now.raw(now.cells[j].Value) {
				t.Fatalf("the cell at %d changed: %s", i, now.raw(now.cells[j].Value))
			}
		}
		if !bytes.Equal(src.text[:old.list.Start+1], out.text[:now.list.Start+1]) || !bytes.Equal(src.text[old.list.End-1:], out.text[now.list.End-1:]) {
			t.Fatal("what is around the cells changed")
		}
		if op.Cell.Mode == ReplaceCell {
			if c, d := old.cells[at], now.cells[at]; !bytes.Equal(src.text[:c.Start], out.text[:d.Start]) || !bytes.Equal(src.text[c.End:], out.text[d.End:]) {
				t.Fatal("what is around the cell changed")
			}
		}
		if is == 1 && len(plan.Notes) == 0 {
			if got, _ := now.decoded(now.cells[at].source); strings.ReplaceAll(got, "\r\n", "\n") != strings.ReplaceAll(source, "\r\n", "\n") && json.Valid(src.text) {
				t.Fatalf("the source is %q, want %q", got, source)
			}
		}
	})
}

// TestNotebookCost: a notebook of many cells and long outputs is read once per
// operation, whatever it holds.
func TestNotebookCost(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"nbformat":4,"nbformat_minor":5,"cells":[`)
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"cell_type":"code","id":"c%d","outputs":[{"data":[1,2,{"x":"%s"}]}],"source":["a\n","b"]},`, i, strings.Repeat("y", 200))
	}
	text := strings.TrimSuffix(b.String(), ",") + "]}"
	op := Op{Kind: Cell, Path: "n", Content: []byte("z"), Cell: CellEdit{ID: "c19999"}}
	plan, err := NewPlan(MapTree{"n": {Mode: 0o644, Data: []byte(text)}}, []Op{op, op, op}, Options{})
	if err != nil || len(plan.Failures) > 0 {
		t.Fatal(err, plan)
	}
	if want := strings.TrimSuffix(text, `"a\n","b"]}]}`) + `"z"]}]}`; string(plan.Changes[0].After.Data) != want {
		t.Error("the result is another")
	}
}

func TestNotebookFit(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                                   "an object is expected",
		`{"cells":[]}`:                         "nbformat is missing",
		`{"cells":[],"nbformat":"4"}`:          `nbformat is ""4""`,
		`{"cells":{},"nbformat":4}`:            "cells is no list",
		`{"nbformat":4}`:                       "cells is no list",
		`{"cells":[1],"nbformat":4}`:           "an object is expected",
		`{"cells":[{}],"nbformat":4}`:          "has no cell_type",
		`{"cells":[],"cells":[],"nbformat":4}`: "cells stands twice",
		`{"cells":[{"cell_type":"raw","id":"a","id":"b"}],"nbformat":4}`: "id stands twice",
	} {
		if _, err := openNotebook([]byte(text)); err == nil || err.Code != Unsupported || !strings.Contains(err.Msg, want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, ascii := range map[string]bool{`"\u00e9"`: true, `"\u0041"`: false, `"\u0041\u2028"`: true, `"\u00e9é"`: false, `"\\upsilon"`: false, `"\u00ff"`: true, `"\u007f"`: false} {
		if got := escapesAll([]byte(text)); got != ascii {
			t.Errorf("%s: escapes %v", text, got)
		}
	}
	nb, err := openNotebook([]byte(testNotebook))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range nb.cells {
		names = append(names, nb.name(i))
	}
	if want := []string{"a", "cell-1", "cell-2"}; !reflect.DeepEqual(names, want) {
		t.Errorf("cells %q, want %q", names, want)
	}
}
