package main

import (
	"fmt"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/patchapply"
)

// A wished is one operation of a request that was not applied, as it was sent.
type wished struct {
	Path  string   `json:"path,omitempty"`
	Kind  string   `json:"kind,omitempty"`
	From  string   `json:"from,omitempty"`
	Lines []string `json:"lines,omitempty"`
	Raw   string   `json:"raw,omitempty"` // of a request that could not be read
}

// detailMost is how many lines of a diff or a request an answer shows.
const detailMost = 200

// kindNames are the words for what an operation wishes.
var kindNames = map[edit.Kind]string{edit.Add: "add", edit.Update: "update", edit.Delete: "delete", edit.Replace: "edit", edit.Write: "write",
	edit.Block: "edit", edit.Insert: "insert", edit.Diff: "update", edit.Cell: "edit"}

// request keeps what was asked for, for whoever shows the call to a person.
func (r *report) request(req *patchapply.Request, data []byte) {
	if req == nil || len(req.Ops) == 0 {
		r.Requested = []wished{{Raw: bounded(strings.ToValidUTF8(string(data), "\uFFFD"))}}
		return
	}
	left := detailMost
	for i := range req.Ops {
		op := &req.Ops[i]
		w := wished{Path: op.Path, Kind: kindNames[op.Kind]}
		if op.MoveTo != "" {
			w.Path, w.From, w.Kind = op.MoveTo, op.Path, "move"
		}
		lines := requestedLines(op)
		w.Lines = lines[:min(len(lines), left)]
		if more := len(lines) - len(w.Lines); more > 0 {
			w.Lines = append(w.Lines[:len(w.Lines):len(w.Lines)], fmt.Sprintf("(+%d more lines)", more))
		}
		left -= min(len(lines), left)
		r.Requested = append(r.Requested, w)
	}
}

// requestedLines are the lines of an operation, with - and + before them.
func requestedLines(op *edit.Op) (lines []string) {
	put := func(mark, text string) {
		for l := range strings.Lines(text) {
			lines = append(lines, mark+strings.TrimRight(l, "\r\n"))
		}
	}
	for _, h := range op.Hunks {
		if len(h.Anchors) == 0 {
			lines = append(lines, "@@")
		}
		for _, a := range h.Anchors {
			lines = append(lines, "@@ "+a)
		}
		for _, l := range h.Lines {
			lines = append(lines, string(l.Kind)+l.Text)
		}
	}
	for _, rep := range op.Replacements {
		put("-", rep.Old)
		put("+", rep.New)
	}
	put("+", string(op.Content))
	return lines
}

// requested is the text about what was asked for.
func (r *report) requested() string {
	if len(r.Requested) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Requested, not applied:\n")
	for _, w := range r.Requested {
		switch {
		case w.Raw != "":
			for l := range strings.Lines(w.Raw) {
				b.WriteString(edit.Quote(strings.TrimRight(l, "\r\n")) + "\n")
			}
		case w.From != "":
			fmt.Fprintf(&b, "%s %s -> %s\n", w.Kind, edit.Quote(w.From), edit.Quote(w.Path))
		default:
			fmt.Fprintf(&b, "%s %s\n", w.Kind, edit.Quote(w.Path))
		}
		for _, l := range w.Lines {
			b.WriteString(edit.Quote(l) + "\n")
		}
	}
	return b.String()
}

// bounded cuts a text after so many lines as an answer shows.
func bounded(text string) string {
	at := 0
	for range detailMost {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text
		}
		at += i + 1
	}
	if at == len(text) {
		return text
	}
	return text[:at] + fmt.Sprintf("(+%d more lines)\n", lineCount([]byte(text[at:])))
}
