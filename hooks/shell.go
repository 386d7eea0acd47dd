package hooks

import (
	"path"
	"slices"
	"strings"
)

// A ShellScript is what can be seen of a shell's script without running it. What it does
// by variables, globs and programs of its own stays unseen.
type ShellScript struct {
	// Ops are what it writes by words that say so.
	Ops []Operation
	// Patches are the operations of patches that it hands to apply_patch.
	Patches []Operation
	// Bypass says, a line each, how it goes around hooks or removes what this
	// program keeps.
	Bypass []string
}

// ShellOptions say how a script is read.
type ShellOptions struct {
	Dir        string // where it starts; empty: where relative names do
	PowerShell bool
	IsDir      func(name string) bool // what cp and mv copy into; nil: there are no directories
	Exists     func(name string) bool // for patches, see [Event.Operations]
}

const (
	shellDepth = 3       // sh -c in sh -c
	shellMost  = 1 << 20 // bytes that are looked at
)

// ReadShell reads a script. It never fails: what it cannot read it leaves to the
// check at the end of the turn.
func ReadShell(script string, opt ShellOptions) *ShellScript {
	s := &shell{opt: opt, out: &ShellScript{}, turns: strings.Contains(script, "refs/chordgit/")}
	s.script(script, workdir{opt.Dir, true}, 0)
	s.out.Ops = s.ops.list
	return s.out
}

// A workdir is a directory; known is false where only the shell knows it.
type workdir struct {
	dir   string
	known bool
}

type shell struct {
	opt   ShellOptions
	out   *ShellScript
	ops   opSet
	turns bool // the script names the refs of turns
}

// script reads one script, whose cd's end with it.
func (s *shell) script(text string, at workdir, depth int) {
	if depth > shellDepth || len(text) > shellMost {
		return
	}
	var outer []workdir
	for _, c := range lexShell(text, s.opt.PowerShell) {
		// Of a ")(" the closing one comes first.
		for range c.closes {
			if n := len(outer); n > 0 {
				at, outer = outer[n-1], outer[:n-1]
			}
		}
		for range c.opens {
			outer = append(outer, at)
		}
		for _, inner := range c.scripts {
			s.script(inner, at, depth+1)
		}
		s.command(&c, &at, depth)
	}
}

// An invocation is a simple command without what stands before its name.
type invocation struct {
	*simpleCommand
	name  string
	args  []shellWord
	at    workdir
	depth int
}

// reserved words that stand before a command.
var reserved = []string{"if", "then", "else", "elif", "do", "while", "until", "!", "{"}

// command judges one command, and follows its cd.
func (s *shell) command(c *simpleCommand, at *workdir, depth int) {
	args := c.words
	for len(args) > 0 && args[0].plain && slices.Contains(reserved, args[0].text) {
		args = args[1:]
	}
	in := &invocation{simpleCommand: c, args: args, at: *at, depth: depth}
	s.unwrap(in)
	for _, r := range c.redirects {
		switch r.op {
		case ">", ">>", ">|", "&>", "&>>", "<>":
			s.write(in, r.target)
		case ">&":
			if strings.Trim(r.target.text, "0123456789-") != "" {
				s.write(in, r.target)
			}
		}
	}
	if len(in.args) == 0 || !in.args[0].known {
		return
	}
	in.name, in.args = path.Base(in.args[0].text), in.args[1:]
	if s.opt.PowerShell {
		in.name = strings.ToLower(in.name)
	}
	switch in.name {
	case "cd", "pushd", "set-location":
		*at = changed(*at, in.args)
	case "popd":
		at.known = false
	case "sh", "bash", "zsh", "dash", "ksh":
		s.inner(in)
	case "eval":
		var texts []string
		for _, w := range in.args {
			if !w.known {
				return
			}
			texts = append(texts, w.text)
		}
		s.script(strings.Join(texts, " "), in.at, depth+1)
	default:
		s.bypass(in)
		s.writes(in)
		s.patches(in)
	}
}

