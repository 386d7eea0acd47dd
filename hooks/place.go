package hooks

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

const maxLinks = 40 // followed in one path, as Linux does

// errOutside is what leads out of the worktree.
var errOutside = errors.New("outside the repository")

// place finds the names under which the end is judged. It returns false if that
// is settled without them.
func (e *end) place() bool {
	given := e.op.Path
	if e.op.Found {
		e.lexical, e.resolved = given, given
		e.names = aliases(nil, given)
		return true
	}
	if rest, ok := strings.CutPrefix(given, "file://"); ok {
		if plain, err := url.PathUnescape(rest); err == nil {
			given = plain
		}
	}
	switch {
	case given == "~" || strings.HasPrefix(given, "~/"):
		e.refuse(ClassOutside, "", "~ is not expanded")
		return false
	case given == "":
		e.refuse(ClassPath, "", "is empty")
		return false
	}
	if err := edit.CheckName(given, func(dir, component string) bool {
		at, err := e.relative(path.Join(dir, component))
		if err != nil || strings.HasPrefix(path.Clean(at), "..") {
			return false
		}
		f, err := e.lookup(path.Clean(at))
		return err == nil && f != nil
	}); err != nil {
		e.refuse(ClassPath, "", "%v", err)
		return false
	}
	raw, err := e.relative(given)
	if err != nil {
		return e.outside(given)
	}
	if e.lexical = path.Clean(raw); e.lexical == "." {
		e.refuse(ClassPath, "", "the worktree itself")
		return false
	}
	if e.lexical == ".." || strings.HasPrefix(e.lexical, "../") {
		return e.outside(given)
	}
	return e.resolve(raw)
}

// relative makes a name relative to the root, without cleaning what is below it.
func (p *Policy) relative(name string) (string, error) {
	if !isAbsolute(name) && p.site.Base != "" {
		name = p.site.Base + "/" + name
	}
	if !isAbsolute(name) {
		return name, nil
	}
	for _, text := range []string{name, path.Clean(name)} {
		for _, root := range p.site.Roots {
			if rest, ok := strings.CutPrefix(text+"/", strings.TrimSuffix(root, "/")+"/"); ok {
				if clean := path.Clean(rest); clean == ".." || strings.HasPrefix(clean, "../") {
					continue
				}
				return path.Clean("./" + rest), nil
			}
		}
	}
	return "", errOutside
}

// isAbsolute reports names that start at a root, or at a drive: on systems
// without drives these lie outside of everything.
func isAbsolute(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':' && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
}

// outside decides about a name that does not lie in the worktree.
func (e *end) outside(given string) bool {
	abs := given
	if !isAbsolute(given) {
		abs = e.site.Base + "/" + given
		if !isAbsolute(e.site.Base) && len(e.site.Roots) > 0 {
			abs = e.site.Roots[0] + "/" + abs
		}
	}
	abs = path.Clean(abs)
	below := func(dirs []string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return within(abs, strings.TrimSuffix(dir, "/")) })
	}
	switch {
	case inGitDir(abs) || below(e.site.GitDirs):
		e.refuse(ClassGit, "", "inside the git directory")
		return false
	case below(e.site.Never):
	case e.site.Outside == "allow", e.site.Outside == "scratch" && below(e.site.Scratch):
		return false
	}
	e.refuse(ClassOutside, "", "%v", errOutside)
	return false
}

// resolve follows links and collects the names.
func (e *end) resolve(raw string) bool {
	follow := e.kind != Delete && !e.moving // removing and renaming act on a link itself
	resolved, via, err := e.walk(e.lexical, follow)
	if err == nil {
		e.resolved = resolved
		e.names = aliases(e.names, e.lexical)
		e.names = aliases(e.names, resolved)
		if strings.Contains("/"+raw+"/", "/../") { // taken as the system does
			if resolved, via, err = e.walk(raw, follow); err == nil {
				e.names = aliases(e.names, resolved)
			}
		}
	}
	switch {
	case errors.Is(err, errOutside):
		e.refuse(ClassOutside, "", "leaves the repository through %s", edit.Quote(via))
		return false
	case errors.Is(err, errLoop):
		e.refuse(ClassOutside, "", "the links at %s run in a circle", edit.Quote(via))
		return false
	case err != nil:
		e.undecided(err)
		return false
	}
	for _, name := range e.op.Also {
		e.names = aliases(e.names, name)
	}
	if e.resolved != e.lexical {
		e.via = edit.Quote(e.op.Path) + " -> " + edit.Quote(e.resolved)
	}
	for _, name := range e.names {
		if name == "." || name == ".." || strings.HasPrefix(name, "../") {
			e.refuse(ClassOutside, "", "%v", errOutside)
			return false
		}
	}
	return true
}

var errLoop = errors.New("too many links")

// walk follows a name from the root as the system does: ".." is taken after what
// stands before it was resolved. What does not exist stays as it is. Of an error
// it tells the link.
func (p *Policy) walk(name string, follow bool) (resolved, via string, err error) {
	rest := strings.Split(name, "/")
	cur, links := ".", 0
	for len(rest) > 0 {
		name, last := rest[0], len(rest) == 1
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if cur == "." {
				return "", via, errOutside
			}
			cur = parent(cur)
			continue
		}
		next := name
		if cur != "." {
			next = cur + "/" + name
		}
		f, err := p.lookup(next)
		if err != nil {
			return "", via, err
		}
		if !f.IsLink() || last && !follow {
			cur = next
			continue
		}
		target := string(f.Data)
		via = next + " -> " + target
		if links++; links > maxLinks {
			return "", next, errLoop
		}
		if isAbsolute(target) {
			cur = "."
			if target, err = p.relative(target); err != nil {
				return "", via, err
			}
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return cur, via, nil
}

// aliases adds a name, and what another system takes it for when the repository
// is checked out there: backslashes are slashes, and what follows a colon, and
// dots and blanks at the end of a component do not count.
func aliases(names []string, name string) []string {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	add(name)
	if !strings.ContainsAny(name, `\:`) && !strings.Contains(name+"/", "./") && !strings.Contains(name+"/", " /") {
		return names
	}
	slashed := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	add(slashed)
	for _, n := range []string{name, slashed} {
		components := strings.Split(n, "/")
		for i, c := range components {
			c, _, _ = strings.Cut(c, ":")
			if c = strings.TrimRight(c, ". "); c != "" {
				components[i] = c
			}
		}
		add(strings.Join(components, "/"))
	}
	return names
}
