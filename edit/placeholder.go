package edit

import (
	"fmt"
	"strings"
)

// Words of which a line is made that stands for code left out.
const (
	lead   = `(?:(?:the|keep|all|your|same)\s+){0,3}`
	noun   = `(?:code|file|contents?|functions?|methods?|class(?:es)?|implementation|imports?|lines?|logic|body|sections?|parts?|fields|props|styles|tests|config|items|entries|text)`
	restOf = `(?:rest|remainder)\s+of\s+(?:(?:the|your|this)\s+)?` + noun
	tail   = `(?:here|goes here|unchanged|remains unchanged|remains the same|stays the same|as before|omitted|for brevity|above|below)`
	core   = `(?:(?:existing|remaining|previous|original|other|unchanged|same|more)\s+` + noun + `|` + restOf + `|same as before|unchanged|omitted|snip)`
)

var (
	phrase       = lazyRegexp(`^` + lead + core + `(?:\s+` + tail + `)?$`)
	restWithTail = lazyRegexp(`^` + lead + restOf + `\s+` + tail + `$`)
	chinese      = lazyRegexp(`^(?:现有|原有|其余|其他|剩余)(?:的)?(?:代码|内容|部分|逻辑|方法|函数)(?:不变|保持不变|省略)?$`)
	readerLine   = lazyRegexp(`^READ_RESULT[ \t]+(?:lines|total)=`)
)

// commentMarks are what may open and close a comment.
var (
	openers = []string{"{/*", "<!--", `"""`, "//", "/*", "(*", "--", "#", ";", "%", "*", "'"}
	closers = []string{"*/}", "-->", `"""`, "*/", "*)", "'"}
)

// isPlaceholder reports whether a line stands for code that was left out, such
// as "// ... existing code ...". A bare "..." does not: it is code in Python.
func isPlaceholder(line string) bool {
	t := strings.TrimSpace(line)
	if len(t) > 200 {
		return false
	}
	for _, o := range openers {
		if rest, ok := strings.CutPrefix(t, o); ok {
			t = rest
			break
		}
	}
	for _, c := range closers {
		if rest, ok := strings.CutSuffix(t, c); ok {
			t = rest
			break
		}
	}
	t = strings.TrimSpace(strings.ToLower(strings.ReplaceAll(t, "…", "...")))
	if strings.HasPrefix(t, "...") || strings.HasSuffix(t, "...") {
		t = strings.Trim(t, ". \t")
		return isPhrase(strings.TrimSpace(strings.Trim(t, "()[]{}<>")))
	}
	if len(t) > 2 {
		if i := strings.IndexByte("([{<", t[0]); i >= 0 && t[len(t)-1] == ")]}>"[i] {
			return isPhrase(strings.TrimSpace(t[1 : len(t)-1]))
		}
	}
	return restWithTail().MatchString(t)
}

func isPhrase(t string) bool {
	return len(strings.Fields(t)) <= 8 && (phrase().MatchString(t) || chinese().MatchString(t))
}

// omissions refuses new lines that would be written although they stand for
// code left out, or are what a reading tool put around a file. A line that the
// file has already may be kept and repeated.
func (r *run) omissions(old []byte) Errors { return r.omissionsOf(r.op, old) }

// omissionsOf is omissions for an operation that stands for the run's.
func (r *run) omissionsOf(op *Op, old []byte) (errs Errors) {
	if r.opt.AllowPlaceholders {
		return nil
	}
	var has map[string]bool
	check := func(line string, at int) {
		code, what := Placeholder, "stands for code that was left out"
		if readerLine().MatchString(line) {
			code, what = ReaderLine, "is what a reading tool puts around a file, not text of it"
		} else if !isPlaceholder(line) {
			return
		}
		if has == nil {
			has = map[string]bool{}
			for l := range strings.Lines(string(old)) {
				has[strings.TrimSpace(l)] = true
			}
		}
		if !has[strings.TrimSpace(line)] {
			errs = append(errs, &Error{Code: code, Line: at, Msg: fmt.Sprintf("a line that would be written %s: %s", what, quoted(line))})
		}
	}
	for l := range strings.Lines(string(op.Content)) {
		check(strings.TrimRight(l, "\r\n"), 0)
	}
	for _, h := range op.Hunks {
		for _, l := range h.Lines {
			if l.Kind == Added {
				check(l.Text, h.Line)
			}
		}
	}
	for _, rep := range op.Replacements {
		for l := range strings.Lines(rep.New) {
			check(strings.TrimRight(l, "\r\n"), 0)
		}
	}
	return errs
}
