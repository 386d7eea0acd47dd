package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A capture is one kind of change in a repository, for chordgit and for the ways
// in which git alone can store what the worktree holds.
type capture struct {
	*repo
	change func() error // before every run; nil: nothing
	// witness is a path that the capture must have stored, with the bytes that it
	// has on disk.
	witness func() string
}

// changed is the capture after a change of so many files.
func (r *repo) changed(count int) capture {
	return capture{
		repo:    r,
		change:  func() error { return r.dirty(count) },
		witness: func() string { return r.tree.path(0) },
	}
}

// begin is chordgit's side. What it opens is closed before anything changes, and
// so leaves no turn.
func (c capture) begin() side {
	stored := c.stored(func(id string) string { return "refs/chordgit/open/" + id + ":before/" })
	return side{
		argv: []string{c.b.chordgit, "begin"}, dir: c.dir, prepare: c.prepare,
		check: func(round int) error {
			if err := stored(round); err != nil {
				return err
			}
			return c.b.tool(c.dir, c.b.chordgit, "end")
		},
	}
}

func (c capture) prepare(int) (string, error) {
	if c.change == nil {
		return "", nil
	}
	return "", c.change()
}

// status only detects; it is the peer where there is nothing to store.
func (c capture) status() side {
	return side{
		name: "status", argv: []string{"git", "status", "--porcelain"}, dir: c.dir, prepare: c.prepare,
		check: func(int) error {
			text, err := os.ReadFile(c.b.output())
			if err == nil && len(text) > 0 {
				err = fmt.Errorf("the worktree is not clean:\n%s", text)
			}
			return err
		},
	}
}

// ways are all of git's, without a monitor of the file system.
func (c capture) ways() []side {
	return []side{c.stash(), c.copied(), c.own(), c.tuned()}
}

// stash stores changes of tracked files only, and no ref.
func (c capture) stash() side { return c.script("stash create", "", "git stash create") }

// copied starts every time with the user's index.
func (c capture) copied() side {
	index := c.index("copied")
	return c.script("copied index", index, `cp .git/index "$GIT_INDEX_FILE" && git add -A && `+commit)
}

// own keeps an index beside the user's.
func (c capture) own() side { return c.script("own index", c.index("own"), `git add -A && `+commit) }

// tuned is own with as little work as git's plumbing allows: status only reads,
// as update-index, which runs beside it, has the lock. It can take only names
// that git status does not quote.
func (c capture) tuned() side {
	return c.script("tuned script", c.index("tuned"),
		`git --no-optional-locks status --porcelain --no-renames | cut -c4- | git update-index --add --remove --stdin && `+commit)
}

const commit = `id=$(git commit-tree -m bench "$(git write-tree)") && git update-ref refs/bench/capture "$id" && echo "$id"`

func (c capture) script(name, index, text string) side {
	s := side{
		name: name, argv: []string{"sh", "-c", text}, dir: c.dir, prepare: c.prepare,
		check: c.stored(func(id string) string { return id + ":" }),
	}
	if index != "" {
		s.env = []string{"GIT_INDEX_FILE=" + index}
	}
	return s
}

// index names the index file of a way.
func (r *repo) index(name string) string { return filepath.Join(r.git("bench"), name) }

// settle is what comes before the rounds of a row: the first content, known to
// the user's index and to those that ways keep.
func (r *repo) settle() error {
	if err := errors.Join(r.revert(), os.MkdirAll(r.git("bench"), 0o755)); err != nil {
		return err
	}
	for _, name := range []string{"own", "tuned"} {
		if err := copyFile(r.index(name), r.git("index")); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"update-index", "--untracked-cache"}, {"status"}} { // status fills the cache
		args = append([]string{"GIT_INDEX_FILE=" + r.index("tuned"), "git"}, args...)
		if err := r.b.tool(r.dir, "env", args...); err != nil {
			return err
		}
	}
	return flush(r.dir)
}

// history is settle with a recorded turn before it: nobody captures for long
// where no turn ever changed anything.
func (r *repo) history() error {
	return errors.Join(
		r.b.tool(r.dir, r.b.chordgit, "begin"), r.dirty(1), r.b.tool(r.dir, r.b.chordgit, "end"),
		r.settle(),
	)
}

// stored checks that the tree, which root names by what the run printed, has the
// witness.
func (c capture) stored(root func(printed string) string) func(round int) error {
	return func(int) error {
		text, err := os.ReadFile(c.b.output())
		if err != nil {
			return err
		}
		path := c.witness()
		want, err := c.b.ask(c.dir, "git", "hash-object", "--no-filters", path)
		if err != nil {
			return err
		}
		name := root(strings.TrimSpace(string(text))) + path
		got, err := c.b.ask(c.dir, "git", "rev-parse", "--verify", name)
		if err == nil && got != want {
			err = fmt.Errorf("%s is %s, not what is on disk", name, got)
		}
		return err
	}
}
