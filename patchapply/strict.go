package patchapply

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit"
)

// SyntaxStep is the Why of what strict reading refuses. The message is Codex's,
// word for word.
const SyntaxStep = "syntax"

// strict reads one envelope and nothing else, as Codex 0.171 does: the first
// thing that is wrong is the only one that is told, in Codex's words, with
// lines counted from the Begin marker.
func (r *reader) strict(data []byte) {
	switch {
	case int64(len(data)) > r.opt.Limit:
		_, err := toText(data, r.opt.Limit)
		r.refuse(err)
		return
	case !utf8.Valid(data):
		r.errs = append(r.errs, &edit.Error{Code: edit.BadInput, Why: SyntaxStep, Msg: "Error: Failed to read PATCH from stdin.\nstream did not contain valid UTF-8"})
		return
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, "\r")
	}
	body, err := strictBounds(lines)
	if err == nil {
		s := &strictReader{reader: r}
		err = s.read(body)
	}
	if err != nil {
		r.errs = append(r.errs, err)
		r.req.Ops = nil
	}
}

// strictBounds returns the lines from Begin to End. Of all wrappings only a
// heredoc of the word EOF is taken off.
func strictBounds(lines []string) ([]string, *edit.Error) {
	err := strictEnds(lines)
	if n := len(lines); err != nil && n >= 4 && slices.Contains([]string{"<<EOF", "<<'EOF'", `<<"EOF"`}, lines[0]) && strings.HasSuffix(lines[n-1], "EOF") {
		lines = lines[1 : n-1]
		err = strictEnds(lines)
	}
	return lines, err
}

func strictEnds(lines []string) *edit.Error {
	switch {
	case strings.TrimSpace(lines[0]) != beginMark:
		return invalidPatch("The first line of the patch must be '%s'", beginMark)
	case strings.TrimSpace(lines[len(lines)-1]) != endMark:
		return invalidPatch("The last line of the patch must be '%s'", endMark)
	}
	return nil
}

func invalidPatch(format string, args ...any) *edit.Error {
	return &edit.Error{Code: edit.BadInput, Why: SyntaxStep, Msg: "Invalid patch: " + fmt.Sprintf(format, args...)}
}

func invalidHunk(line int, format string, args ...any) *edit.Error {
	return &edit.Error{Code: edit.BadInput, Why: SyntaxStep, Line: line, Msg: fmt.Sprintf("Invalid patch hunk on line %d: ", line) + fmt.Sprintf(format, args...)}
}

// A strictReader goes down an envelope line by line.
type strictReader struct {
	*reader
	op          *edit.Op // the section that is being read, nil before the first
	environment bool
}

// read reads the lines from Begin to End.
func (s *strictReader) read(lines []string) *edit.Error {
	last := len(lines) - 1
	for i, line := range lines[1:last] {
		switch ended, err := s.line(line, i+2); {
		case err != nil:
			return err
		case ended:
			return s.after(lines[i+2 : last])
		}
	}
	if err := s.close(last + 1); err != nil {
		return err
	}
	return s.after(nil)
}

// after judges the patch when it has ended and the lines that follow: more Ends
// may, nothing else.
func (s *strictReader) after(lines []string) *edit.Error {
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" && l != endMark {
			return strictEnds([]string{beginMark, l})
		}
	}
	if s.op == nil {
		return &edit.Error{Code: edit.NothingRecognised, Why: SyntaxStep, Msg: "No files were modified."}
	}
	return nil
}

