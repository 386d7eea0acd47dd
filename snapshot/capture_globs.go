package snapshot

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A glob of CaptureOptions, and the path before its first special character:
// what it matches lies there.
type glob struct{ pattern, root string }

func globs(patterns []string) (list []glob) {
	for _, p := range patterns {
		p = strings.Trim(p, "/")
		root, _ := doublestar.SplitPattern(p)
		if !strings.ContainsAny(p, `*?[{\`) {
			root = p
		}
		list = append(list, glob{p, root})
	}
	return list
}

// matches reports whether the glob names the path or a directory above it.
func (g glob) matches(p string) bool {
	for {
		if ok, err := doublestar.Match(g.pattern, p); err == nil && ok {
			return true
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return false
		}
		p = p[:i]
	}
}

// reaches reports whether the glob may match something below a directory.
func (g glob) reaches(dir string) bool {
	return g.root == "." || g.root == "" || dir == g.root ||
		strings.HasPrefix(g.root, dir+"/") || strings.HasPrefix(dir, g.root+"/")
}

func including(patterns []string) func(string) (all, within bool) {
	if len(patterns) == 0 {
		return nil
	}
	list := globs(patterns)
	return func(p string) (all, within bool) {
		for _, g := range list {
			all = all || g.matches(p)
			within = within || g.reaches(p)
		}
		return all, within
	}
}

func excluding(patterns []string) func(string) bool {
	if len(patterns) == 0 {
		return nil
	}
	list := globs(patterns)
	return func(p string) bool {
		return slices.ContainsFunc(list, func(g glob) bool { return g.matches(p) })
	}
}

// hiding groups paths by the directory that they are in.
func hiding(paths []string) func(dir string) map[string]bool {
	if len(paths) == 0 {
		return nil
	}
	in := map[string]map[string]bool{}
	for _, p := range paths {
		bare := strings.TrimSuffix(p, "/")
		i := strings.LastIndexByte(bare, '/')
		dir := bare[:max(i, 0)]
		if in[dir] == nil {
			in[dir] = map[string]bool{}
		}
		in[dir][p[i+1:]] = true
	}
	return func(dir string) map[string]bool { return in[dir] }
}

// cutPath splits a path after its first component.
func cutPath(p string) (name, rest string, more bool) { return strings.Cut(p, "/") }

func sortedKeys(m map[string][]byte) []string { return slices.Sorted(maps.Keys(m)) }

func readerOf(s string) io.Reader { return strings.NewReader(s) }
