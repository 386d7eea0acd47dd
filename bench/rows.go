package main

import (
	"fmt"
	"path/filepath"
	"time"
)

// A group is what one name on the command line stands for.
type group struct {
	name string
	peer bool // needs apply_patch
	rows func(*bench) ([]row, error)
}

func groups() []group {
	return []group{
		{"start", false, (*bench).start},
		{"one", true, (*bench).one},
		{"five-hundred", true, (*bench).fiveHundred},
		{"lines", true, (*bench).lines},
		{"blocks", true, (*bench).blocks},
		{"new", true, (*bench).newFiles},
		{"million", true, (*bench).million},
		{"size", false, (*bench).size},
		{"rewind", false, (*bench).rewind},
		{"deleted", true, (*bench).deleted},
		{"capture", false, (*bench).captures},
		{"untracked", false, (*bench).untracked},
		{"ignored", false, (*bench).ignored},
		{"cold", false, (*bench).cold},
		{"restore", false, (*bench).restores},
	}
}

func rowNames() []string {
	var names []string
	for _, g := range groups() {
		names = append(names, g.name)
	}
	return names
}

// heavy is the number of rounds of rows that take long.
func (b *bench) heavy() int { return (b.rounds + 1) / 2 }

// few is the number of rounds of rows that write tens of thousands of files.
func (b *bench) few() int { return (b.rounds + 2) / 3 }

func (b *bench) start() ([]row, error) {
	return []row{{
		name: "process start", rounds: 4 * b.rounds,
		ours:   side{argv: []string{b.chordgit, "version"}, dir: b.dir},
		theirs: []side{{name: "hello world", argv: []string{b.hello}, dir: b.dir}},
		limit:  func(hello time.Duration) time.Duration { return hello*3/2 + 3*time.Millisecond },
	}}, nil
}

func (b *bench) one() ([]row, error) {
	w, err := b.workspace("one", numbered(1, 40))
	if err != nil {
		return nil, err
	}
	return []row{w.row("1 file, 40 lines, 1 hunk", 2*b.rounds, 2.5, w.updates(1, exact))}, nil
}

func (b *bench) fiveHundred() ([]row, error) {
	w, err := b.workspace("five-hundred", numbered(500, 200))
	if err != nil {
		return nil, err
	}
	return []row{w.row("500 files × 200 lines, 1 hunk each", b.rounds, 1.5, w.updates(1, exact))}, nil
}

func (b *bench) lines() ([]row, error) {
	const hunks = 200
	w, err := b.workspace("lines", numbered(1, 50_000))
	if err != nil {
		return nil, err
	}
	refused := work{
		patch:  func(round int) string { return envelope(missing(w.files[0], hunks, round)) },
		result: w.last, fails: true,
	}
	const name = "50,000 lines, 200 hunks: "
	return []row{
		w.row(name+"exact", b.rounds, 1.2, w.updates(hunks, exact)),
		w.row(name+"trailing blanks", b.rounds, 1.2, w.updates(hunks, trailingBlanks)),
		w.row(name+"trimmed", b.rounds, 1.2, w.updates(hunks, trimmed)),
		w.row(name+"typographic", b.rounds, 1.2, w.updates(hunks, typographic)),
		w.row(name+"last hunk missing", b.rounds, 1.2, refused),
	}, nil
}

// blocks are hunks that a search which starts again at every place would be
// slow to find, or not to find; and what a refusal costs with all it says.
func (b *bench) blocks() ([]row, error) {
	equal, err := b.workspace("equal", []file{{path: "equal.go", lines: 50_000, equal: true}})
	if err != nil {
		return nil, err
	}
	w, err := b.workspace("absent", numbered(1, 20_000))
	if err != nil {
		return nil, err
	}
	asking := func(w *workspace, fails bool, text func(round int) string) work {
		return work{patch: func(round int) string { return envelope(text(round)) }, result: w.last, fails: fails}
	}
	found := asking(w, false, func(round int) string { return block(w.files[0], 49, round) })
	refused := asking(w, true, func(round int) string { return absent(w.files[0], 49, round) })
	apply := []string{b.chordgit, "apply"}
	return []row{
		equal.row("50,000 equal lines, 200 of context", b.rounds, 1.2, asking(equal, false, func(round int) string { return block(equal.files[0], 200, round) })),
		w.row("20,000 lines, a hunk of 50: found", b.rounds, 1.2, found),
		w.row("20,000 lines, a hunk of 50: missing", b.rounds, 1.2, refused),
		{
			name: "20,000 lines, a hunk of 50: missing", rounds: b.rounds, target: 3,
			ours: w.side(apply, w.ours, refused), theirs: w.side(apply, w.ours, found).as("found"),
		},
	}, nil
}

