package main

import "fmt"

// restores take a turn's change of so many files back.
func (b *bench) restores() ([]row, error) {
	if err := b.needs("begin", "end"); err != nil {
		return nil, err
	}
	large, err := b.largeRepository()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, c := range []struct {
		files, rounds int
		target        float64
	}{{1, b.rounds, 0.30}, {1000, b.heavy(), 0.40}, {10_000, b.few(), 0.60}} {
		name := fmt.Sprintf("rewind of %d files in %d", c.files, b.large)
		rows = append(rows, large.restore(name, c.files, c.rounds, c.target))
	}
	wide, err := b.kept("wide", tree{10_000, most, most}, nil, nil)
	if err != nil {
		return nil, err
	}
	r := wide.restore("rewind of 10000 files of 20 KB", wide.tree.files, b.few(), 0)
	r.beside = []figure{peakMemory(200)}
	return append(rows, r), nil
}

// restore makes a row of the rewind of a turn that changed so many files, and of
// git's ways back to the commit from the same change.
func (r *repo) restore(name string, files, rounds int, target float64) row {
	change := func(int) (string, error) { return "", r.dirty(files) }
	way := func(args ...string) side {
		return side{name: args[0], argv: append([]string{"git"}, args...), dir: r.dir, prepare: change, check: r.restored}
	}
	return row{
		name: name, rounds: rounds, target: target, before: r.settle,
		ours: side{
			argv: []string{r.b.chordgit, "rewind", "--yes"}, dir: r.dir, check: r.restored,
			prepare: func(int) (string, error) {
				if err := r.b.tool(r.dir, r.b.chordgit, "begin"); err != nil {
					return "", err
				}
				if err := r.dirty(files); err != nil {
					return "", err
				}
				if err := r.b.tool(r.dir, r.b.chordgit, "end"); err != nil {
					return "", err
				}
				return "", flush(r.dir)
			},
		},
		theirs: []side{
			way("restore", "--source=HEAD", "--", "."),
			way("checkout", "HEAD", "--", "."),
			way("read-tree", "-u", "--reset", "HEAD"),
		},
	}
}

// restored checks that all files are as committed. The refresh also gives the
// next run, whose ever, an index that knows them.
func (r *repo) restored(int) error {
	if err := r.b.tool(r.dir, "git", "update-index", "-q", "--refresh"); err != nil {
		return err
	}
	if err := r.b.tool(r.dir, "git", "diff-index", "--quiet", "HEAD", "--"); err != nil {
		return fmt.Errorf("files are not as committed: %w", err)
	}
	return nil
}
