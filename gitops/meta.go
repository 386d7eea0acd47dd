package gitops

import (
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/snapshot"
)

// A metaList is a list of paths at the start of a turn and how it differs at
// its end. Paths are encoded.
type metaList struct {
	Before []string `json:"before,omitempty"`
	After  struct {
		Add []string `json:"add,omitempty"`
		Del []string `json:"del,omitempty"`
	} `json:"after,omitzero"`
}

func newMetaList(before []string) metaList {
	return metaList{Before: mapStrings(before, pathcode.Encode)}
}

// end notes how the list is at the end.
func (l *metaList) end(after []string) {
	l.After.Add, l.After.Del = listDiff(l.Before, mapStrings(after, pathcode.Encode))
}

// listDiff compares two sorted lists.
func listDiff(before, after []string) (add, del []string) {
	was, is := map[string]bool{}, map[string]bool{}
	for _, p := range before {
		was[p] = true
	}
	for _, p := range after {
		is[p] = true
		if !was[p] {
			add = append(add, p)
		}
	}
	for _, p := range before {
		if !is[p] {
			del = append(del, p)
		}
	}
	return add, del
}

// start and finish are the decoded lists of the two ends.
func (l *metaList) start() []string { return mapStrings(l.Before, pathcode.Decode) }

func (l *metaList) finish() []string {
	gone := map[string]bool{}
	for _, p := range l.After.Del {
		gone[p] = true
	}
	var out []string
	for _, p := range l.Before {
		if !gone[p] {
			out = append(out, p)
		}
	}
	out = mapStrings(append(out, l.After.Add...), pathcode.Decode)
	slices.Sort(out)
	return out
}

// metaSkips are the paths that were found and not stored.
type metaSkips struct {
	Before []metaSkip `json:"before,omitempty"`
	After  struct {
		Add []metaSkip `json:"add,omitempty"`
		Del []string   `json:"del,omitempty"`
	} `json:"after,omitzero"`
}

type metaSkip struct {
	Path  string `json:"path"`
	Why   string `json:"why"`
	Size  int64  `json:"size,omitempty"`
	Mtime int64  `json:"mtime,omitempty"` // nanoseconds
}

// Why a path is skipped beyond what a capture says.
const (
	whyLate   = "late"   // made while the start was captured
	whySparse = "sparse" // outside the sparse checkout
)

func newMetaSkips(list []snapshot.Skipped) (out []metaSkip) {
	for _, s := range list {
		out = append(out, metaSkip{pathcode.Encode(s.Path), s.Why, s.Size, s.Mtime})
	}
	return out
}

// end notes what is skipped at the end.
func (s *metaSkips) end(list []snapshot.Skipped) {
	was := map[metaSkip]bool{}
	for _, x := range s.Before {
		was[x] = true
	}
	is := map[string]bool{}
	for _, x := range newMetaSkips(list) {
		is[x.Path] = true
		if !was[x] {
			s.After.Add = append(s.After.Add, x)
		}
	}
	for _, x := range s.Before {
		if !is[x.Path] {
			s.After.Del = append(s.After.Del, x.Path)
		}
	}
}

// start and finish are the two ends, by decoded path.
func (s *metaSkips) start() map[string]metaSkip {
	out := map[string]metaSkip{}
	for _, x := range s.Before {
		out[pathcode.Decode(x.Path)] = x
	}
	return out
}

func (s *metaSkips) finish() map[string]metaSkip {
	out := s.start()
	for _, p := range s.After.Del {
		delete(out, pathcode.Decode(p))
	}
	for _, x := range s.After.Add {
		out[pathcode.Decode(x.Path)] = x
	}
	return out
}

type metaNested struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"` // repository or submodule
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Made   bool   `json:"made,omitempty"` // in this turn
}

// metaScan tells when a capture looked, by the file system's clock, in
// nanoseconds.
type metaScan struct {
	Began int64 `json:"began"`
	Ended int64 `json:"ended"`
}

// facts fills in what the start's tree cannot hold.
func (m *meta) facts(f *snapshot.Facts) {
	m.Modes.Base = map[string]string{}
	for class, name := range classNames {
		m.Modes.Base[name] = octal(permissions(f.Usual[class]))
	}
	m.Modes.Before = modeMap(f.Modes)
	m.EmptyDirs, m.Ignored, m.Incomplete = newMetaList(f.EmptyDirs), newMetaList(f.Ignored), newMetaList(f.Incomplete)
	m.Skipped.Before = newMetaSkips(f.Skipped)
	m.Unstable.Before = mapStrings(f.Unstable, pathcode.Encode)
}

// factsAfter fills in how it differs at the end.
func (m *meta) factsAfter(f *snapshot.Facts) {
	m.EmptyDirs.end(f.EmptyDirs)
	m.Ignored.end(f.Ignored)
	m.Incomplete.end(f.Incomplete)
	m.Skipped.end(f.Skipped)
	m.Unstable.After = mapStrings(f.Unstable, pathcode.Encode)
	now := modeMap(f.Modes)
	m.Modes.After = map[string]string{}
	for p, mode := range now {
		if m.Modes.Before[p] != mode {
			m.Modes.After[p] = mode
		}
	}
}

// usual is what Facts is told at the end: the permissions that are not listed,
// and the paths that are listed whatever theirs are.
func (m *meta) usual() (map[snapshot.Class]fs.FileMode, []string) {
	usual := map[snapshot.Class]fs.FileMode{}
	for class, name := range classNames {
		usual[class], _ = parseMode(m.Modes.Base[name])
	}
	return usual, mapStrings(slices.Sorted(maps.Keys(m.Modes.Before)), pathcode.Decode)
}

var classNames = map[snapshot.Class]string{snapshot.Plain: "file", snapshot.Executable: "exec", snapshot.Directory: "dir"}

func modeMap(list []snapshot.PathMode) map[string]string {
	out := map[string]string{}
	for _, x := range list {
		out[pathcode.Encode(x.Path)] = octal(permissions(x.Mode))
	}
	return out
}

// Uncovered are the paths that the turn's captures found and did not store, each
// with the reason: "ignored" for what an ignore rule hides. What a sparse checkout
// hides is counted in one note with code Sparse.
func (t *Turn) Uncovered() (list []edit.Note) {
	seen := map[string]bool{}
	add := func(path, why string) {
		if !seen[path] {
			seen[path] = true
			list = append(list, edit.Note{Code: "not-covered", Path: path, Msg: why})
		}
	}
	for _, skips := range []map[string]metaSkip{t.meta.Skipped.start(), t.meta.Skipped.finish()} {
		for p, s := range skips {
			if s.Why != whySparse {
				add(p, s.Why)
			}
		}
	}
	for _, l := range [][]string{t.meta.Incomplete.start(), t.meta.Incomplete.finish()} {
		for _, p := range l {
			add(p, "incomplete")
		}
	}
	slices.SortFunc(list, func(a, b edit.Note) int { return strings.Compare(a.Path, b.Path) })
	return append(list, t.sparseNote()...)
}
