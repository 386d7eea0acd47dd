package gitops

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lines makes a log of lines, each a JSON object without its braces.
func lines(objects ...string) []byte {
	return []byte("\n{" + strings.Join(objects, "}\n\n{") + "}\n")
}

// TestParseCalls joins the begin of a call with its end and fills in what the
// log leaves open.
func TestParseCalls(t *testing.T) {
	shell := func(rest string) string { return `"kind":"shell",` + rest }
	for name, tt := range map[string]struct {
		log  []byte
		want []string // kind, paths, start, end
	}{
		"begin and end":      {lines(shell(`"call":"1","start":10`), shell(`"call":"1","end":20`)), []string{"shell [] 10 20"}},
		"at the same time":   {lines(shell(`"call":"1","start":10`), shell(`"call":"2","start":11`), shell(`"call":"1","end":20`), shell(`"call":"2","end":30`)), []string{"shell [] 10 20", "shell [] 11 30"}},
		"no end":             {lines(shell(`"call":"1","start":10`), `"kind":"none","end":15`), []string{"shell [] 10 15"}},
		"may still run":      {lines(shell(`"call":"1","start":10`)), []string{"shell [] 10 never"}},
		"no begin":           {lines(`"kind":"none","start":5`, shell(`"call":"1","end":20`)), []string{"shell [] 5 20"}},
		"a read's end alone": {lines(`"kind":"none","start":5`, `"kind":"read","paths":["f"],"end":20`), []string{"read [f] 20 20"}},
		"no ids":             {lines(shell(`"start":10`), shell(`"end":20`)), []string{"shell [] 10 20", "shell [] 10 20"}},
		"an id again":        {lines(shell(`"call":"1","start":10`), shell(`"call":"1","end":20`), shell(`"call":"1","start":30`)), []string{"shell [] 10 20", "shell [] 30 never"}},
		"paths at the end":   {lines(`"kind":"edit","call":"1","paths":["a"],"start":10`, `"kind":"edit","call":"1","paths":["a","b%FF"],"end":20`), []string{"edit [a b\xff] 10 20"}},
		"unknown members":    {lines(`"kind":"edit","paths":["a"],"start":10,"end":20,"more":{"x":[1]}`), []string{"edit [a] 10 20"}},
		"an unknown kind":    {lines(`"kind":"dance","start":10,"end":20`), []string{"dance [] 10 20"}},
		"torn":               {append(lines(shell(`"start":10,"end":20`)), `{"kind":"shell","start":30`...), []string{"shell [] 10 20"}},
		"torn, went on":      {append([]byte(`{"kind":"shell","sta`), lines(shell(`"start":10,"end":20`))...), []string{"shell [] 10 20"}},
		"not ours":           {lines(`"kind":"shell"`, `"kind":7,"start":1`, `"kind":"shell","start":-4`), nil},
		"empty":              {nil, nil},
	} {
		var got []string
		for _, c := range parseCalls(tt.log).calls {
			end := fmt.Sprint(c.end)
			if c.end == never {
				end = "never"
			}
			got = append(got, fmt.Sprintf("%s %v %d %s", c.Kind, c.Paths, c.start, end))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// FuzzParseCalls: no panic, no call that ends before it begins, and what was
// read is read again when a line follows.
func FuzzParseCalls(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(lines(`"kind":"edit","call":"1","paths":["a%FF"],"start":10`, `"kind":"edit","call":"1","end":9`))
	f.Add([]byte("{\"kind\":\"read\",\"end\":5}\n{\"kind\":\"sh"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log := parseCalls(data)
		for _, c := range log.calls {
			if c.end < c.start || c.start < 0 {
				t.Errorf("a call from %d to %d", c.start, c.end)
			}
		}
		more := parseCalls(append(slices.Clone(data), lines(`"kind":"none","start":1`)...))
		if len(more.lines) < len(log.lines)+1 {
			t.Errorf("%d lines became %d", len(log.lines), len(more.lines))
		}
	})
}

// TestClockSet tells a clock that was set from one that runs.
func TestClockSet(t *testing.T) {
	const second = 1_000_000_000
	at := func(start, clock int) string { return fmt.Sprintf(`"kind":"none","start":%d,"clock":%d`, start, clock) }
	for name, tt := range map[string]struct {
		log  []byte
		want bool
	}{
		"runs":             {lines(at(100, 7*second), at(200, 7*second+second/2)), false},
		"set forward":      {lines(at(100, 7*second), at(200, 9*second)), true},
		"set back":         {lines(at(200, 9*second), at(50, 7*second)), true},
		"before the turn":  {lines(at(10, 7*second), at(20, 9*second), at(100, 9*second)), false},
		"over the begin":   {lines(at(10, 7*second), at(100, 9*second)), true},
		"one is not known": {lines(at(100, 7*second), `"kind":"none","start":150`, at(200, 7*second)), false},
	} {
		if got := parseCalls(tt.log).clockSet(60); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
