package edit

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPath      = 4096 // bytes of a path
	maxComponent = 255  // bytes of one name in it
	maxLinks     = 40   // links followed in one path, as Linux does
)

// CheckName tells why a name that an agent gave cannot be a path, nil if it
// can. It looks at the text alone: characters, lengths, and forms that shells
// and browsers would expand but files never mean. exists reports whether a
// component stands on disk under exactly that name below the given directory;
// only such a component may hold an invisible character. It may be nil.
func CheckName(name string, exists func(dir, component string) bool) error {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		return badPath("~ is not expanded; a directory of that name is ./~")
	case strings.HasPrefix(name, "file:"):
		return badPath("file: URIs are not paths")
	}
	return checkText(name, exists)
}

// checkText is CheckName without the forms that are taken literally.
func checkText(name string, exists func(dir, component string) bool) error {
	switch {
	case name == "":
		return badPath("the path is empty")
	case len(name) > maxPath:
		return badPath("the path has %d bytes, %d are allowed", len(name), maxPath)
	case !utf8.ValidString(name):
		return badPath("the path is not valid UTF-8")
	}
	dir := ""
	for component := range strings.SplitSeq(name, "/") {
		if len(component) > maxComponent {
			return badPath("a name in the path has %d bytes, %d are allowed", len(component), maxComponent)
		}
		for _, r := range component {
			if !hiddenInName(r) {
				continue
			}
			if !cleanable(r) || exists == nil || !exists(dir, component) {
				return badPath("the path holds U+%04X, which cannot be seen", r)
			}
		}
		dir = path.Join(dir, component)
	}
	return nil
}

// hiddenInName reports the characters that no new name may hold: control,
// format and variation characters, line and paragraph separators.
func hiddenInName(r rune) bool {
	return r < 0x20 || r >= 0x7F && r <= 0x9F || r == 0x2028 || r == 0x2029 ||
		unicode.In(r, unicode.Cf, unicode.Variation_Selector)
}

// cleanable reports the invisible characters that agents' texts carry by
// accident, so that a file may be named with one and meant.
func cleanable(r rune) bool {
	switch r {
	case 0x200B, 0x200C, 0x200D, 0x2060, 0x00AD, 0xFEFF, 0xFE0E, 0xFE0F:
		return true
	}
	return false
}

func badPath(format string, args ...any) error {
	return &Error{Code: BadPath, Msg: fmt.Sprintf(format, args...)}
}

// IsGitDir reports whether a path component is .git in one of the disguises
// that some file system takes for it: letter case, trailing dots and blanks,
// the short name git~1, a stream suffix, code points that HFS+ ignores.
func IsGitDir(component string) bool {
	name := undisguised(component)
	return name == ".git" || isShort(name, "git~")
}

// IsGitFile reports whether a path component is .gitmodules or .gitattributes in
// one of the disguises that git looks for: under such a name it wants a file.
// Of the short names it takes more than any file system makes.
func IsGitFile(component string) (modules, attributes bool) {
	name := undisguised(component)
	return name == ".gitmodules" || isShort(name, "gitmod~") || isShort(name, "gi7eba~"),
		name == ".gitattributes" || isShort(name, "gitatt~") || isShort(name, "gi7d29~")
}

// undisguised is a component without what some file system does not tell apart.
func undisguised(component string) string {
	name, _, _ := strings.Cut(component, ":")
	name = strings.Map(func(r rune) rune {
		if r >= 0x200C && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x206A && r <= 0x206F || r == 0xFEFF {
			return -1
		}
		return r
	}, name)
	return strings.ToLower(strings.TrimRight(name, ". "))
}

