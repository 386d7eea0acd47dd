package hooks

import (
	"cmp"
	"path"
	"slices"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks/internal/glob"
)

// A Layer is a file, or one version of it, that has a say about what is
// allowed.
type Layer struct {
	Name   string  // user, HEAD, turn, index or worktree; user is the user's file, all others are versions of the repository's
	Place  string  // its name in messages
	Config *Config // nil: there is none, and it says nothing
}

// A Site is where operations are judged. The zero value is a tree without files.
type Site struct {
	Tree Tree // what exists; nil: nothing
	// Roots are the absolute spellings of the worktree's root, with slashes.
	Roots []string
	Base  string // where relative names start, relative to the root; empty: the root
	// FoldCase says that letter case does not tell files apart (core.ignoreCase).
	FoldCase  bool
	HooksPath string   // core.hooksPath, relative to the root; empty: not inside
	GitDirs   []string // the git directory and the common one, absolute, with slashes
	Made      []string // what the request makes, as an [Operation] names it

	// Outside says what becomes of names outside of the worktree, empty like
	// "deny": "scratch" allows those below Scratch, "allow" all but those below
	// Never. Scratch and Never are absolute and free of links, as the names that
	// are compared with them must be.
	Outside        string
	Scratch, Never []string
}

// A Tree tells what exists, for where that decides: links lead elsewhere, and
// who removes a directory removes what is in it. Paths are relative to the root.
type Tree interface {
	// Lookup tells what stands at a path, as [edit.Tree] does.
	Lookup(path string) (*edit.File, error)
	// Walk visits what lies below a directory: files and links, on disk or
	// tracked; of a git directory no more than its name. It ends with the first
	// error of visit, which it returns.
	Walk(dir string, visit func(path string) error) error
	// Gitlinks are the paths of the submodules.
	Gitlinks() ([]string, error)
}

// A Kind says what an operation does to a path.
type Kind string

// The kinds. A Write is of a file that exists, and of its mode as well; a Move
// deletes its source and creates its target. Put is Create or Write by what
// exists.
const (
	Put    Kind = ""
	Create Kind = "create"
	Write  Kind = "write"
	Delete Kind = "delete"
	Move   Kind = "move"
)

// An Operation is what somebody wants to do.
type Operation struct {
	Kind Kind
	Path string // as given: relative to [Site].Base, or absolute; a Move's source
	To   string // a Move's target
	Tool string // for permission: edit, apply_patch, write, delete or move; empty: not known
	// Moving says that this is one end of a move: of a Delete the source, of a
	// Create the target.
	Moving bool
	// Found says that the path was found in a tree, an index or on disk: it is
	// clean and relative to the root, never refused for its bytes, and no
	// component but the last is a link.
	Found bool
	// Link is where the symbolic link that is made at a found path leads, empty if
	// none is.
	Link string
	// Also are further names under which the operation is judged, clean and
	// relative to the root.
	Also []string
}

// Who wants it.
type Who uint8

// An Agent is refused what is protected; of a person who is there to answer,
// Attended, consent is asked for that. A Person's own changes are noted there,
// and no permission of tools binds them.
const (
	Agent Who = iota
	Attended
	Person
)

// A Policy judges operations. It holds what layers say about one [Site], and
// remembers what it saw there: it is made for one request, and used by one
// goroutine at a time.
type Policy struct {
	site   Site
	layers []*layer
	files  map[string]*edit.File // what lookups said
	made   map[string]bool       // what the request makes, and the directories above

	gitlinks    []string // nil until asked for
	submodules  bool     // may be changed
	asked       bool     // for gitlinks
	gitlinksErr error
}

// A layer is a Layer made ready.
type layer struct {
	Layer
	tables     map[Kind]*table // Put is that of all operations
	unprotect  *glob.List
	permission map[string]*toolLists
}

// A table is one set of lists.
type table struct {
	name             string
	rules            Rules
	deny, allow, ask *glob.List
}

// NewPolicy makes a policy of layers, the user's first, then versions of the
// repository's file, the nearest last. The strictest of them counts; what lifts
// a protection counts only if every version of the repository's file says so, or
// the user's.
func NewPolicy(site Site, layers ...Layer) *Policy {
	p := &Policy{site: site, files: map[string]*edit.File{}, made: map[string]bool{}}
	for _, l := range layers {
		if l.Config != nil {
			p.layers = append(p.layers, newLayer(l, site.FoldCase))
		}
	}
	p.submodules = p.lifted(func(l *layer) bool { return l.Config.Policy.Submodules == "allow" }) &&
		!slices.ContainsFunc(p.layers, func(l *layer) bool { return l.Config.Policy.Submodules == "deny" })
	for _, name := range site.Made {
		rel, err := p.relative(name)
		if err != nil {
			continue
		}
		for rel = path.Clean(rel); rel != "." && rel != "/" && !p.made[rel]; rel = parent(rel) {
			p.made[rel] = true
		}
	}
	return p
}

