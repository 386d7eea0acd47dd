package gitstate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// takeIndex inverts what a turn did to the index, path by path: an entry that is
// no longer as the turn left it stays. What came with a move of HEAD goes only
// with HEAD (back). A sparse checkout stays as it is, so does its flag.
func (p *Plan) takeIndex(t *Turn, back bool) error {
	switch t.Record.Index {
	case indexUnknown:
		p.note("nobody knows what the index was when turn %d began, because a program wrote it in place; it stays", t.N)
		return nil
	case "":
		return nil
	}
	changes, err := p.st.indexChanges(t)
	if err != nil {
		return t.damaged(err)
	}
	came, err := p.st.cameWithHead(t)
	if err != nil {
		return t.damaged(err)
	}
	if err := p.readIndex(changes); err != nil {
		return err
	}
	var differ []string
	stays := 0
	for _, c := range changes {
		now := p.entries(c.path)
		switch {
		case p.stayIndex[c.path]: // said of a newer turn
		case now.equal(c.before):
		case !now.equal(c.after):
			p.stayIndex[c.path] = true
			differ = append(differ, c.path)
		case !back && came(c.path):
			stays++
		default:
			p.index[c.path] = c.before
		}
		if now, will := p.indexNow[c.path], p.index[c.path]; now.equal(will) {
			delete(p.index, c.path)
		}
	}
	if len(differ) > 0 {
		p.conflict("index", "the index changed since turn %d and stays as it is at %s", t.N, someNames(differ))
	}
	if stays > 0 {
		p.note("%d paths of the index came with %s and stay", stays, Words(t.Kinds(), false))
	}
	return nil
}

// someNames are the first names of a list, and how many more there are.
func someNames(names []string) string {
	const most = 3
	var list []string
	for _, n := range names[:min(most, len(names))] {
		list = append(list, edit.Quote(n))
	}
	text := strings.Join(list, ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// entries are those of a path after what was taken back so far.
func (p *Plan) entries(path string) indexPath {
	if entries, ok := p.index[path]; ok {
		return entries
	}
	return p.indexNow[path]
}

// readIndex reads the entries that the index has now of the paths of changes.
func (p *Plan) readIndex(changes []indexChange) error {
	wanted := map[string]bool{}
	for _, c := range changes {
		if _, ok := p.indexNow[c.path]; !ok {
			wanted[c.path] = true
			p.indexNow[c.path] = nil
		}
	}
	now, _, err := p.st.indexNow(wanted)
	maps.Copy(p.indexNow, now)
	return err
}

// recordable is an entry as a turn records it.
func recordable(e repo.IndexEntry, sparse bool) repo.IndexEntry {
	out := repo.IndexEntry{Path: e.Path, Stage: e.Stage, AssumeUnchanged: e.AssumeUnchanged, IntentToAdd: e.IntentToAdd, SkipWorktree: skips(&e, sparse)}
	if leaf := indexLeaf(&e); leaf != nil {
		out.Mode, out.ID = uint32(leaf.Mode), leaf.ID
	}
	return out
}

// indexChanges are the index entries that a turn changed, by path.
func (st *State) indexChanges(t *Turn) ([]indexChange, error) {
	paths := map[string]*indexChange{}
	at := func(path string) *indexChange {
		if paths[path] == nil {
			paths[path] = &indexChange{path: path}
		}
		return paths[path]
	}
	add := func(p *indexPath, path string, e object.Entry, stage int) {
		if !e.ID.IsZero() {
			*p = append(*p, repo.IndexEntry{Path: path, Mode: uint32(e.Mode), ID: e.ID, Stage: stage})
		}
	}
	merged := [2]object.ID{}
	for stage, name := range []string{treeIndex, treeStages + "/1", treeStages + "/2", treeStages + "/3"} {
		var ends [2]object.ID
		for end, suffix := range []string{"", treeAfter} {
			dir, rest, more := strings.Cut(name, "/")
			if more {
				rest = "/" + rest
			}
			e, _, err := object.Lookup(st.DB, t.Tree, "git/"+dir+suffix+rest)
			if err != nil {
				return nil, err
			}
			ends[end] = e.ID
		}
		if stage == 0 {
			merged = ends
		}
		diff, err := object.Diff(st.DB, ends[0], ends[1])
		if err != nil {
			return nil, err
		}
		for _, d := range diff {
			c := at(d.Path)
			add(&c.before, d.Path, d.Before, stage)
			add(&c.after, d.Path, d.After, stage)
		}
		// A stage that is the same at both ends belongs to its path all the same.
		if stage > 0 {
			err := object.WalkFiles(st.DB, ends[0], func(path string, e object.Entry) {
				if c := paths[path]; c != nil && !slices.ContainsFunc(c.before, func(e repo.IndexEntry) bool { return e.Stage == stage }) {
					add(&c.before, path, e, stage)
					add(&c.after, path, e, stage)
				}
			})
			if !ends[0].IsZero() && err != nil {
				return nil, err
			}
		}
	}
	if err := st.indexFlags(t, merged, at); err != nil {
		return nil, err
	}
	var list []indexChange
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		list = append(list, *paths[path])
	}
	return list, nil
}

// indexFlags adds the flags that changed, and the entries of which they alone
// did.
func (st *State) indexFlags(t *Turn, merged [2]object.ID, at func(string) *indexChange) error {
	for _, f := range t.Record.Flags {
		path := pathcode.Decode(f.Path)
		c := at(path)
		for end, p := range []*indexPath{&c.before, &c.after} {
			flags := []string{f.Before, f.After}[end]
			if len(*p) == 0 {
				e, ok, err := object.Lookup(st.DB, merged[end], path)
				if err != nil {
					return err
				}
				switch announced := strings.Contains(flags, flagIntentToAdd); {
				case ok && !e.Mode.IsDir() && !announced:
					*p = indexPath{{Path: path, Mode: uint32(e.Mode), ID: e.ID}}
				case announced:
					*p = indexPath{{Path: path, IntentToAdd: true}}
				}
			}
			if len(*p) > 0 {
				(*p)[0].AssumeUnchanged = strings.Contains(flags, flagAssumeUnchanged)
				(*p)[0].SkipWorktree = strings.Contains(flags, flagSkipWorktree)
			}
		}
	}
	return nil
}

// cameWithHead tells the paths whose entries came with the turn's moves of HEAD.
func (st *State) cameWithHead(t *Turn) (func(path string) bool, error) {
	if len(t.Record.Moves) == 0 {
		return func(string) bool { return false }, nil
	}
	var ends [2]object.ID
	for i, name := range []string{treeHead, treeCarried} {
		e, ok, err := object.Lookup(st.DB, t.Tree, "git/"+name)
		if err != nil {
			return nil, err
		}
		if !ok { // a rewind's, which took all of it with HEAD
			return func(string) bool { return true }, nil
		}
		ends[i] = e.ID
	}
	diff, err := object.Diff(st.DB, ends[0], ends[1])
	paths := map[string]bool{}
	for _, d := range diff {
		paths[d.Path] = true
	}
	return func(path string) bool { return paths[path] }, err
}

// indexChanges lists what goes, by path.
func (p *Plan) indexChanges() (list []indexChange) {
	for _, path := range slices.Sorted(maps.Keys(p.index)) {
		list = append(list, indexChange{path, p.indexNow[path], p.index[path]})
	}
	return list
}