// changed is where a cd leads.
func changed(at workdir, args []shellWord) workdir {
	for len(args) > 0 && (args[0].text == "--" || args[0].text == "-P" || args[0].text == "-L") {
		args = args[1:]
	}
	switch {
	case len(args) == 0 || !args[0].known || args[0].text == "-" || args[0].text == "" || strings.HasPrefix(args[0].text, "~"):
		return workdir{}
	case isAbsolute(args[0].text):
		return workdir{args[0].text, true}
	}
	return workdir{under(at.dir, args[0].text), at.known}
}

// inner reads the text of sh -c.
func (s *shell) inner(in *invocation) {
	for i, w := range in.args {
		if strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.HasSuffix(w.text, "c") && i+1 < len(in.args) {
			if text := in.args[i+1]; text.known {
				s.script(text.text, in.at, in.depth+1)
			}
			return
		}
	}
	for _, r := range in.redirects {
		s.script(r.body, in.at, in.depth+1)
	}
}

// wrappers are programs that run the command in their arguments; the text lists
// their options that take an argument.
var wrappers = map[string]string{
	"env": "uSC", "command": "", "exec": "a", "sudo": "ugpCDhRTU", "time": "fo", "nohup": "", "builtin": "", "nice": "n", "doas": "uC", "stdbuf": "ioe",
}

// unwrap takes off assignments and programs that run another, and looks at what
// these set.
func (s *shell) unwrap(in *invocation) {
	for len(in.args) > 0 {
		w := in.args[0]
		if name, value, ok := strings.Cut(w.text, "="); ok && isName(name) {
			s.assigned(name, value)
			in.args = in.args[1:]
			continue
		}
		options, ok := wrappers[path.Base(w.text)]
		if !ok || !w.known {
			return
		}
		in.args = in.args[1:]
		for len(in.args) > 0 && len(in.args[0].text) > 1 && in.args[0].text[0] == '-' {
			o := in.args[0].text
			in.args = in.args[1:]
			if len(o) != 2 || o == "--" || strings.IndexByte(options, o[1]) < 0 || len(in.args) == 0 {
				continue
			}
			if o == "-C" && path.Base(w.text) == "env" || o == "-D" {
				in.at = changed(in.at, in.args[:1])
			}
			if o == "-S" && in.args[0].known {
				s.script(in.args[0].text, in.at, in.depth+1)
			}
			in.args = in.args[1:]
		}
	}
}

func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// name is where a word leads, false if only the shell knows.
func (in *invocation) nameOf(w shellWord) (string, bool) {
	switch {
	case !w.known || w.text == "" || strings.HasPrefix(w.text, "/dev/"):
		return "", false
	case !in.at.known && !isAbsolute(w.text) && !strings.HasPrefix(w.text, "~"):
		return "", false
	case !w.plain && strings.HasPrefix(w.text, "~"):
		return under(in.at.dir, "./"+w.text), true // quoted, it is a name like any other
	}
	return under(in.at.dir, w.text), true
}

func (s *shell) add(kind Kind, in *invocation, w shellWord) {
	if name, ok := in.nameOf(w); ok {
		s.ops.add(Operation{Kind: kind, Path: name})
	}
}

func (s *shell) write(in *invocation, w shellWord) { s.add(Put, in, w) }

// patches reads what is handed to apply_patch.
func (s *shell) patches(in *invocation) {
	if in.name != "apply_patch" && in.name != "applypatch" || !in.at.known {
		return
	}
	var texts []string
	for _, w := range in.args {
		texts = append(texts, w.text) // an unknown one, too: names in it are mostly as written
	}
	for _, r := range in.redirects {
		texts = append(texts, r.body)
		if r.op == "<<<" {
			texts = append(texts, r.target.text)
		}
	}
	for _, text := range texts {
		s.out.Patches = append(s.out.Patches, patchOperations(text, in.at.dir, s.opt.Exists)...)
	}
}
