package scan

import (
	"cmp"
	"slices"

	"github.com/chordgit/chordgit/snapshot/internal/statcache"
)

// Rules are the ignore rules that reach one directory, as those of package
// ignore do. They never change: several goroutines use them.
type Rules interface {
	// Ignored reports whether the entry called name is ignored, provided that
	// the directory is not. A link to a directory is not one. The name is valid
	// during the call only.
	Ignored(name string, isDir bool) bool
	// Enter returns the rules of the directory called name. Own is what its
	// .gitignore holds, nil if it has none.
	Enter(name string, own []byte) Rules
}

// Tracked are paths that are candidates whatever ignores them, such as those of
// an index.
type Tracked interface {
	// Has reports whether it names a path.
	Has(path string) bool
	// Below appends the paths that it names below a directory, relative to it, and
	// "" if it names the directory itself, a submodule.
	Below(to []string, dir string) []string
}

// Sorted are tracked paths, sorted bytewise, that of a submodule with "/" behind
// it.
type Sorted []string

// Has implements [Tracked].
func (s Sorted) Has(path string) bool {
	_, found := slices.BinarySearch(s, path)
	return found
}

// Below implements [Tracked].
func (s Sorted) Below(to []string, dir string) []string { return within(s, dir+"/", to) }

// Fold is a path in small letters, as git folds it under core.ignoreCase: those of
// ASCII alone.
func Fold(path string) string {
	for i := 0; i < len(path); i++ {
		if c := path[i]; 'A' <= c && c <= 'Z' {
			b := []byte(path)
			for ; i < len(b); i++ {
				if c := b[i]; 'A' <= c && c <= 'Z' {
					b[i] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return path
}

// Folded are tracked paths without regard to case: those of [Fold], sorted as
// Sorted are.
type Folded []string

// Has implements [Tracked].
func (s Folded) Has(path string) bool { return Sorted(s).Has(Fold(path)) }

// Below implements [Tracked].
func (s Folded) Below(to []string, dir string) []string { return within(s, Fold(dir)+"/", to) }

// Options say what a scan visits. The zero value visits everything, hides
// nothing and trusts nothing.
type Options struct {
	// Rules returns the rules of the top. Own is what its .gitignore holds, nil if
	// it has none. Nil: nothing is ignored.
	Rules func(own []byte) Rules
	// RulesKey stands for all that decides like a rule and is no .gitignore of the
	// worktree. While it is as the cache's, entries whose .gitignore files did
	// not change either are not judged again.
	RulesKey [32]byte
	// Sparse holds the .gitignore files that are skip-worktree in the index, by
	// path. It counts where none is on the disk, and is part of RulesKey.
	Sparse map[string][]byte
	// Tracked tells what is a candidate whatever ignores it. It is asked about what
	// a rule hides, and must be safe for several goroutines. Nil: nothing is.
	Tracked Tracked
	// FoldCase: what Tracked names is the same in capitals and small letters. Then
	// its Has and Below take names in either.
	FoldCase bool
	// Nested is asked about each directory below the top that has an entry .git:
	// for the rules that hold in it (its own, not the outer repository's) and for
	// what its index names, relative to it; nil: nothing. If ok is false, or without
	// Nested, it is like any other directory. It is called from several goroutines.
	Nested func(path string, own []byte) (rules Rules, tracked Tracked, ok bool)

	// Include reports whether a path is stored although a rule hides it, or
	// whether something below that directory may be. Nil: nothing is.
	Include func(path string) (all, within bool)
	// Exclude reports whether a path, and what is below it, is not stored whoever
	// tracks it. Nil: nothing is excluded.
	Exclude func(path string) bool
	// Hidden returns the names in a directory (its path, "" for the top) that are
	// hidden as by an ignore rule; those of directories have "/" behind them. Nil:
	// the rules alone decide.
	Hidden func(dir string) map[string]bool

	// MaxFile is the size over which a file is not stored; 0: no limit.
	MaxFile int64
	// MaxIgnored is the same for single ignored files; negative: none is stored.
	MaxIgnored int64

	// Cache is what an earlier scan of this top saw, nil if nothing is known. It
	// must stay open until Scan returns, and for the ids.
	Cache *statcache.Cache
	// Rule says what of the cache may be believed.
	Rule statcache.Rule
	// Local: the top is on a file system that answers without a network.
	Local bool
	// Workers is the number of goroutines that look; 0: 2. More than there are
	// processors gain nothing.
	Workers int

	// step is called with a directory's path after it was listed and before its
	// entries are looked at. Tests race the scan there.
	step func(path string)
}

// The defaults of MaxFile and MaxIgnored, in bytes.
const (
	DefaultMaxFile    = 100 << 20
	DefaultMaxIgnored = 1 << 20
)

// A Result is what a scan found. An entry of it is one of these:
//
//   - a regular file or link with Why Stored: a candidate. If Trusted its id is
//     Cache.ID(Link); otherwise it must be read;
//   - a directory with a Link: it was looked into, see Dirs;
//   - a directory without one, or anything with another Why: listed only.
type Result struct {
	statcache.Tree
	// Dev is the device of the top; its inode is that of Entries[0].
	Dev uint64
	// Stopped: the context ended before everything was seen. What was not is
	// marked Incomplete (directories) or has Why Deadline.
	Stopped bool
}

// Trusted reports whether the cache's id of entry i is its content now.
func (r *Result) Trusted(i int) bool { return r.Entries[i].Flags&statcache.Trusted != 0 }

// Candidate reports whether entry i is a file or link to be stored.
func (r *Result) Candidate(i int) bool {
	e := &r.Entries[i]
	return e.Why == statcache.Stored && !e.Mode.IsDir()
}

// Budget skips the largest of the files that must be read, until those that are
// left have no more than limit bytes together. Known reports
// files whose ids are known from elsewhere; nil: none are. It returns how many
// were skipped.
func (r *Result) Budget(limit int64, known func(i int) bool) int {
	var read []int32
	total := int64(0)
	for i := range r.Entries {
		if r.Candidate(i) && !r.Trusted(i) && (known == nil || !known(i)) {
			read = append(read, int32(i))
			total += r.Entries[i].Size
		}
	}
	if total <= limit {
		return 0
	}
	slices.SortStableFunc(read, func(a, b int32) int { return cmp.Compare(r.Entries[b].Size, r.Entries[a].Size) })
	n := 0
	for ; total > limit; n++ {
		e := &r.Entries[read[n]]
		e.Why = statcache.OverBudget
		total -= e.Size
		r.soil(int(read[n]))
	}
	return n
}

// soil marks the directories above an entry as unlike the cache.
func (r *Result) soil(i int) {
	for k := r.DirOf(i); k >= 0 && r.Dirs[k].Flags&statcache.Clean != 0; k = int(r.Dirs[k].Parent) {
		r.Dirs[k].Flags &^= statcache.Clean
	}
}

// Distrust makes an entry one that must be read, or a directory's tree one that
// must be made.
func (r *Result) Distrust(i int) {
	e := &r.Entries[i]
	if e.Mode.IsDir() {
		if e.Link >= 0 {
			r.Dirs[e.Link].Flags &^= statcache.Clean
		}
	} else {
		e.Flags &^= statcache.Trusted
	}
	r.soil(i)
}

// Skip says that a candidate is not stored after all.
func (r *Result) Skip(i int, why statcache.Why) {
	r.Entries[i].Why = why
	r.Distrust(i)
}