func newLayer(l Layer, fold bool) *layer {
	made := &layer{Layer: l, tables: map[Kind]*table{}, permission: map[string]*toolLists{}}
	c := &l.Config.Policy
	for kind, rules := range map[Kind]Rules{Put: c.Rules, Create: c.Create, Write: c.Write, Delete: c.Delete, Move: c.Move} {
		t := &table{name: "policy", rules: rules}
		if kind != Put {
			t.name += "." + string(kind)
		}
		t.deny, t.ask = list(rules.Deny, fold, true), list(rules.Ask, fold, true)
		t.allow = list(rules.Allow, false, false)
		made.tables[kind] = t
	}
	made.unprotect = list(c.Unprotect, fold, false)
	for tool, rules := range l.Config.Permission {
		made.permission[tool] = newToolLists(rules, fold)
	}
	return made
}

// list is nil for no rules.
func list(rules []Rule, fold, widen bool) *glob.List {
	if rules == nil {
		return nil
	}
	globs := make([]glob.Glob, len(rules))
	for i, r := range rules {
		globs[i] = r.glob
	}
	return glob.NewList(globs, fold, widen)
}

// lifted reports whether the user's file lifts something, or every version of
// the repository's. Of several versions of the user's every one must.
func (p *Policy) lifted(by func(*layer) bool) bool {
	return lifts(p.layers, func(l *layer) string { return l.Name }, by)
}

func lifts[L any](layers []L, name func(L) string, by func(L) bool) bool {
	var user, repository struct{ versions, lifting int }
	for _, l := range layers {
		of := &repository
		if name(l) == "user" {
			of = &user
		}
		of.versions++
		if by(l) {
			of.lifting++
		}
	}
	return user.versions > 0 && user.lifting == user.versions || repository.versions > 0 && repository.lifting == repository.versions
}

// Judge returns all that stands against an operation, and notes, the strictest
// and first in rank first. There is one finding at most of each list of rules.
// The operation is allowed if there is none of verdict Deny or Ask.
func (p *Policy) Judge(who Who, op Operation) []Finding {
	var found []Finding
	switch op.Kind {
	case Move:
		found = p.move(who, op)
	default:
		e := p.end(who, op)
		e.moving = op.Moving
		e.judge()
		found = e.findings
	}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Verdict, a.Verdict), cmp.Compare(rank(a.Class), rank(b.Class)), cmp.Compare(a.rank, b.rank), cmp.Compare(a.Line, b.Line))
	})
	return found
}

// Strictest is the verdict that findings of [Policy.Judge] come to.
func Strictest(found []Finding) Verdict {
	v := Allow
	for i := range found {
		v = max(v, found[i].Verdict)
	}
	return v
}

// move judges both ends of a move and, of a directory, where everything in it
// goes.
func (p *Policy) move(who Who, op Operation) []Finding {
	from := p.end(who, Operation{Kind: Delete, Path: op.Path, Tool: op.Tool, Found: op.Found, Also: op.Also})
	from.moving = true
	from.judge()
	to := p.end(who, Operation{Kind: Create, Path: op.To, Tool: op.Tool, Found: op.Found})
	to.moving = true
	to.judge()
	if len(to.names) > 0 {
		for _, below := range from.contents {
			inner := *to
			inner.findings = nil
			inner.at(to.resolved + below)
			if to.holds(&inner) {
				break
			}
		}
	}
	return append(from.findings, to.findings...)
}

// Names are the names under which an operation is judged: where it is spelt,
// where links lead, and what other systems take it for. There are none of a
// name that is refused.
func (p *Policy) Names(op Operation) []string {
	e := p.end(Agent, op)
	e.place()
	return e.names
}

// KindOf is what an operation comes to: of a Put, whether something is there.
func (p *Policy) KindOf(op Operation) Kind {
	e := p.end(Agent, op)
	if op.Kind == Put && e.place() {
		e.settle()
	}
	if e.kind == Put {
		return Write
	}
	return e.kind
}

// AllRules are the rules of policy and permission in a file, nil of a nil
// Config.
func (c *Config) AllRules() (all []Rule) {
	if c == nil {
		return nil
	}
	p := &c.Policy
	for _, t := range []*Rules{&p.Rules, &p.Create, &p.Write, &p.Delete, &p.Move} {
		all = slices.Concat(all, t.Deny, t.Allow, t.Ask)
	}
	all = append(all, p.Unprotect...)
	for _, tool := range tools {
		if t := c.Permission[tool]; t != nil {
			for _, r := range t.Globs {
				all = append(all, r.Rule)
			}
		}
	}
	return all
}
