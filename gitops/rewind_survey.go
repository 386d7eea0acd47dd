package gitops

import (
	"sync"

	"github.com/chordgit/chordgit/edit"
)

// A glance is what a survey found out about a regular file.
type glance struct {
	id    string
	inUse bool // a program can still write to it
}

// survey looks at the files of many paths, several at a time, ahead of the
// decisions, which come one by one. What it cannot look at is left to them. What
// came with a move of HEAD that stays may be very much, and is not read.
func (p *rewinder) survey(changes []edit.Change) {
	if len(changes) < fewParts {
		return
	}
	var mu sync.Mutex
	_ = inParts(len(changes), func(from, to int) error {
		s := p.r.tree.Survey()
		defer s.Close()
		for _, c := range changes[from:to] {
			f, err := s.Lookup(c.Path)
			if err != nil {
				continue
			}
			var g glance
			known := f.Regular() && (p.back || p.d.turn.Owner(c.Path) != OwnerGit) && (c.Before.Regular() && c.Before.Stat.Size == f.Stat.Size || c.After.Regular() && c.After.Stat.Size == f.Stat.Size)
			if known {
				if g.id, g.inUse, err = s.ID(c.Path, f); err != nil {
					continue
				}
			}
			mu.Lock()
			if _, ok := p.disk[c.Path]; !ok {
				p.disk[c.Path] = f
				if known {
					p.glances[f] = g
				}
			}
			mu.Unlock()
		}
		return nil
	})
}

// same reports whether what is there has kind and bytes of what is stored.
func (p *rewinder) same(path string, now, stored *edit.File) (bool, error) {
	if g, ok := p.glances[now]; ok && stored.Regular() {
		if g.id == stored.ID {
			now.ID = g.id
		}
		return g.id == stored.ID, nil
	}
	return p.r.same(path, now, stored)
}
