package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// needs refuses rows whose commands this chordgit does not have.
func (b *bench) needs(commands ...string) error {
	var errs []error
	for _, name := range commands {
		// The help of a command that there is not is that of the program.
		help, err := b.ask(b.dir, b.chordgit, name, "--help")
		if err == nil && !strings.Contains(help, "\n  chordgit "+name+" ") {
			err = fmt.Errorf("chordgit has no command %q: leave these rows out with -rows", name)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// The sizes of files that rows of captures and restores have: 1 to 20 KB.
const least, most = 1 << 10, 20 << 10

// largeRepository has one more file, which the rows that compare sizes patch.
func (b *bench) largeRepository() (*repo, error) {
	return b.kept("large", tree{b.large, least, most}, numbered(1, 40), nil)
}

func (b *bench) mediumRepository(name string, setup func(dir string) error) (*repo, error) {
	return b.kept(name, tree{11_478, least, most}, nil, setup)
}

// captures are those of changed files in repositories of three sizes.
func (b *bench) captures() ([]row, error) {
	if err := b.needs("begin", "end"); err != nil {
		return nil, err
	}
	large, err := b.largeRepository()
	if err != nil {
		return nil, err
	}
	clean := capture{repo: large, witness: func() string { return large.tree.path(0) }}
	name := func(r *repo, dirty int) string {
		return fmt.Sprintf("capture, %d files, %d dirty", r.tree.files, dirty)
	}
	rows := []row{{
		name: name(large, 0), rounds: b.rounds, target: 0.40,
		ours: clean.begin(), theirs: []side{clean.status()}, before: large.history,
		beside: []figure{peakMemory(60)},
	}}
	for _, c := range []struct {
		dirty, rounds int
		target        float64
	}{{1, b.rounds, 0.33}, {10, b.rounds, 0.33}, {1000, b.heavy(), 0.22}} {
		do := large.changed(c.dirty)
		rows = append(rows, row{
			name: name(large, c.dirty), rounds: c.rounds, target: c.target,
			ours: do.begin(), theirs: do.ways(), before: large.history,
			beside: []figure{peakMemory(60)},
		})
	}
	medium, err := b.mediumRepository("medium", nil)
	if err != nil {
		return nil, err
	}
	small, err := b.kept("small", tree{228, least, most}, nil, nil)
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		repo          *repo
		dirty, rounds int
	}{{medium, 10, b.rounds}, {small, 1, 2 * b.rounds}} {
		do := c.repo.changed(c.dirty)
		rows = append(rows, row{
			name: name(c.repo, c.dirty), rounds: c.rounds, target: 0.35,
			ours: do.begin(), theirs: []side{do.own()}, before: c.repo.history,
		})
	}
	return rows, nil
}

// Newcomers are untracked files that are new, in names and bytes, whenever they
// are renewed.
type newcomers struct {
	repo *repo
	tree tree
	dir  string
}

// renew renames the files and writes them in place: to delete them would measure
// the deletion.
func (n *newcomers) renew() error {
	earlier, err := filepath.Glob(filepath.Join(n.repo.dir, "new*"))
	if err != nil {
		return err
	}
	n.repo.b.stamp++
	n.dir = fmt.Sprintf("new%d-%d", os.Getpid(), n.repo.b.stamp)
	to := filepath.Join(n.repo.dir, n.dir)
	for _, from := range earlier { // one, or none in a new repository
		if err := os.Rename(from, to); err != nil {
			return err
		}
	}
	return errors.Join(n.tree.write(to, n.tree.spread(n.tree.files), n.repo.b.stamp), flush(n.repo.dir))
}

func (n *newcomers) witness() string { return n.dir + "/" + n.tree.path(0) }

func (b *bench) untracked() ([]row, error) {
	if err := b.needs("begin", "end"); err != nil {
		return nil, err
	}
	r, err := b.mediumRepository("untracked", nil)
	if err != nil {
		return nil, err
	}
	files := &newcomers{repo: r, tree: tree{20_000, least, most}}
	first := capture{r, files.renew, files.witness}
	later := capture{r, nil, files.witness}
	return []row{
		{
			name: "20,000 untracked files, first capture", rounds: b.few(), target: 0.7,
			ours: first.begin(), theirs: []side{first.copied()}, before: r.history,
		},
		{
			name: "20,000 untracked files, later capture", rounds: b.rounds, target: 0.5,
			ours: later.begin(), theirs: []side{later.own()}, before: r.history,
		},
	}, nil
}

func (b *bench) ignored() ([]row, error) {
	if err := b.needs("begin", "end"); err != nil {
		return nil, err
	}
	without, err := b.mediumRepository("medium", nil)
	if err != nil {
		return nil, err
	}
	with, err := b.mediumRepository("ignored", func(dir string) error {
		exclude := filepath.Join(dir, ".git", "info", "exclude")
		return errors.Join(os.WriteFile(exclude, []byte("/build/\n"), 0o644), objects(filepath.Join(dir, "build"), 200_000, 0))
	})
	if err != nil {
		return nil, err
	}
	return []row{{
		name: "200,000 ignored files, 1 dirty", rounds: 2 * b.rounds, target: 1.2,
		ours: with.changed(1).begin(), theirs: without.changed(1).begin().as("without them"),
		before: func() error { return errors.Join(with.history(), without.history()) },
	}}, nil
}

// cold is the first scan of a repository that chordgit does not know.
func (b *bench) cold() ([]row, error) {
	if err := b.needs("init"); err != nil {
		return nil, err
	}
	r, err := b.largeRepository()
	if err != nil {
		return nil, err
	}
	return []row{{
		name: fmt.Sprintf("cold start, %d files", b.large), rounds: b.heavy(), most: 600,
		ours: side{
			argv: []string{b.chordgit, "init"}, dir: r.dir, grows: r.git("objects"),
			prepare: func(int) (string, error) {
				return "", errors.Join(os.RemoveAll(r.git("chordgit")), flush(r.dir))
			},
			check: func(int) error {
				_, err := os.Stat(r.git("chordgit/cache"))
				return err
			},
		},
		before: r.settle,
		beside: []figure{growth(1), peakMemory(0)},
	}}, nil
}