// newFiles makes its files in a directory of their own in every round: to
// delete them between rounds would measure the deletion.
func (b *bench) newFiles() ([]row, error) {
	w, err := b.workspace("new", nil)
	if err != nil {
		return nil, err
	}
	named := func(f file, round int) file {
		f.path = fmt.Sprintf("new%02d/%s", round, f.path)
		return f
	}
	files := numbered(500, 50)
	adds := work{
		patch: func(round int) string {
			var sections []string
			for _, f := range files {
				sections = append(sections, add(named(f, round), round))
			}
			return envelope(sections...)
		},
		result: func(round int) string { return named(files[len(files)-1], round).path },
	}
	return []row{w.row("500 new files × 50 lines", b.heavy(), 1.5, adds)}, nil
}

func (b *bench) million() ([]row, error) {
	w, err := b.workspace("million", numbered(1, 1_000_000))
	if err != nil {
		return nil, err
	}
	r := w.row("1,000,000 lines, 1 hunk near the end", b.heavy(), 0.8, w.updates(1, exact))
	r.beside = []figure{peakMemory(0)}
	return []row{r}, nil
}

// bySize makes the two repositories of the rows that compare sizes.
func (b *bench) bySize(name string) (w *workspace, large string, err error) {
	if w, err = b.workspace(name, numbered(1, 40)); err != nil {
		return nil, "", err
	}
	r, err := b.largeRepository()
	if err != nil {
		return nil, "", err
	}
	return w, r.dir, nil
}

func (b *bench) size() ([]row, error) {
	w, large, err := b.bySize("size")
	if err != nil {
		return nil, err
	}
	apply := []string{b.chordgit, "apply"}
	do := w.updates(1, exact)
	return []row{{
		name: fmt.Sprintf("lone apply in %d files", b.large), rounds: 2 * b.rounds, target: 1.1, twice: true,
		ours: w.side(apply, large, do), theirs: w.side(apply, w.ours, do).as("in 300"),
	}}, nil
}

func (b *bench) rewind() ([]row, error) {
	w, large, err := b.bySize("rewind")
	if err != nil {
		return nil, err
	}
	do := w.updates(1, exact)
	// Every rewind takes back the turn of an apply that is not measured.
	rewind := func(dir string) side {
		apply := w.side([]string{b.chordgit, "apply"}, dir, do)
		return side{
			argv: []string{b.chordgit, "rewind"}, dir: dir,
			prepare: func(round int) (string, error) {
				if _, err := b.once(&apply, round); err != nil {
					return "", err
				}
				return "", flush(dir)
			},
			check: func(round int) error {
				found, err := marked(filepath.Join(dir, w.last(round)), round)
				if found {
					err = fmt.Errorf("%s was not taken back", w.last(round))
				}
				return err
			},
		}
	}
	return []row{{
		name: fmt.Sprintf("lone rewind in %d files", b.large), rounds: b.rounds, target: 1.1, twice: true,
		ours: rewind(large), theirs: rewind(w.ours).as("in 300"),
	}}, nil
}

// deleted repeats two rows right after many files were deleted.
func (b *bench) deleted() ([]row, error) {
	one, err := b.workspace("deleted-one", numbered(1, 40))
	if err != nil {
		return nil, err
	}
	many, err := b.workspace("deleted-many", numbered(500, 200))
	if err != nil {
		return nil, err
	}
	rows := []row{
		one.row("after a deletion: 1 file", b.rounds, 2.5, one.updates(1, exact)),
		many.row("after a deletion: 500 files", b.heavy(), 1.5, many.updates(1, exact)),
	}
	rows[0].before, rows[1].before = one.deletion, many.deletion
	return rows, nil
}
