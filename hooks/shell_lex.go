package hooks

import (
	"strings"
)

// A shellWord is a word of a script. Where quotes alone do not say what the shell makes of it, it
// is not known and matches nothing.
type shellWord struct {
	text  string
	known bool
	plain bool // nothing of it was quoted
}

// A redirection of a command.
type redirection struct {
	op     string // ">", ">>", "<<", …
	target shellWord
	body   string // of a heredoc
}

// A simpleCommand is a command without operators between its words.
type simpleCommand struct {
	words     []shellWord
	redirects []redirection
	opens     int      // subshells that open before it
	closes    int      // and that close before it
	scripts   []string // what command substitutions in it hold
}

// A lexer splits a script into commands, as sh does, or PowerShell where the
// escape is a backquote. It never fails: what it does not understand comes out as
// words that match nothing.
type lexer struct {
	s          string
	i          int
	power      bool
	lastBrace  int // where the last closing one is, so that it is not looked for again and again
	commands   []simpleCommand
	cur        simpleCommand
	waiting    []*heredoc
	opens, end int
}

// A heredoc whose lines come after the line that names it.
type heredoc struct {
	command, redirect int // where it belongs
	word              string
	tabs              bool
}

func lexShell(script string, power bool) []simpleCommand {
	l := &lexer{s: script, power: power, lastBrace: strings.LastIndexByte(script, '}')}
	for l.i < len(l.s) {
		l.next()
	}
	l.finish()
	return l.commands
}

// finish ends a command.
func (l *lexer) finish() {
	if len(l.cur.words)+len(l.cur.redirects) > 0 || len(l.cur.scripts) > 0 {
		l.cur.opens, l.cur.closes = l.opens, l.end
		l.opens, l.end = 0, 0
		l.commands = append(l.commands, l.cur)
	}
	l.cur = simpleCommand{}
}

func (l *lexer) next() {
	switch c := l.s[l.i]; {
	case c == ' ' || c == '\t' || c == '\r':
		l.i++
	case c == '\n':
		l.i++
		l.finish()
		l.heredocs()
	case c == '#':
		for l.i < len(l.s) && l.s[l.i] != '\n' {
			l.i++
		}
	case c == '\\' && !l.power && strings.HasPrefix(l.s[l.i:], "\\\n"):
		l.i += 2
	case c == '(':
		l.i++
		l.finish()
		l.opens++
	case c == ')':
		l.i++
		l.finish()
		l.end++
	case strings.HasPrefix(l.s[l.i:], "&>"):
		l.redirect()
	case c == ';' || c == '&' || c == '|':
		l.i++
		l.finish()
	case c == '>' || c == '<':
		l.redirect()
	default:
		w := l.word()
		// A number right before a redirection is a descriptor.
		if l.i < len(l.s) && (l.s[l.i] == '>' || l.s[l.i] == '<') && w.plain && strings.Trim(w.text, "0123456789") == "" {
			l.redirect()
			return
		}
		l.cur.words = append(l.cur.words, w)
	}
}

