package scan

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// A worker looks into one directory after the other.
type worker struct {
	*walk
	buf     []byte // for listings
	names   []byte // a piece of memory for names
	entries []statcache.Entry
	olds    []int32 // for each entry of the group the cache's, -1: none
	late    bool    // the context ended
}

// often is how many entries are looked at between two looks at the clock.
const often = 256

func (w *worker) run() {
	for n := w.next(); n != nil; n = w.next() {
		w.visit(n)
		w.done(n)
	}
}

func (w *worker) visit(n *node) {
	if w.ctx.Err() != nil {
		n.flags, n.why = statcache.Incomplete, statcache.Deadline
		w.mu.Lock()
		if n.parent != nil {
			n.parent.pending--
			w.closeUnused(n.parent)
		}
		w.mu.Unlock()
		return
	}
	known := w.trusts(n)
	if err := w.enter(n, !known && (n.part == nil || w.opt.FoldCase)); err != nil {
		n.fail(err)
		return
	}
	switch {
	case known:
		n.self.Flags |= statcache.Trusted
		w.remember(n)
	case n.part != nil && w.opt.FoldCase:
		w.namedAlike(n)
	case n.part != nil:
		w.named(n)
	default:
		w.list(n)
	}
	if n.entries == nil {
		return
	}
	own, same := w.ownRules(n)
	w.inherit(n, own, same)
	w.judge(n)
}

// fail notes that a directory cannot be looked into. One that is no directory
// any more was replaced while we looked: what is there now is not known.
func (n *node) fail(err error) {
	if errors.Is(err, fs.ErrNotExist) {
		n.gone = true
		return
	}
	n.flags |= statcache.Incomplete
	n.why = statcache.Unreadable
}

// trusts reports whether the cache knows what n holds.
func (w *worker) trusts(n *node) bool {
	if n.old < 0 || n.part != nil || n.shut {
		return false
	}
	d := w.opt.Cache.Dir(int(n.old))
	then := w.opt.Cache.Entry(int(d.Entry))
	return d.Flags&(statcache.Partial|statcache.Incomplete) == 0 && w.opt.Rule.Dir(&n.self, &then)
}

// remember looks at the entries that the cache knows.
func (w *worker) remember(n *node) {
	c := w.opt.Cache
	d := c.Dir(int(n.old))
	n.flags = d.Flags & (statcache.Empty | statcache.Nested)
	w.room(n, int(d.Count), 0)
	w.olds = w.olds[:0]
	for i := d.First; i < d.First+d.Count; i++ {
		old := c.Entry(int(i))
		name := c.Name(&old)
		if w.look(n, name, old.Mode.Type(), old.Why == statcache.BadName) {
			w.olds = append(w.olds, i)
		}
	}
	w.settle(n, true)
}

// named looks at what the index names in an ignored directory.
func (w *worker) named(n *node) {
	n.flags |= statcache.Partial
	w.room(n, 0, 0)
	for rest := n.part; len(rest) > 0; {
		name, _, _ := strings.Cut(rest[0], "/")
		k := 1
		for k < len(rest) && below(rest[k], name) {
			k++
		}
		rest = rest[k:]
		if name == "" || edit.IsGitDir(name) || name == "." || name == ".." || strings.IndexByte(name, 0) >= 0 {
			continue
		}
		w.buf = append(append(w.buf[:0], name...), 0)
		w.look(n, w.buf[:len(name)], 0, false)
	}
	w.settle(n, false)
}

// namedAlike looks at what the index names in an ignored directory, in whatever
// case the names stand there.
func (w *worker) namedAlike(n *node) {
	n.flags |= statcache.Partial
	var err error
	if w.buf, err = n.h.list(w.buf[:0]); err != nil {
		n.fail(err)
	}
	raw := w.buf
	w.room(n, 0, 0)
	for len(raw) > 0 {
		end := bytes.IndexByte(raw[1:], 0) + 1
		name, typ := raw[1:end:end+1], fileType(raw[0])
		raw = raw[end+1:]
		folded := Fold(string(name))
		i, _ := slices.BinarySearch(n.part, folded)
		for i < len(n.part) && strings.HasPrefix(n.part[i], folded) && !below(n.part[i], folded) {
			i++ // a name that begins like this one
		}
		if i < len(n.part) && below(n.part[i], folded) && !edit.IsGitDir(string(name)) && !edit.IsReserved(string(name)) {
			w.look(n, name, typ, false)
		}
	}
	w.settle(n, false)
}

// below reports whether the first component of a path is name.
func below(path, name string) bool {
	return strings.HasPrefix(path, name) && (len(path) == len(name) || path[len(name)] == '/')
}

