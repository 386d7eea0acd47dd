package hooks

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// refuse says that a script goes around something.
func (s *shell) refuse(what string) {
	if len(s.out.Bypass) <= refusalLines && !slices.Contains(s.out.Bypass, what) {
		s.out.Bypass = append(s.out.Bypass, what)
	}
}

// assigned judges a variable that is set for a command, or exported.
func (s *shell) assigned(name, value string) {
	off := value == "0" || strings.EqualFold(value, "false")
	switch {
	case (name == "HUSKY" || name == "LEFTHOOK" || name == "CHORDGIT") && off,
		(name == "SKIP" || name == "PREK_SKIP") && strings.Contains(value, "chordgit"):
		s.refuse(name + "=" + edit.Quote(value) + " switches hooks off")
	case strings.HasPrefix(name, "GIT_CONFIG_KEY_") && isHookKey(value),
		name == "GIT_CONFIG_PARAMETERS" && strings.Contains(strings.ToLower(value), "core.hookspath"):
		s.refuse(name + " sets where git looks for hooks")
	}
}

// isHookKey reports the keys of git's configuration that say which hooks run.
func isHookKey(key string) bool {
	key = strings.ToLower(key)
	return key == "core.hookspath" || strings.HasPrefix(key, "hook.chordgit-") || strings.HasPrefix(key, "hook.") && strings.HasSuffix(key, ".enabled")
}

// bypass judges commands that go around hooks, or remove what this program keeps.
func (s *shell) bypass(in *invocation) {
	switch in.name {
	case "export", "declare", "typeset", "set":
		for _, w := range in.args {
			if name, value, ok := strings.Cut(w.text, "="); ok {
				s.assigned(name, value)
			}
		}
	case "chordgit":
		if words := positional(in.args, "C"); len(words) > 1 && words[0].text == "hooks" && words[1].text == "uninstall" {
			s.refuse("chordgit hooks uninstall removes the hooks")
		}
	case "git":
		s.git(in)
	}
}

// positional are the arguments that are no options; with names the short options
// that take an argument.
func positional(args []shellWord, with string) (words []shellWord) {
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case t == "--":
			return append(words, args[i+1:]...)
		case len(t) > 1 && t[0] == '-' && args[i].known:
			if len(t) == 2 && strings.Contains(with, t[1:]) {
				i++
			}
		default:
			words = append(words, args[i])
		}
	}
	return words
}

// git judges a call of git.
func (s *shell) git(in *invocation) {
	args := in.args
options:
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		o := args[0].text
		args = args[1:]
		value, attached := "", false
		if strings.HasPrefix(o, "--") {
			o, value, attached = strings.Cut(o, "=")
		}
		switch o {
		case "-c", "-C", "--config-env", "--git-dir", "--work-tree", "--namespace", "--super-prefix":
			if !attached {
				if len(args) == 0 {
					break options
				}
				if o == "-C" {
					in.at = changed(in.at, args[:1])
				}
				value, args = args[0].text, args[1:]
			}
			if key, _, _ := strings.Cut(value, "="); (o == "-c" || o == "--config-env") && isHookKey(key) {
				s.refuse("git " + o + " " + edit.Quote(key) + " says which hooks run")
			}
		}
	}
	if len(args) == 0 {
		return
	}
	command := args[0].text
	in.args = args[1:]
	in.name = "git " + command
	switch command {
	case "commit":
		if commitBypasses(in.args) {
			s.refuse("git commit without its hooks (--no-verify)")
		}
	case "push", "merge", "rebase", "am", "fetch":
		for _, w := range in.args {
			switch {
			case w.text == "--":
			case noVerify(w.text) && command != "fetch":
				s.refuse("git " + command + " without its hooks (--no-verify)")
			case command == "push" && w.text == "--mirror":
				s.refuse("git push --mirror would publish turns, which hold prompts and ignored files, or remove them")
			case (command == "push" || command == "fetch") && strings.Contains(w.text, "refs/chordgit/"):
				s.refuse("git " + command + " of refs/chordgit/, where turns are kept")
			}
		}
	case "update-ref":
		for _, w := range in.args {
			// What standard input names may come from anywhere in the script.
			if (w.text == "-d" || w.text == "--stdin") && s.turns {
				s.refuse("git update-ref of refs/chordgit/, where turns are kept")
				break
			}
		}
	case "config":
		s.gitConfig(in.args)
	}
}

// noVerify reports an option that is --no-verify, or short for it.
func noVerify(option string) bool {
	return len(option) >= len("--no-ver") && strings.HasPrefix("--no-verify", option)
}

// commitBypasses reports whether arguments of git commit switch its hooks off.
func commitBypasses(args []shellWord) bool {
	const with, attached = "mFCctS", "uSt" // short options with an argument; those after which it stands at once
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case !args[i].known:
		case t == "--":
			return false
		case noVerify(t):
			return true
		case strings.HasPrefix(t, "--"):
			switch t {
			case "--message", "--file", "--author", "--date", "--template", "--reuse-message", "--reedit-message",
				"--fixup", "--squash", "--cleanup", "--trailer", "--pathspec-from-file":
				i++
			}
		case len(t) > 1 && t[0] == '-':
			for j := 1; j < len(t); j++ {
				if t[j] == 'n' {
					return true
				}
				if strings.IndexByte(attached, t[j]) >= 0 && t[j] != 't' {
					break
				}
				if strings.IndexByte(with, t[j]) >= 0 {
					if j == len(t)-1 {
						i++
					}
					break
				}
			}
		}
	}
	return false
}

// gitConfig judges git config, of which reading is allowed.
func (s *shell) gitConfig(args []shellWord) {
	words := positional(args, "ft")
	reads, changes := false, false
	for _, w := range args {
		switch t := w.text; {
		case strings.HasPrefix(t, "--get"), t == "--list", t == "-l":
			reads = true
		case strings.HasPrefix(t, "--unset"), t == "--add", t == "--replace-all", strings.HasPrefix(t, "--remove-section"), strings.HasPrefix(t, "--rename-section"):
			changes = true
		}
	}
	verbs := map[string]bool{"get": false, "list": false, "set": true, "unset": true, "remove-section": true, "rename-section": true}
	if len(words) > 0 {
		if c, ok := verbs[words[0].text]; ok {
			reads, changes = !c, c
			words = words[1:]
		}
	}
	if reads || len(words) == 0 || !changes && len(words) == 1 {
		return
	}
	key := strings.ToLower(words[0].text)
	if isHookKey(key) || changes && (key == "core" || strings.HasPrefix(key, "hook.")) {
		s.refuse("git config " + edit.Quote(words[0].text) + " says which hooks run")
	}
}