// operators of redirections, the longer ones first.
var operators = []string{"&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">|", ">&", "<", ">"}

func (l *lexer) redirect() {
	op := ""
	for _, o := range operators {
		if strings.HasPrefix(l.s[l.i:], o) {
			op = o
			break
		}
	}
	l.i += len(op)
	if (op == "<" || op == ">") && l.i < len(l.s) && l.s[l.i] == '(' { // of a process
		l.cur.words = append(l.cur.words, l.word())
		return
	}
	for l.i < len(l.s) && (l.s[l.i] == ' ' || l.s[l.i] == '\t') {
		l.i++
	}
	r := redirection{op: op}
	if l.i < len(l.s) && strings.IndexByte("\n;&|()<>", l.s[l.i]) < 0 {
		r.target = l.word()
	}
	l.cur.redirects = append(l.cur.redirects, r)
	if op == "<<" || op == "<<-" {
		l.waiting = append(l.waiting, &heredoc{len(l.commands), len(l.cur.redirects) - 1, r.target.text, op == "<<-"})
	}
}

// heredocs reads those whose lines start here.
func (l *lexer) heredocs() {
	for _, h := range l.waiting {
		var body strings.Builder
		for l.i < len(l.s) {
			line, _, _ := strings.Cut(l.s[l.i:], "\n")
			l.i = min(len(l.s), l.i+len(line)+1)
			line = strings.TrimSuffix(line, "\r")
			if h.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == h.word {
				break
			}
			body.WriteString(line + "\n")
		}
		if h.command < len(l.commands) {
			if c := &l.commands[h.command]; h.redirect < len(c.redirects) {
				c.redirects[h.redirect].body = body.String()
			}
		}
	}
	l.waiting = nil
}

// word reads a word; at least one byte is taken.
func (l *lexer) word() shellWord {
	w := shellWord{known: true, plain: true}
	var b strings.Builder
	start := l.i
	escape := byte('\\')
	if l.power {
		escape = '`'
	}
	for l.i < len(l.s) {
		c := l.s[l.i]
		if strings.IndexByte(" \t\r\n;&|<>)", c) >= 0 && l.i > start || c == '(' && l.i > start {
			break
		}
		l.i++
		switch {
		case c == '\'':
			w.plain = false
			n := strings.IndexByte(l.s[l.i:], '\'')
			if n < 0 {
				n = len(l.s) - l.i
				w.known = false
			}
			b.WriteString(l.s[l.i : l.i+n])
			l.i = min(len(l.s), l.i+n+1)
		case c == '"':
			w.plain = false
			l.quoted(&b, &w, escape)
		case c == escape:
			w.plain = false
			if l.i < len(l.s) {
				if l.s[l.i] != '\n' {
					b.WriteByte(l.s[l.i])
				}
				l.i++
			}
		case c == '$' || c == '`':
			if c == '$' && l.i < len(l.s) && (l.s[l.i] == '\'' || l.s[l.i] == '"') {
				w.known = w.known && l.s[l.i] == '"' // $"…" is a translated "…"; $'…' has escapes of its own
				continue
			}
			w.known = false
			l.substitution(c)
		case c == '*' || c == '?' || c == '[' || c == '{' && l.lastBrace >= l.i:
			w.known = w.known && c == '{' && l.i < len(l.s) && (l.s[l.i] == '}' || l.s[l.i] == ' ' || l.s[l.i] == '\n' || l.s[l.i] == '\t')
			b.WriteByte(c)
		case c == '(': // at the start: of a process
			w.known = false
			l.balanced()
		default:
			b.WriteByte(c)
		}
	}
	w.text = b.String()
	return w
}

// quoted reads up to the closing double quote.
func (l *lexer) quoted(b *strings.Builder, w *shellWord, escape byte) {
	for l.i < len(l.s) {
		c := l.s[l.i]
		l.i++
		switch {
		case c == '"':
			return
		case c == escape && l.i < len(l.s):
			if d := l.s[l.i]; l.power || strings.IndexByte("$`\"\\", d) >= 0 {
				b.WriteByte(d)
				l.i++
			} else if d == '\n' {
				l.i++
			} else {
				b.WriteByte(c)
			}
		case c == '$' || c == '`' && !l.power:
			w.known = false
			l.substitution(c)
		default:
			b.WriteByte(c)
		}
	}
	w.known = false // it is not closed
}

// substitution passes over what a dollar or backquote begins, and keeps the script
// of a command substitution.
func (l *lexer) substitution(c byte) {
	start := l.i
	switch {
	case c == '`':
		n := strings.IndexByte(l.s[l.i:], '`')
		if n < 0 {
			n = len(l.s) - l.i
		}
		l.i = min(len(l.s), l.i+n+1)
		l.cur.scripts = append(l.cur.scripts, l.s[start:start+n])
	case l.i < len(l.s) && l.s[l.i] == '(':
		l.i++
		l.balanced()
		l.cur.scripts = append(l.cur.scripts, strings.TrimSuffix(l.s[start+1:l.i], ")"))
	case l.i < l.lastBrace && l.s[l.i] == '{':
		if n := strings.IndexByte(l.s[l.i:], '}'); n >= 0 {
			l.i += n + 1
		}
	}
}

// balanced passes over text up to the parenthesis that closes one.
func (l *lexer) balanced() {
	for depth := 1; l.i < len(l.s) && depth > 0; l.i++ {
		switch l.s[l.i] {
		case '(':
			depth++
		case ')':
			depth--
		case '\\':
			l.i = min(len(l.s)-1, l.i+1)
		case '\'', '"':
			if n := strings.IndexByte(l.s[l.i+1:], l.s[l.i]); n >= 0 {
				l.i += n + 1
			}
		}
	}
}