// list reads a directory and looks at what is in it.
func (w *worker) list(n *node) {
	if n.parent != nil {
		// It may be another directory than the one that its parent showed. Its
		// times are taken before it is read: what comes later must show.
		flags := n.self.Flags
		dev, err := n.h.self(&n.self)
		if err != nil {
			n.fail(err)
			return
		}
		n.self.Flags = flags
		if dev != w.dev {
			n.self.Flags |= statcache.Foreign
		}
	}
	var err error
	if w.buf, err = n.h.list(w.buf[:0]); err != nil {
		n.fail(err)
	}
	count, raw := bytes.Count(w.buf, []byte{0}), w.buf
	if count == 0 && err == nil {
		n.flags |= statcache.Empty
	}
	if w.opt.step != nil {
		w.opt.step(n.path())
	}
	w.room(n, count, len(raw))
	// Each name has its type before it and a NUL behind it.
	for len(raw) > 0 {
		end := bytes.IndexByte(raw[1:], 0) + 1
		name, typ := raw[1:end:end+1], fileType(raw[0])
		raw = raw[end+1:]
		bad := false
		if mayBeGit(name) {
			if string(name) == ".git" {
				n.flags |= statcache.Nested
				continue
			}
			bad = edit.IsGitDir(string(name))
		}
		if name[0] == '.' && edit.IsReserved(string(name)) {
			continue // a transaction's
		}
		w.look(n, name, typ, bad)
	}
	w.settle(n, false)
}

// mayBeGit is a quick test that no disguise of .git fails.
func mayBeGit(name []byte) bool {
	switch name[0] {
	case '.', 'g', 'G', 0xE2, 0xEF: // the last two start what HFS+ ignores
		return true
	}
	return false
}

// room makes place for a group of entries and their names.
func (w *worker) room(n *node, entries, names int) {
	if entries = max(entries, 1); cap(w.entries)-len(w.entries) < entries {
		w.entries = w.mem.moreEntries(entries, 1024)
	}
	if names = max(names, entries*16); cap(w.names)-len(w.names) < names {
		w.names = w.mem.moreNames(names, 16<<10)
	}
	n.entries = w.entries[len(w.entries):]
	n.names = w.names[len(w.names):]
}

// look asks lstat about a name and appends its entry, if there is one. The name
// has a NUL behind its end.
func (w *worker) look(n *node, name []byte, typ fs.FileMode, bad bool) bool {
	w.late = w.late || len(n.entries)%often == often-1 && w.ctx.Err() != nil
	n.entries = append(n.entries, statcache.Entry{})
	e := &n.entries[len(n.entries)-1]
	if w.late {
		e.Mode, e.Why = typ, statcache.Deadline
		n.flags |= statcache.Incomplete
	} else {
		dev, err := n.h.lstat(name, e, w.opt.Local)
		switch {
		case err == nil:
			if dev != w.dev {
				e.Flags |= statcache.Foreign
			}
		case errors.Is(err, fs.ErrNotExist):
			n.entries = n.entries[:len(n.entries)-1]
			return false
		default:
			*e = statcache.Entry{Mode: typ, Why: statcache.Unreadable}
			n.flags |= statcache.Incomplete
		}
	}
	if bad {
		e.Why = statcache.BadName
	}
	e.Link = -1
	e.Name, e.NameLen = uint32(len(n.names)), uint16(len(name))
	n.names = append(append(n.names, name...), 0)
	return true
}

// settle sorts a group and finds the cache's entries of it; they are in w.olds
// already if the group was made from the cache.
func (w *worker) settle(n *node, remembered bool) {
	// What grew out of the worker's memory has its own.
	if len(n.names) <= cap(w.names)-len(w.names) {
		w.names = w.names[:len(w.names)+len(n.names)]
	}
	if len(n.entries) <= cap(w.entries)-len(w.entries) {
		w.entries = w.entries[:len(w.entries)+len(n.entries)]
	}
	n.names = n.names[:len(n.names):len(n.names)]
	n.entries = n.entries[:len(n.entries):len(n.entries)]
	less := func(a, b statcache.Entry) int {
		return statcache.Compare(n.nameOf(&a), a.Mode.IsDir(), n.nameOf(&b), b.Mode.IsDir())
	}
	if remembered && slices.IsSortedFunc(n.entries, less) {
		n.same = len(n.entries) == int(w.opt.Cache.Dir(int(n.old)).Count)
		return
	}
	slices.SortFunc(n.entries, less)
	w.match(n)
}

func (n *node) nameOf(e *statcache.Entry) []byte {
	return n.names[e.Name : e.Name+uint32(e.NameLen) : e.Name+uint32(e.NameLen)+1]
}

// match finds the cache's entries of a sorted group.
func (w *worker) match(n *node) {
	w.olds = w.olds[:0]
	var next, end int32
	if n.old >= 0 {
		d := w.opt.Cache.Dir(int(n.old))
		next, end = d.First, d.First+d.Count
	}
	n.same = n.old >= 0 && int(end-next) == len(n.entries)
	for i := range n.entries {
		e := &n.entries[i]
		found := int32(-1)
		for ; next < end; next++ {
			old := w.opt.Cache.Entry(int(next))
			c := statcache.Compare(w.opt.Cache.Name(&old), old.Mode.IsDir(), n.nameOf(e), e.Mode.IsDir())
			if c == 0 {
				found = next
				next++
			}
			if c >= 0 {
				break
			}
		}
		w.olds = append(w.olds, found)
	}
}
