package main

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/patchapply"
)

// untouched checks, without the planner's help, that a plan changes no line
// that its request does not speak of: of files that hunks change, every line
// that goes or comes is one of a hunk's (a last line may gain its ending); of
// files that one edit changes, all lines before its first and after its last
// place are as they were, to the byte.
func untouched(t *testing.T, req *patchapply.Request, plan *edit.Plan, before edit.MapTree) {
	t.Helper()
	for _, c := range plan.Changes {
		was := before[c.Path]
		if c.From != "" {
			was = before[c.From]
		}
		if was == nil || c.After == nil || c.After.Data == nil || wide(was.Data) {
			continue
		}
		var ops []int
		for i, o := range plan.Outcomes {
			if o.OK && (o.Path == c.Path || o.Path == c.From) {
				ops = append(ops, i)
			}
		}
		kinds := func(k edit.Kind) bool {
			return !slices.ContainsFunc(ops, func(i int) bool { return req.Ops[i].Kind != k })
		}
		moved := slices.ContainsFunc(ops, func(i int) bool { return req.Ops[i].MoveTo != "" })
		switch {
		case len(ops) == 0 || moved && c.From == "": // what came here replaced what was
		case kinds(edit.Update):
			hunkLines(t, c.Path, was.Data, c.After.Data, req.Ops, ops)
		case len(ops) == 1 && kinds(edit.Replace):
			aroundPlaces(t, c.Path, was.Data, c.After.Data, req.Ops[ops[0]], plan.Outcomes[ops[0]].Lines)
		}
	}
}

// wide reports the encodings in which the byte LF may be half a character.
func wide(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) || bytes.HasPrefix(data, []byte("\x00\x00\xFE\xFF"))
}

func hunkLines(t *testing.T, path string, before, after []byte, all []edit.Op, ops []int) {
	t.Helper()
	spoken := map[string]bool{"": true}
	foreign := 0 // lines that the request can have in another encoding
	for _, i := range ops {
		for _, h := range all[i].Hunks {
			for _, l := range h.Lines {
				if letters(l.Text) != "" && strings.ContainsFunc(l.Text, func(r rune) bool { return r >= utf8.RuneSelf }) {
					foreign++
				}
				for _, part := range strings.Split(l.Text, "\r") { // a lone CR may be a line break of the file
					spoken[letters(part)] = true
				}
			}
		}
	}
	// The last line may gain an ending.
	if last := before[bytes.LastIndexByte(before, '\n')+1:]; len(last) > 0 {
		for _, part := range strings.Split(string(last), "\r") {
			spoken[letters(part)] = true
		}
	}
	changed := 0 // of the lines that are not text as the request has it
	check := func(tokens string) {
		for token := range strings.Lines(tokens) {
			line, err := strconv.Unquote(strings.TrimSuffix(token, "\n"))
			if err != nil {
				t.Fatal(err)
			}
			bare := strings.TrimRight(line, "\r\n")
			switch {
			case spoken[letters(bare)]:
			case !utf8.Valid(before) && strings.ContainsFunc(bare, func(r rune) bool { return r >= utf8.RuneSelf }):
				changed++
			default:
				t.Errorf("%s: line %q changed, and no hunk speaks of it", path, line)
			}
		}
	}
	b, a := strings.Join(lineTokens(before), ""), strings.Join(lineTokens(after), "")
	for _, e := range udiff.Lines(b, a) {
		check(b[e.Start:e.End])
		check(e.New)
	}
	if changed > foreign {
		t.Errorf("%s: %d lines changed, hunks speak of %d:\n%q\nbecame\n%q", path, changed, foreign, before, after)
	}
}

// letters is what is left of a line when blanks, punctuation, marks and
// invisible characters are gone: equal for a line and what may match it.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// lineTokens makes one line of ASCII of each line of a text, its ending
// included.
func lineTokens(text []byte) []string {
	var tokens []string
	for len(text) > 0 {
		i := bytes.IndexAny(text, "\r\n")
		switch {
		case i < 0:
			i = len(text)
		case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
			i += 2
		default:
			i++
		}
		tokens = append(tokens, strconv.QuoteToASCII(string(text[:i]))+"\n")
		text = text[i:]
	}
	return tokens
}

func aroundPlaces(t *testing.T, path string, before, after []byte, op edit.Op, places []int) {
	t.Helper()
	if len(places) == 0 || len(before) == 0 || bytes.ContainsRune(before, '\r') && !bytes.ContainsRune(before, '\n') {
		return
	}
	breaks := 0
	for _, r := range op.Replacements {
		breaks = max(breaks, strings.Count(r.Old, "\n"))
	}
	b := bytes.SplitAfter(before, []byte{'\n'})
	first, last := slices.Min(places)-1, slices.Max(places)+breaks
	head, tail := bytes.Join(b[:min(first, len(b))], nil), []byte(nil)
	if last < len(b) {
		tail = bytes.Join(b[last:], nil)
	}
	if bytes.ContainsRune(before, '\r') && slices.ContainsFunc(op.Replacements, func(r edit.Replacement) bool { return strings.Contains(r.Old, "\n") }) {
		tail = nil // a lone CR may be one of the line breaks
	}
	if !bytes.HasPrefix(after, head) || !bytes.HasSuffix(after, tail) {
		t.Errorf("%s: bytes outside the edit changed:\n%q\nbecame\n%q", path, before, after)
	}
}
