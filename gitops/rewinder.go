package gitops

import (
	"io/fs"
	"path"
	"sync"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A step is what happens to one path of a turn that is taken back.
type step struct {
	before, after *edit.File // of the turn
	now           *edit.File // on disk, or what the turns taken back so far make of it
	target        *edit.File // what shall be there
	dir           bool       // a directory that the turn made, or a newer one, stands there
	nothing       bool       // it is as it shall be already
	why           string     // the conflict; empty: none
	left          string     // why it is not this turn's to take back; empty: it is
	note          string
	who           string // the program that has it open
	wall, kind    string // the path above it that is no directory, and what it is
	lines         []int  // of a conflict
	how           string // merged, renamed; empty: as the kinds say
	unstored      *metaSkip
}

// stays reports whether the path is left as it is.
func (s *step) stays() bool { return s.why != "" || s.left != "" }

// A rewinder plans the taking back of turns, the newest first: each is inverted
// on what the ones before it leave.
type rewinder struct {
	r   *Repo
	opt *RewindOptions

	batch   *object.Batch         // takes merged texts; nil: the plan holds them
	disk    map[string]*edit.File // what was there when it was looked at
	glances map[*edit.File]glance // of files in disk
	state   map[string]*edit.File // what will be there
	held    map[string]int        // directories: how many files of the state will be below them
	hows    map[string]string
	homes   map[string]string // a moved file: where it goes → where it is
	blocked map[string]bool   // in conflict in a newer turn: left alone in the older ones

	rmdir   map[string]bool // directories that a turn made
	mkdir   map[string]bool // empty directories that a turn removed
	modes   map[string]edit.DirMode
	dirMode map[string]*delta // of a directory that may have to be made: who knows its permissions

	failures  []*edit.Error
	conflicts map[string]Conflict
	notes     []edit.Note
	left      []Left
	git       *gitstate.Plan  // nil: HEAD and what came with its moves stay
	came      map[string]bool // files that go with HEAD
	back      bool            // HEAD goes back in the turn at hand
	found     map[string]bool // paths of the options that some turn has

	// of the turn at hand
	d     *delta
	steps map[string]*step
	order []string
	named func() (map[string]bool, error) // by edit calls and applies: what is in use there is a conflict
}

func (r *Repo) rewinder(opt *RewindOptions) *rewinder {
	return &rewinder{
		r: r, opt: opt, disk: map[string]*edit.File{}, glances: map[*edit.File]glance{}, state: map[string]*edit.File{}, held: map[string]int{}, hows: map[string]string{}, homes: map[string]string{},
		blocked: map[string]bool{}, rmdir: map[string]bool{}, mkdir: map[string]bool{}, modes: map[string]edit.DirMode{},
		dirMode: map[string]*delta{}, came: map[string]bool{}, found: map[string]bool{}, conflicts: map[string]Conflict{},
	}
}

// take inverts one turn.
func (p *rewinder) take(d *delta) error {
	p.d, p.steps, p.order = d, map[string]*step{}, nil
	// Seldom asked, and every turn since must be read for it.
	p.named = sync.OnceValues(func() (map[string]bool, error) { return p.r.namedPaths(d.turn) })
	changes := d.changes
	if p.opt.Paths != nil {
		changes = p.limited(changes)
	}
	if err := p.look(changes); err != nil {
		return err
	}
	if err := p.renames(changes); err != nil {
		return err
	}
	if err := p.groups(changes); err != nil {
		return err
	}
	p.settle(changes)
	return nil
}

// now is what stands at a path, after what was taken back so far.
func (p *rewinder) now(path string) (*edit.File, error) {
	if f, ok := p.state[path]; ok {
		if f == nil && p.held[path] > 0 {
			f = &edit.File{Mode: fs.ModeDir | 0o777}
		}
		return f, nil
	}
	if f, ok := p.disk[path]; ok && (f != nil || p.held[path] == 0) {
		return f, nil
	}
	f, err := p.r.tree.Lookup(path)
	if err != nil {
		return nil, &edit.Error{Code: edit.Unreadable, Path: path, Err: err}
	}
	p.disk[path] = f
	if f == nil && p.held[path] > 0 {
		f = &edit.File{Mode: fs.ModeDir | 0o777}
	}
	return f, nil
}

// set gives a path its state.
func (p *rewinder) set(path string, f *edit.File) {
	n := 0
	if f != nil {
		n++
	}
	if p.state[path] != nil {
		n--
	}
	for up := parent(path); n != 0 && up != "."; up = parent(up) {
		p.held[up] += n
	}
	p.state[path] = f
}

func parent(p string) string { return path.Dir(p) }

func splitPath(p string) (dir, name string) { return path.Dir(p), path.Base(p) }
