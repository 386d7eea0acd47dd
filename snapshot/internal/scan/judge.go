package scan

import (
	"io/fs"
	"slices"
	"sort"
	"strings"
	"unsafe"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

const ruleFile = ".gitignore"

// ownRules returns what n's .gitignore holds, nil if there is none, and whether
// that is what the cache's judgements rest on.
func (w *worker) ownRules(n *node) (own []byte, same bool) {
	if w.opt.Rules == nil || n.free || n.shut || n.part != nil {
		return nil, true
	}
	i, found := slices.BinarySearchFunc(n.entries, ruleFile, func(e statcache.Entry, name string) int {
		return statcache.Compare(n.nameOf(&e), e.Mode.IsDir(), []byte(name), false)
	})
	then, had := w.oldRules(n)
	if found {
		e := &n.entries[i]
		switch {
		case e.Why != statcache.Stored: // no stat
		case e.Mode.IsRegular():
			text, err := n.h.read(n.nameOf(e))
			if err == nil && text == nil {
				text = []byte{}
			}
			return text, err == nil && had && w.opt.Rule.File(e, &then)
		case !e.Mode.IsDir():
			n.flags |= statcache.LinkedRule
		}
	} else if w.opt.Sparse != nil {
		p := n.path()
		if p != "" {
			p += "/"
		}
		own = w.opt.Sparse[p+ruleFile]
	}
	return own, !had || !then.Mode.IsRegular()
}

// oldRules returns the cache's entry of n's .gitignore.
func (w *worker) oldRules(n *node) (e statcache.Entry, ok bool) {
	if n.old < 0 {
		return e, false
	}
	c := w.opt.Cache
	d := c.Dir(int(n.old))
	i := sort.Search(int(d.Count), func(i int) bool {
		e := c.Entry(int(d.First) + i)
		return statcache.Compare(c.Name(&e), e.Mode.IsDir(), []byte(ruleFile), false) >= 0
	})
	if i == int(d.Count) {
		return e, false
	}
	e = c.Entry(int(d.First) + i)
	return e, string(c.Name(&e)) == ruleFile && !e.Mode.IsDir()
}

// inherit finds the rules that hold in n.
func (w *worker) inherit(n *node, own []byte, same bool) {
	n.sure = n.sure && same && n.old >= 0
	nested := n.flags & statcache.Nested
	if n.sure {
		then := w.opt.Cache.Dir(int(n.old)).Flags
		n.sure = then&statcache.Nested == nested && (n.part != nil || then&statcache.Partial == 0)
	}
	if w.opt.Hidden != nil {
		n.hides = w.opt.Hidden(n.path())
	}
	switch {
	case n.part != nil, n.shut:
	case n.parent == nil:
		if w.opt.Rules != nil {
			n.rules = w.opt.Rules(own)
		}
	case nested != 0 && w.opt.Nested != nil && w.inheritNested(n, own):
	case !n.free && n.parent.rules != nil:
		n.rules = n.parent.rules.Enter(string(n.name), own)
	}
}

// inheritNested finds the rules that hold in a repository below the top; false
// if n is none.
func (w *worker) inheritNested(n *node, own []byte) bool {
	n.sure = false // its info/exclude may have changed, or whether it is one
	rules, paths, ok := w.opt.Nested(n.path(), own)
	if !ok {
		return false
	}
	n.rules = rules
	if paths != nil {
		n.roots = &root{n.roots, n.depth, paths}
	}
	return true
}

// judge decides what becomes of each entry.
func (w *worker) judge(n *node) {
	n.same = n.same && n.flags&statcache.Incomplete == 0
	for i := range n.entries {
		e := &n.entries[i]
		var then statcache.Entry
		old := w.olds[i]
		if old >= 0 {
			then = w.opt.Cache.Entry(int(old))
		}
		if e.Why == statcache.Stored {
			if e.Mode.IsDir() {
				w.judgeDir(n, e, old, &then)
			} else {
				w.judgeFile(n, e, old, &then)
			}
		}
		if old < 0 || e.Why != then.Why || e.Mode.IsDir() && (e.Link < 0) != (then.Link < 0) {
			n.same = false
		}
	}
}

// hidden reports whether an ignore rule hides an entry.
func (w *worker) hidden(n *node, e *statcache.Entry, old int32, then *statcache.Entry) bool {
	switch {
	case n.shut:
		return true
	case n.rules == nil:
		return false
	case n.sure && old >= 0 && then.Mode.IsDir() == e.Mode.IsDir() && wasJudged(then):
		return then.Flags&statcache.ByRule != 0
	}
	name := n.nameOf(e)
	return n.rules.Ignored(unsafe.String(&name[0], len(name)), e.Mode.IsDir())
}

// wasJudged reports whether the rules were asked about an entry: neither about
// one that is not stored for another reason, nor about one that the options hid
// before the rules had their turn.
func wasJudged(then *statcache.Entry) bool {
	if then.Flags&(statcache.Ignored|statcache.ByRule) == statcache.Ignored {
		return false
	}
	switch then.Why {
	case statcache.Stored, statcache.IsIgnored, statcache.TooLarge, statcache.OverBudget:
		return true
	}
	return false
}

// pathOf is the path of one of n's entries.
func (n *node) pathOf(e *statcache.Entry) string {
	return string(append(n.appendBelow(nil, 0), n.nameOf(e)...))
}

// included reports whether the options ask for a hidden file.
func (w *worker) included(n *node, e *statcache.Entry) bool {
	if w.opt.Include == nil {
		return false
	}
	all, _ := w.opt.Include(n.pathOf(e))
	return all
}

// forbidden reports whether a link or directory has a name under which git wants
// a file.
func (n *node) forbidden(e *statcache.Entry) bool {
	name := n.nameOf(e)
	if !mayBeGit(name) {
		return false
	}
	modules, attributes := edit.IsGitFile(string(name))
	return modules || attributes && e.Mode.IsDir()
}

func (w *worker) judgeFile(n *node, e *statcache.Entry, old int32, then *statcache.Entry) {
	link := !e.Mode.IsRegular()
	if link && e.Mode.Type() != fs.ModeSymlink {
		e.Why = statcache.Special
		return
	}
	if link && n.forbidden(e) {
		e.Why = statcache.BadName
		return
	}
	switch {
	case w.opt.Exclude != nil && w.opt.Exclude(n.pathOf(e)),
		n.hides != nil && n.hides[string(n.nameOf(e))] && !n.isNamed(e):
		e.Flags |= statcache.Ignored
		e.Why = statcache.Excluded
	case n.part != nil:
		e.Flags |= statcache.ByRule
	case w.hidden(n, e, old, then):
		e.Flags |= statcache.ByRule
		if !n.isNamed(e) && !w.included(n, e) {
			e.Flags |= statcache.Ignored
			if n.shut || w.opt.MaxIgnored < 0 || w.opt.MaxIgnored > 0 && e.Size > w.opt.MaxIgnored {
				e.Why = statcache.IsIgnored
			}
		}
	}
	if e.Why == statcache.Stored && w.opt.MaxFile > 0 && e.Size > w.opt.MaxFile {
		e.Why = statcache.TooLarge
	}
	if old < 0 {
		return
	}
	e.Link = old
	if then.Why == statcache.Stored && w.opt.Rule.File(e, then) && w.opt.Cache.ID(int(old)) != nil {
		e.Flags |= statcache.Trusted
	} else if e.Why == statcache.Stored {
		n.same = false
	}
}

func (w *worker) judgeDir(n *node, e *statcache.Entry, old int32, then *statcache.Entry) {
	if n.forbidden(e) {
		e.Why = statcache.BadName
		return
	}
	sub := &node{parent: n, name: n.nameOf(e), depth: n.depth + 1, self: *e, old: -1, sure: n.sure, free: n.free, roots: n.roots}
	if old >= 0 && then.Mode.IsDir() && then.Link > 0 {
		sub.old = then.Link
	}
	hidden, all, some := true, false, false
	switch {
	case w.opt.Exclude != nil && w.opt.Exclude(n.pathOf(e)):
		e.Flags |= statcache.Ignored
		e.Why = statcache.Excluded
		return
	case n.part != nil:
		e.Flags |= statcache.ByRule | statcache.Ignored
		sub.part = within(n.part, w.fold(string(sub.name))+"/", nil)
	case n.hides != nil && n.hides[string(sub.name)+"/"]:
		e.Flags |= statcache.Ignored
		sub.part = w.below(n, sub.name)
	case w.hidden(n, e, old, then):
		e.Flags |= statcache.ByRule | statcache.Ignored
		sub.part = w.below(n, sub.name)
		if w.opt.Include != nil {
			all, some = w.opt.Include(n.pathOf(e))
		}
	default:
		hidden = false
	}
	switch {
	case !hidden:
	case all:
		e.Flags &^= statcache.Ignored
		sub.part, sub.free = nil, true
	case some:
		sub.part, sub.shut = nil, true
		sub.flags |= statcache.Partial
	case len(sub.part) == 0:
		e.Why = statcache.IsIgnored
		if e.Flags&statcache.ByRule == 0 {
			e.Why = statcache.Excluded
		}
		return
	case sub.part[0] == "": // a submodule: all of it
		e.Flags &^= statcache.Ignored
		sub.part, sub.free = nil, true
	}
	sub.self.Flags = e.Flags
	e.Link = int32(len(n.subs))
	n.subs = append(n.subs, sub)
}

// isNamed reports whether an index names one of n's files.
func (n *node) isNamed(e *statcache.Entry) bool {
	for r := n.roots; r != nil; r = r.outer {
		if r.paths.Has(string(append(n.appendBelow(nil, r.depth), n.nameOf(e)...))) {
			return true
		}
	}
	return false
}

// fold is a name as it is compared with those of an index.
func (w *worker) fold(name string) string {
	if !w.opt.FoldCase {
		return name
	}
	return Fold(name)
}

// below is what the indexes name below a directory in n, relative to it, folded
// and sorted.
func (w *worker) below(n *node, name []byte) (inside []string) {
	for r := n.roots; r != nil; r = r.outer {
		inside = r.paths.Below(inside, string(append(n.appendBelow(nil, r.depth), name...)))
	}
	for i := range inside {
		inside[i] = w.fold(inside[i])
	}
	if len(inside) > 1 {
		slices.Sort(inside)
		inside = slices.Compact(inside)
	}
	return inside
}

// within appends the paths that start with prefix, without it.
func within(paths []string, prefix string, to []string) []string {
	i, _ := slices.BinarySearch(paths, prefix)
	for ; i < len(paths) && strings.HasPrefix(paths[i], prefix); i++ {
		to = append(to, paths[i][len(prefix):])
	}
	return to
}
