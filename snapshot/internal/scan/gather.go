package scan

import (
	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// gather puts the groups of all directories into one flat tree.
func gather(top *node, t *statcache.Tree, c *statcache.Cache) {
	entries, names, dirs := 1, 1, 0
	each(top, func(n *node) {
		entries += len(n.entries)
		names += len(n.names)
		dirs++
	})
	lasting(t, entries, dirs, names)
	t.Entries = append(t.Entries, top.self)
	t.Names = append(t.Names, 0)
	each(top, func(n *node) { n.put(t, c) })
	// Children stand behind their parents.
	for k := len(t.Dirs) - 1; k > 0; k-- {
		if t.Dirs[k].Flags&statcache.Clean == 0 {
			t.Dirs[t.Dirs[k].Parent].Flags &^= statcache.Clean
		}
	}
}

// each calls f for every directory in preorder.
func each(top *node, f func(*node)) {
	for stack := []*node{top}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		f(n)
		for i := len(n.subs) - 1; i >= 0; i-- {
			if !n.subs[i].gone {
				stack = append(stack, n.subs[i])
			}
		}
	}
}

// put appends n and its group. Its own entry was appended with its parent's.
func (n *node) put(t *statcache.Tree, c *statcache.Cache) {
	k := int32(len(t.Dirs))
	self := &t.Entries[n.at]
	name, nameLen := self.Name, self.NameLen
	*self = n.self
	self.Name, self.NameLen, self.Link, self.Why = name, nameLen, k, n.why
	d := statcache.Dir{Entry: n.at, First: int32(len(t.Entries)), Parent: -1, Flags: n.flags, Old: -1}
	if n.old >= 0 {
		d.Old = c.Dir(int(n.old)).Entry
	}
	if n.parent != nil {
		d.Parent = n.parent.k
	}
	n.k = k
	base := uint32(len(t.Names))
	t.Names = append(t.Names, n.names...)
	same := n.same
	for i := range n.entries {
		e := n.entries[i]
		if e.Mode.IsDir() && e.Link >= 0 {
			sub := n.subs[e.Link]
			if sub.gone {
				same = false
				continue
			}
			sub.at = int32(len(t.Entries))
		}
		e.Name += base
		t.Entries = append(t.Entries, e)
	}
	d.Count = int32(len(t.Entries)) - d.First
	if same {
		d.Flags |= statcache.Clean
	}
	t.Dirs = append(t.Dirs, d)
	n.entries, n.names = nil, nil // their memory may go
}
