package scan

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// A node is a directory to be looked into.
type node struct {
	parent *node
	name   []byte // with a NUL behind its end
	depth  int
	self   statcache.Entry
	old    int32 // the cache's directory, -1 if it has none
	// sure: the cache's judgements of ignored and not hold here, since no rule
	// that reaches it has changed.
	sure  bool
	rules Rules // nil: nothing is hidden
	roots *root
	part  []string        // what the index names below; of an ignored directory only
	free  bool            // in a submodule that is ignored: no outer rule holds
	shut  bool            // ignored, but something below may be included
	hides map[string]bool // names that the options hide

	h       handle
	pending int  // children that are not open yet
	pins    int  // calls that use h now
	working bool // its own entries are being looked at

	// The result: the entries in order, and the directories among them that are
	// looked into. Link of such a directory is an index in subs.
	entries []statcache.Entry
	names   []byte // Name of an entry is an offset in it
	subs    []*node
	flags   statcache.DirFlags
	why     statcache.Why
	gone    bool  // it vanished
	same    bool  // its entries are as the cache has them
	at, k   int32 // its entry and directory in the result
}

// A root is an index that names paths below a directory.
type root struct {
	outer *root
	depth int // of its directory
	paths Tracked
}

// walk is the state of one scan.
type walk struct {
	ctx context.Context
	opt *Options
	dev uint64
	mem *room

	mu    sync.Mutex // for all below, and pending, pins, working and h of nodes
	wake  sync.Cond
	stack []*node // last in, first out: so few directories are open at a time
	busy  int     // nodes being looked into
	held  int     // open handles
}

// maxHeld is about how many directories stay open for their children; those
// below the rest are reached from further up.
const maxHeld = 128

var errNotDir = errors.New("not a directory")

// Scan looks at everything in the directory top. An error is about the top
// only: all else that cannot be looked at is in the result. A context that ends
// makes the result incomplete, not an error.
func Scan(ctx context.Context, top string, opt *Options) (*Result, error) {
	h, err := openTop(top)
	if err != nil {
		return nil, err
	}
	defer h.close()
	n := &node{h: h, old: -1, pins: 1} // pinned: it is never closed before the end
	w := &walk{ctx: ctx, opt: opt, held: 1, stack: []*node{n}, mem: newRoom(opt.Cache)}
	defer w.mem.close()
	if w.dev, err = h.self(&n.self); err != nil {
		return nil, err
	}
	if !n.self.Mode.IsDir() {
		return nil, &fs.PathError{Op: "scan", Path: top, Err: errNotDir}
	}
	w.wake.L = &w.mu
	if opt.Cache != nil {
		n.old = 0
		n.sure = opt.Cache.Rules == opt.RulesKey
	}
	if opt.Tracked != nil {
		n.roots = &root{paths: opt.Tracked}
	}
	workers := opt.Workers
	if workers <= 0 {
		workers = 2
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { (&worker{walk: w}).run() })
	}
	wg.Wait()
	r := &Result{Dev: w.dev, Stopped: ctx.Err() != nil}
	gather(n, &r.Tree, opt.Cache)
	return r, nil
}

// next waits for a directory; nil: there will be no more.
func (w *walk) next() *node {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.stack) == 0 {
		if w.busy == 0 {
			return nil
		}
		w.wake.Wait()
	}
	last := len(w.stack) - 1
	n := w.stack[last]
	w.stack = w.stack[:last]
	w.busy++
	return n
}

// done hands on the subdirectories of n.
func (w *walk) done(n *node) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	n.working = false
	n.pending = len(n.subs)
	w.closeUnused(n)
	for i := len(n.subs) - 1; i >= 0; i-- {
		w.stack = append(w.stack, n.subs[i])
	}
	if w.busy == 0 || len(n.subs) > 0 {
		w.wake.Broadcast()
	}
}

// closeUnused closes n if nobody will need it, or if too many are open and
// nobody uses it now.
func (w *walk) closeUnused(n *node) {
	if n.h.isOpen() && n.pins == 0 && !n.working && (n.pending == 0 || w.held > maxHeld) {
		n.h.close()
		n.h = handle{}
		w.held--
	}
}

// enter opens n from its parent or, if that was closed, from the next directory
// above that is open.
func (w *walk) enter(n *node, list bool) error {
	if n.parent == nil {
		return nil
	}
	w.mu.Lock()
	from, skipped := n.parent, []*node(nil)
	for !from.h.isOpen() {
		skipped = append(skipped, from)
		from = from.parent
	}
	from.pins++
	w.mu.Unlock()

	h, err := from.h, error(nil)
	for i := len(skipped) - 1; i >= 0 && err == nil; i-- {
		h, err = h.enter(skipped[i].name, false, h != from.h)
	}
	if err == nil {
		h, err = h.enter(n.name, list, h != from.h)
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	from.pins--
	n.parent.pending--
	w.closeUnused(n.parent)
	if from != n.parent {
		w.closeUnused(from)
	}
	if err == nil {
		n.h = h
		n.working = true
		w.held++
	}
	return err
}

// path of a directory, slash-separated, empty for the top.
func (n *node) path() string { return strings.TrimSuffix(string(n.appendBelow(nil, 0)), "/") }

// appendBelow appends the path of n as seen from its ancestor at a depth, each
// name with a slash behind it.
func (n *node) appendBelow(b []byte, depth int) []byte {
	up := make([]*node, 0, 16)
	for ; n.depth > depth; n = n.parent {
		up = append(up, n)
	}
	for _, n := range slices.Backward(up) {
		b = append(append(b, n.name...), '/')
	}
	return b
}