// isShort reports whether a name is a stem with a number behind it.
func isShort(name, stem string) bool {
	digits, ok := strings.CutPrefix(name, stem)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

var reservedName = lazyRegexp(`^\.chordgit-\d+-\d+\.tmp$`)

// IsReserved reports whether a path component is the name of a transaction's
// temporary file.
func IsReserved(component string) bool { return reservedName().MatchString(component) }

var drive = lazyRegexp(`^[A-Za-z]:`)

// A place is where a name of the request leads.
type place struct {
	lexical  string // cleaned, relative to the root
	resolved string // with links followed; where bytes are read and written
	link     *File  // the link at lexical's last component, nil if it is none
}

// A resolver places the names of one request. It remembers what it saw, so
// that every path is looked at once.
type resolver struct {
	tree Tree
	opt  Options
	seen map[string]*File
	errs map[string]error
}

func newResolver(tree Tree, opt Options) *resolver {
	r := &resolver{tree: tree, opt: opt, seen: map[string]*File{}, errs: map[string]error{}}
	if isAbsolute(opt.Base) {
		if base, err := r.relative(opt.Base + "/."); err == nil {
			r.opt.Base = base
		} // else relative names lead outside, and are told so
	}
	return r
}

func isAbsolute(name string) bool {
	return strings.HasPrefix(name, "/") || drive().MatchString(name) || strings.HasPrefix(name, `\`)
}

// ResolvePath tells where a path that an agent gave leads: relative to the root,
// with links followed, by the rules that operations obey. The error has code
// BadPath.
func ResolvePath(tree Tree, name string, opt Options) (string, error) {
	r := newResolver(tree, opt)
	p := path.Join(r.opt.Base, name)
	if isAbsolute(name) {
		var err error
		if p, err = r.relative(name); err != nil {
			return "", err
		}
	}
	if path.Clean(p) == "." {
		return ".", nil
	}
	lexical, _, err := r.lexical(strings.TrimSuffix(name, "/"))
	if err != nil {
		return "", err
	}
	at, err := r.place(lexical, true)
	return at.resolved, err
}

// lookup is Tree.Lookup, remembered.
func (r *resolver) lookup(p string) (*File, error) {
	switch {
	case p == ".":
		return &File{Mode: fs.ModeDir | 0o755}, nil
	case p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "/"):
		return nil, nil // outside, where nothing is looked at
	}
	f, ok := r.seen[p]
	if ok {
		return f, r.errs[p]
	}
	// Below something that is no directory nothing stands.
	if dir := path.Dir(p); dir != "." {
		d, err := r.lookup(dir)
		if err != nil || !d.IsDir() {
			r.seen[p] = nil
			if err != nil {
				r.errs[p] = err
			}
			return nil, err
		}
	}
	f, err := r.tree.Lookup(p)
	r.seen[p] = f
	if err != nil {
		r.errs[p] = err
	}
	return f, err
}

func (r *resolver) exists(p string) bool {
	f, err := r.lookup(p)
	return err == nil && f != nil
}

// lexical cleans a name as the request spelt it. The note says what was read
// into it, if anything.
func (r *resolver) lexical(name string) (string, *Note, error) {
	check := CheckName
	if r.opt.Compat == Codex {
		check = checkText // what others expand is a name to it
	}
	err := check(name, func(dir, component string) bool {
		return r.exists(path.Join(r.opt.Base, dir, component))
	})
	if err != nil {
		return "", nil, err
	}
	var note *Note
	if r.opt.Compat != Codex && strings.Contains(name, `\`) && !drive().MatchString(name) && !strings.HasPrefix(name, `\`) && !r.exists(path.Join(r.opt.Base, name)) {
		slashed := strings.ReplaceAll(name, `\`, "/")
		note = &Note{Code: "path-backslash", Msg: fmt.Sprintf("%s was read as %s", Quote(name), Quote(slashed))}
		name = slashed
	}
	if strings.HasSuffix(name, "/") {
		return "", nil, badPath("the path ends in a slash: a directory is no file")
	}
	p := path.Join(r.opt.Base, name)
	if isAbsolute(name) {
		p, err = r.relative(name)
	} else if isAbsolute(p) {
		p, err = r.relative(p)
	}
	if err != nil {
		return "", nil, err
	}
	switch p = path.Clean(p); {
	case p == ".":
		return "", nil, badPath("the path is the worktree's root")
	case p == ".." || strings.HasPrefix(p, "../"):
		return "", nil, badPath("the path leaves the worktree")
	}
	if err := r.standIn(p); err != nil {
		return "", nil, err
	}
	return p, note, forbidden(p)
}

// relative makes an absolute path below one of the root's spellings relative.
func (r *resolver) relative(name string) (string, error) {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	for _, root := range r.opt.Roots {
		if rest, ok := strings.CutPrefix(clean+"/", strings.TrimSuffix(root, "/")+"/"); ok {
			return strings.TrimSuffix(rest, "/"), nil
		}
	}
	return "", badPath("the absolute path lies outside the worktree")
}

// standIn refuses names that examples use in place of a real one.
func (r *resolver) standIn(p string) error {
	if r.opt.Compat == Codex || !strings.HasPrefix(p, "path/to/") && !strings.ContainsAny(p, "<>") {
		return nil
	}
	if strings.HasPrefix(p, "path/to/") {
		if r.exists("path/to") {
			return nil
		}
		return badPath("path/to/ stands for a real directory; there is none of that name")
	}
	for component := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(component, "<") && strings.HasSuffix(component, ">") && !r.exists(p) {
			return badPath("%q stands for a real name; there is no such file", component)
		}
	}
	return nil
}

// forbidden refuses what belongs to git or to a transaction, whoever asks.
func forbidden(p string) error {
	for component := range strings.SplitSeq(p, "/") {
		if IsGitDir(component) {
			return badPath("%s belongs to git", Quote(component))
		}
		if IsReserved(component) {
			return badPath("names like %s are reserved for chordgit's temporary files", component)
		}
	}
	return nil
}

// place finds where a name leads. With follow the last component is followed if
// it is a link; parents always are. Links are walked as the system walks them:
// ".." in a target is taken after what stands before it was resolved.
func (r *resolver) place(lexical string, follow bool) (place, error) {
	pl := place{lexical: lexical}
	rest := strings.Split(lexical, "/")
	cur, links, dangling := ".", 0, ""
	for len(rest) > 0 {
		name, last := rest[0], len(rest) == 1
		switch name {
		case "", ".":
			rest = rest[1:]
			continue
		case "..":
			if cur == "." {
				return pl, badPath("a link on the way leads out of the worktree")
			}
			cur, rest = path.Dir(cur), rest[1:]
			continue
		}
		next := path.Join(cur, name)
		f, err := r.lookup(next)
		if err != nil {
			return pl, &Error{Code: Unreadable, Err: err}
		}
		if !f.IsLink() || last && !follow {
			if f.IsLink() {
				pl.link = f
			}
			if f.IsDir() && r.exists(next+"/.git") {
				return pl, badPath("%s is a repository of its own", Quote(next))
			}
			cur, rest = next, rest[1:]
			continue
		}
		if links++; links > maxLinks {
			return pl, badPath("the links at %s run in a circle", Quote(next))
		}
		if last {
			dangling = next
			if pl.link == nil {
				pl.link = f
			}
		}
		target := string(f.Data)
		if path.IsAbs(target) {
			cur = "."
			if target, err = r.linkTarget(next, target); err != nil {
				return pl, err
			}
		}
		rest = append(strings.Split(target, "/"), rest[1:]...)
	}
	pl.resolved = cur
	switch {
	case cur == ".":
		return pl, badPath("the path leads to the worktree's root")
	case dangling != "" && !r.exists(cur):
		return pl, badPath("the link %s leads to %s, which does not exist", Quote(dangling), Quote(cur))
	}
	if err := forbidden(cur); err != nil {
		return pl, badPath("it leads to %s: %v", Quote(cur), err)
	}
	return pl, nil
}

// linkTarget makes a link's absolute target relative to the root.
func (r *resolver) linkTarget(link, target string) (string, error) {
	for _, root := range r.opt.Roots {
		if path.Clean(target) == root {
			return ".", nil
		}
		if rest, ok := strings.CutPrefix(target, strings.TrimSuffix(root, "/")+"/"); ok {
			return rest, nil
		}
	}
	return "", badPath("the link %s leads out of the worktree", Quote(link))
}