// line reads line n and reports whether it ends the patch.
func (s *strictReader) line(line string, n int) (ended bool, err *edit.Error) {
	inUpdate := s.op != nil && s.op.Kind == edit.Update
	head := strings.TrimSpace(line)
	if inUpdate {
		head = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	if head == endMark {
		return true, s.close(n)
	}
	if mark, path := strictHeader(head); mark != "" && !s.bare() {
		if err := s.close(n); err != nil {
			return false, err
		}
		s.begin(mark, path, n)
		return false, nil
	}
	switch {
	case s.op == nil && strings.HasPrefix(head, envMark):
		return false, s.setEnvironment(head)
	case inUpdate:
		return false, s.updateLine(line, n)
	case s.op != nil && s.op.Kind == edit.Add && strings.HasPrefix(line, "+"):
		s.op.Content = append(append(s.op.Content, line[1:]...), '\n')
		return false, nil
	}
	return false, invalidHunk(n, "'%s' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'", head)
}

// bare reports whether a hunk was begun that has no lines yet.
func (s *strictReader) bare() bool {
	if s.op == nil || len(s.op.Hunks) == 0 {
		return false
	}
	return len(s.op.Hunks[len(s.op.Hunks)-1].Lines) == 0
}

func strictHeader(head string) (mark, path string) {
	for _, m := range []string{addMark, delMark, updMark} {
		if rest, ok := strings.CutPrefix(head, m); ok {
			return m, rest
		}
	}
	return "", ""
}

func (s *strictReader) begin(mark, path string, n int) {
	op := edit.Op{Kind: edit.Update, Tool: "apply_patch", Path: path, Line: n}
	switch mark {
	case addMark:
		op.Kind, op.Content = edit.Add, []byte{}
	case delMark:
		op.Kind = edit.Delete
	}
	s.add("codex", op)
	s.op = &s.req.Ops[len(s.req.Ops)-1]
}

func (s *strictReader) setEnvironment(head string) *edit.Error {
	switch {
	case s.environment:
		return invalidPatch("apply_patch environment_id cannot be specified more than once")
	case strings.TrimSpace(strings.TrimPrefix(head, envMark)) == "":
		return invalidPatch("apply_patch environment_id cannot be empty")
	}
	s.environment = true
	return nil
}

// updateLine reads a line of an Update's body.
func (s *strictReader) updateLine(line string, n int) *edit.Error {
	var h *edit.Hunk
	if k := len(s.op.Hunks); k > 0 {
		h = &s.op.Hunks[k-1]
	}
	filled := h != nil && len(h.Lines) > 0
	trimmed := strings.TrimRightFunc(line, unicode.IsSpace)
	switch {
	case h == nil && s.op.MoveTo == "" && strings.HasPrefix(trimmed, moveMark):
		s.op.MoveTo = trimmed[len(moveMark):]
		return nil
	case (h == nil || filled) && (trimmed == "@@" || strings.HasPrefix(trimmed, "@@ ")):
		next := edit.Hunk{Line: n}
		if trimmed != "@@" {
			next.Anchors = []string{trimmed[len("@@ "):]}
		}
		s.op.Hunks = append(s.op.Hunks, next)
		return nil
	case trimmed == eofMark && h == nil:
		return nil // the end of nothing
	case trimmed == eofMark && !filled:
		return invalidHunk(n, "Update hunk does not contain any lines")
	case trimmed == eofMark && !h.EOF:
		h.EOF = true
		return nil
	case h != nil && h.EOF && trimmed == "":
		return nil
	case h != nil && h.EOF:
		return noHunk(line, n)
	}
	kind, text := edit.Context, ""
	if line != "" {
		kind, text = edit.LineKind(line[0]), line[1:]
	}
	switch {
	case kind == edit.Context || kind == edit.Added || kind == edit.Removed:
	case filled:
		return noHunk(line, n)
	default:
		return invalidHunk(n, "Unexpected line found in update hunk: '%s'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)", line)
	}
	if h == nil {
		s.op.Hunks = []edit.Hunk{{Line: n}}
		h = &s.op.Hunks[0]
	}
	h.Lines = append(h.Lines, edit.Line{Kind: kind, Text: text})
	return nil
}

func noHunk(line string, n int) *edit.Error {
	return invalidHunk(n, "Expected update hunk to start with a @@ context marker, got: '%s'", line)
}

// close checks the section that ends before line n.
func (s *strictReader) close(n int) *edit.Error {
	if s.op == nil || s.op.Kind != edit.Update {
		return nil
	}
	switch k := len(s.op.Hunks); {
	case k == 0:
		return invalidHunk(s.op.Line, "Update file hunk for path '%s' is empty", s.op.Path)
	case len(s.op.Hunks[k-1].Lines) == 0:
		return invalidHunk(n, "Update hunk does not contain any lines")
	}
	return nil
}
