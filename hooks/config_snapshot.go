package hooks

import (
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// A SnapshotConfig is what a layer says of captures of the worktree.
type SnapshotConfig struct {
	Ignored          string   // "files" or "none": what is stored of what is ignored
	Include, Exclude []string // globs of paths
	MaxFile, MaxNew  int64    // bytes
	Deadline         time.Duration
	AllowRoot        *bool // of the user's own file only
}

func (c *SnapshotConfig) schema() section {
	return section{
		"ignored":    word(&c.Ignored, "files", "none"),
		"include":    paths(&c.Include),
		"exclude":    paths(&c.Exclude),
		"max_file":   size(&c.MaxFile),
		"max_new":    size(&c.MaxNew),
		"deadline":   duration(&c.Deadline),
		"allow_root": boolean(&c.AllowRoot),
	}
}

// paths accepts a list of globs, in the form that rules have.
func paths(dst *[]string) value {
	return func(d *decoder, path string, n ast.Node) {
		eachItem(d, path, n, func(item ast.Node) {
			if r, ok := d.rule(path, item); ok {
				*dst = append(*dst, r.Glob)
			}
		})
	}
}

// duration accepts what Go calls one: 20s, 24h.
func duration(dst *time.Duration) value {
	return func(d *decoder, path string, n ast.Node) {
		s, ok := text(n)
		v, err := time.ParseDuration(s)
		if !ok || err != nil || v <= 0 {
			d.want(n, path, "a duration such as 20s or 24h", found(n))
			return
		}
		*dst = v
	}
}

// mergeSnapshot combines the layers, the nearest first: of each value the
// nearest layer that has one counts, lists add up.
func mergeSnapshot(layers []*Config) (s SnapshotConfig) {
	for _, c := range slices.Backward(layers) {
		if c == nil {
			continue
		}
		l := c.Snapshot
		s.Include, s.Exclude = append(s.Include, l.Include...), append(s.Exclude, l.Exclude...)
		if l.Ignored != "" {
			s.Ignored = l.Ignored
		}
		if l.MaxFile != 0 {
			s.MaxFile = l.MaxFile
		}
		if l.MaxNew != 0 {
			s.MaxNew = l.MaxNew
		}
		if l.Deadline != 0 {
			s.Deadline = l.Deadline
		}
		if l.AllowRoot != nil {
			s.AllowRoot = l.AllowRoot
		}
	}
	return s
}
