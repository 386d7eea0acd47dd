package hooks

import (
	"path"
	"slices"
	"strings"
)

// writes finds the files that a command changes by name.
func (s *shell) writes(in *invocation) {
	each := func(kind Kind, words []shellWord) {
		for _, w := range words {
			s.add(kind, in, w)
		}
	}
	switch in.name {
	case "tee":
		each(Put, positional(in.args, ""))
	case "touch":
		each(Put, positional(in.args, "drt"))
	case "truncate":
		each(Put, positional(in.args, "sr"))
	case "chmod":
		if words := positional(in.args, ""); len(words) > 1 {
			each(Put, words[1:])
		}
	case "rm", "unlink", "rmdir", "git rm":
		each(Delete, positional(in.args, ""))
	case "sed", "perl":
		s.inPlace(in)
	case "cp", "mv", "ln", "install", "rsync", "git mv":
		s.copies(in)
	case "dd":
		for _, w := range in.args {
			if of, ok := strings.CutPrefix(w.text, "of="); ok {
				w.text = of
				s.write(in, w)
			}
		}
	case "patch":
		if words := positional(in.args, "idopFBVzDY"); len(words) > 0 {
			s.write(in, words[0])
		}
		for i, w := range in.args {
			if w.text == "-o" && i+1 < len(in.args) {
				s.write(in, in.args[i+1])
			}
		}
	case "git checkout", "git restore":
		s.restores(in)
	}
	if s.opt.PowerShell {
		s.powerShell(in)
	}
}

// inPlace finds the files of sed -i and perl -i.
func (s *shell) inPlace(in *invocation) {
	inPlace, script := false, false
	var files []shellWord
	for i := 0; i < len(in.args); i++ {
		w := in.args[i]
		t := w.text
		switch {
		case strings.HasPrefix(t, "--in-place"):
			inPlace = true
		case strings.HasPrefix(t, "--expression="), strings.HasPrefix(t, "--file="):
			script = true
		case strings.HasPrefix(t, "--") || len(t) < 2 || t[0] != '-':
			if t != "" && !strings.HasPrefix(t, "--") {
				files = append(files, w)
			}
		default:
			cluster := t[1:]
			// What follows i is the ending of a copy.
			if before, _, ok := strings.Cut(cluster, "i"); ok && !strings.ContainsAny(before, "ef") {
				inPlace = true
				if in.name == "sed" {
					cluster = before
				}
			}
			if strings.ContainsAny(cluster[max(0, len(cluster)-1):], "efE") { // the next word is the script
				script = true
				i++
			} else if strings.HasPrefix(cluster, "e") || strings.HasPrefix(cluster, "f") {
				script = true
			}
		}
	}
	if !inPlace {
		return
	}
	if !script && len(files) > 0 {
		files = files[1:]
	}
	for _, w := range files {
		s.write(in, w)
	}
}

// copies finds what cp, mv and their like make and take away.
func (s *shell) copies(in *invocation) {
	with := map[string]string{"cp": "tS", "mv": "tS", "ln": "tS", "install": "tSmog", "rsync": "ef"}[in.name]
	words := positional(in.args, with)
	into := false
	for i, w := range in.args {
		dir, ok := strings.CutPrefix(w.text, "--target-directory=")
		if w.text == "-t" && in.name != "rsync" && i+1 < len(in.args) {
			w, ok = in.args[i+1], true
			dir = w.text
		}
		if ok {
			w.text = dir
			words, into = append(words, w), true
		}
		if in.name == "install" && (w.text == "-d" || w.text == "--directory") {
			return // makes directories
		}
	}
	if in.name == "ln" && len(words) == 1 {
		words = append(words, shellWord{text: ".", known: true})
	}
	if len(words) < 2 {
		return
	}
	to := words[len(words)-1]
	if in.name == "rsync" && strings.Contains(to.text, ":") {
		return
	}
	dir, ok := in.nameOf(to)
	into = into || len(words) > 2 || strings.HasSuffix(to.text, "/") || to.text == "." || to.text == ".." || ok && s.opt.IsDir != nil && s.opt.IsDir(dir)
	for _, from := range words[:len(words)-1] {
		source, sourceOK := in.nameOf(from)
		target, targetOK := dir, ok
		if into {
			target, targetOK = under(strings.TrimSuffix(dir, "/"), path.Base(from.text)), ok && from.known
			if dir == "/" {
				target = "/" + path.Base(from.text)
			}
		}
		moves := in.name == "mv" || in.name == "git mv"
		switch {
		case moves && sourceOK && targetOK:
			s.ops.add(Operation{Kind: Move, Path: source, To: target})
			continue
		case moves && sourceOK:
			s.ops.add(Operation{Kind: Delete, Path: source, Moving: true})
		}
		switch {
		case targetOK:
			s.ops.add(Operation{Kind: Put, Path: target})
		case ok && into: // something in it
			s.ops.add(Operation{Kind: Put, Path: under(strings.TrimSuffix(dir, "/"), "?")})
		}
	}
}

// restores finds the files that git checkout -- and git restore write.
func (s *shell) restores(in *invocation) {
	i := slices.IndexFunc(in.args, func(w shellWord) bool { return w.text == "--" })
	var words []shellWord
	switch {
	case i >= 0:
		words = in.args[i+1:]
	case in.name == "git checkout":
		return // a branch, or a name that git takes for a file: nobody can tell
	default:
		words = positional(in.args, "sU")
	}
	has := func(options ...string) bool {
		return slices.ContainsFunc(in.args, func(w shellWord) bool { return slices.Contains(options, w.text) })
	}
	if in.name == "git restore" && has("-S", "--staged") && !has("-W", "--worktree") {
		return
	}
	for _, w := range words {
		s.write(in, w)
	}
}

// powerShell finds what the cmdlets that change files do.
func (s *shell) powerShell(in *invocation) {
	kinds := map[string]Kind{
		"set-content": Put, "add-content": Put, "out-file": Put, "remove-item": Delete, "clear-content": Put, "move-item": Move, "copy-item": Put, "new-item": Put,
	}
	kind, ok := kinds[in.name]
	if !ok {
		return
	}
	var paths []shellWord // the path, and where it goes
	var source, target *shellWord
	for i := 0; i < len(in.args); i++ {
		w := in.args[i]
		if !strings.HasPrefix(w.text, "-") || !w.plain {
			paths = append(paths, w)
			continue
		}
		if i+1 == len(in.args) {
			break
		}
		switch strings.ToLower(w.text) {
		case "-path", "-literalpath", "-filepath":
			i++
			source = &in.args[i]
		case "-destination":
			i++
			target = &in.args[i]
		case "-value", "-encoding", "-itemtype", "-inputobject", "-width":
			i++
		}
	}
	for _, p := range []**shellWord{&source, &target} {
		if *p == nil && len(paths) > 0 {
			*p, paths = &paths[0], paths[1:]
		}
	}
	switch {
	case source == nil:
	case in.name == "copy-item":
		if target != nil {
			s.write(in, *target)
		}
	case kind == Move && target != nil:
		from, ok1 := in.nameOf(*source)
		to, ok2 := in.nameOf(*target)
		if ok1 && ok2 {
			s.ops.add(Operation{Kind: Move, Path: from, To: to})
		}
	default:
		s.add(kind, in, *source)
	}
}
