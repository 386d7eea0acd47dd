package hooks

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

const (
	maxErrors = 20 // reported of one file

	// The parser recurses, and its time grows with the square of the lines, of the
	// tabs in a quoted string, of a run of "<" and of the depth: a repository's
	// file could make a hook miss its deadline. These keep it below a second.
	maxLines = 10_000
	maxTabs  = 1_000
	maxRun   = 1_000
	maxDepth = 64
)

// A decoder collects the errors of one file.
type decoder struct {
	place string
	user  bool // it is the user's
	rules int  // of policy and permission, counted
	errs  []located
}

type located struct {
	line, column int
	msg          string
}

func (d *decoder) errorf(at token.Position, format string, args ...any) {
	d.errs = append(d.errs, located{max(at.Line, 1), max(at.Column, 1), fmt.Sprintf(format, args...)})
}

// err is nil if there were no errors.
func (d *decoder) err() error {
	if len(d.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(d.errs, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var all edit.Errors
	for _, e := range d.errs[:min(len(d.errs), maxErrors)] {
		all = append(all, &edit.Error{
			Code:  BadConfig,
			Lines: []int{e.line},
			Msg:   edit.Quote(fmt.Sprintf("%s:%d:%d: %s", d.place, e.line, e.column, e.msg)),
		})
	}
	return all
}

// read hands the root of the text's only document to decode. There is none in an
// empty text, nor in one that cannot be read.
func (d *decoder) read(data []byte, decode func(root ast.Node)) {
	defer func() { // the parser has bugs, and the file is anybody's
		if r := recover(); r != nil {
			d.errorf(token.Position{}, "this YAML cannot be read: %v", r)
		}
	}()
	lines := d.lines(data)
	if len(d.errs) > 0 {
		return
	}
	tokens := tokenize(strings.Join(lines, "\n"))
	if !d.scan(tokens, lines) {
		return
	}
	// Keys that are set twice are left to us, who report them with the rest.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		if len(d.errs) == 0 { // otherwise it speaks of what scan found
			d.syntax(err, lines)
		}
		return
	}
	for i, doc := range file.Docs {
		switch {
		case i == 0 && doc.Body != nil:
			decode(doc.Body)
		case i == 0:
		case doc.Start != nil:
			d.errorf(*doc.Start.Position, "second document")
		case doc.Body != nil:
			d.errorf(start(doc.Body), "second document")
		}
	}
}

// lines splits the text into lines without their ends, which may be LF, CRLF or
// CR.
func (d *decoder) lines(data []byte) []string {
	if len(data) > ConfigLimit {
		d.errorf(token.Position{}, "the file is larger than %d KiB", ConfigLimit>>10)
		return nil
	}
	text := string(bytes.TrimPrefix(data, []byte("\uFEFF")))
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	if len(lines) > maxLines {
		d.errorf(token.Position{Line: maxLines + 1}, "the file has more than %d lines", maxLines)
	}
	tabs, run := 0, strings.Repeat("<", maxRun+1)
	for i, line := range lines {
		if tabs += strings.Count(line, "\t"); tabs > maxTabs {
			d.errorf(token.Position{Line: i + 1}, "the file has more than %d tabs", maxTabs)
			break
		}
		if strings.Contains(line, run) {
			d.errorf(token.Position{Line: i + 1}, "the line has more than %d < in a row", maxRun)
		}
		column := 1
		for at, r := range line {
			if r == utf8.RuneError && !strings.HasPrefix(line[at:], "\uFFFD") {
				d.errorf(token.Position{Line: i + 1, Column: column}, "invalid UTF-8")
				break
			}
			column++
		}
	}
	return lines
}

// tokenize ends at the first error, which is then the last token. The library's
// own function goes on behind it, at a price that is quadratic in the errors.
func tokenize(text string) token.Tokens {
	var s scanner.Scanner
	s.Init(text)
	var tokens token.Tokens
	for {
		more, err := s.Scan()
		tokens.Add(more...)
		if err != nil { // io.EOF too
			return tokens
		}
	}
}

// scan reports the tokens that are not supported at all. It returns false if the
// text is nested so deeply that it cannot be given to the parser.
func (d *decoder) scan(tokens token.Tokens, lines []string) bool {
	depth, dashes, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			dashes, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType:
			dashes++ // each opens a list in the list of the one before
		case token.AnchorType, token.AliasType, token.TagType, token.MergeKeyType, token.DirectiveType:
			if t.Prev != nil && t.Prev.Type == t.Type { // "**"
				continue
			}
			switch c := unquoted(t, lines); {
			case t.Type == token.DirectiveType && t.Position.Column == 1:
				d.errorf(*t.Position, "directives are not supported")
			case c != 0:
				d.errorf(*t.Position, "a glob that starts with %c must be quoted", c)
			default:
				d.errorf(*t.Position, "tags, anchors and aliases are not supported")
			}
		}
		if max(depth, dashes) > maxDepth {
			d.errorf(*t.Position, "nested more than %d deep", maxDepth)
			return false
		}
	}
	return true
}

// syntax reports the parser's error.
func (d *decoder) syntax(err error, lines []string) {
	var e interface {
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(err, &e) || e.GetToken() == nil {
		d.errorf(token.Position{}, "this YAML cannot be read: %v", err)
		return
	}
	t, msg := e.GetToken(), e.GetMessage()
	switch c := unquoted(t, lines); c {
	case 0:
	case '[', '{': // or a list that is not closed
		msg = fmt.Sprintf("%s (a glob that starts with %c must be quoted)", msg, c)
	default:
		msg = fmt.Sprintf("a glob that starts with %c must be quoted", c)
	}
	d.errorf(*t.Position, "%s", msg)
}

// unquoted returns the character that gives a list item or a map key its meaning
// in YAML where a glob may have been meant, 0 if there is none: that of the
// token itself in a flow list or map, otherwise the first of its line.
func unquoted(t *token.Token, lines []string) byte {
	s := ""
	switch {
	case t.Prev != nil && slices.Contains([]token.Type{token.SequenceStartType, token.MappingStartType, token.CollectEntryType}, t.Prev.Type):
		s = strings.TrimSpace(t.Value)
	case t.Position.Line <= len(lines):
		s = strings.TrimLeft(lines[max(t.Position.Line, 1)-1], " ")
		for strings.HasPrefix(s, "- ") {
			s = strings.TrimLeft(s[2:], " ")
		}
	}
	if s == "" || !strings.Contains("*&!@%{[`", s[:1]) {
		return 0
	}
	return s[0]
}

// start is where n begins: a map in block style has the token of its first colon.
func start(n ast.Node) token.Position {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	return *n.GetToken().Position
}
