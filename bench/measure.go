package main

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// A row is one comparison.
type row struct {
	name   string
	rounds int
	ours   side
	theirs []side       // the fastest, by its median, is what ours is compared with; none: ours stands alone
	before func() error // right before the rounds; nil: nothing
	target float64      // ours ÷ theirs; 0: none
	twice  bool         // twice the target is what holds for now
	limit  func(theirs time.Duration) time.Duration
	most   float64 // what ours may take however long theirs does, in ms; 0: no such target
	beside []figure
}

// A side is one of the programs of a row.
type side struct {
	name string // as the table calls it; ours needs none
	argv []string
	dir  string
	env  []string // beside that of all programs
	// prepare makes everything as it was before any run and returns the file
	// that is the standard input, empty for none. It is not measured.
	prepare func(round int) (stdin string, err error)
	check   func(round int) error // what a run must have done; nil: nothing
	fails   bool                  // the run must be refused
	grows   string                // a directory whose growth is told; empty: none
}

// as is the side alone, as a peer of that name.
func (s side) as(name string) []side {
	s.name = name
	return []side{s}
}

// A sample is what one run took.
type sample struct {
	wall   time.Duration
	peak   int64 // most memory, in bytes
	growth int64 // of the side's directory, in bytes
}

// A figure is something else that a row tells of its samples.
type figure struct {
	name, unit string
	of         func(sample) float64
	most       float64 // of ours; 0: no target
}

func wallTime() figure {
	return figure{unit: "ms", of: func(s sample) float64 { return s.wall.Seconds() * 1e3 }}
}

// peakMemory is the figure of the largest process of a run.
func peakMemory(most float64) figure {
	return figure{"its peak memory", "MB", func(s sample) float64 { return float64(s.peak) / (1 << 20) }, most}
}

// growth is the figure of what a run added to the side's directory.
func growth(most float64) figure {
	return figure{"its bytes added to the objects", "MB", func(s sample) float64 { return float64(s.growth) / (1 << 20) }, most}
}

// A result is a line of the table: medians.
type result struct {
	name, against, unit string
	ours, theirs, ratio float64 // NaN: not measured
	target, twice       float64 // of the ratio; 0: none
	most                float64 // of ours; 0: none
}

// measure runs all sides in turns. Round 0 only warms up.
func (b *bench) measure(r row) ([]result, error) {
	fmt.Fprintf(b.log, "%s: %d rounds\n", r.name, r.rounds)
	if r.before != nil {
		if err := r.before(); err != nil {
			return nil, err
		}
	}
	sides := append([]side{r.ours}, r.theirs...)
	samples := make([][]sample, len(sides))
	for round := range r.rounds + 1 {
		for i := range sides {
			got, err := b.once(&sides[i], round)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				samples[i] = append(samples[i], got)
			}
		}
	}
	return r.results(samples[0], samples[1:]), nil
}

// once prepares and measures one run, from before the process starts to after
// it has ended.
func (b *bench) once(s *side, round int) (sample, error) {
	stdin := ""
	if s.prepare != nil {
		var err error
		if stdin, err = s.prepare(round); err != nil {
			return sample{}, err
		}
	}
	cmd := exec.Command(s.argv[0], s.argv[1:]...)
	cmd.Dir, cmd.Env = s.dir, append(slices.Clip(b.env), s.env...)
	if stdin != "" {
		in, err := os.Open(stdin)
		if err != nil {
			return sample{}, err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	size, err := s.size()
	if err != nil {
		return sample{}, err
	}
	out, err := os.Create(b.output())
	if err != nil {
		return sample{}, err
	}
	defer out.Close()
	errs, err := os.Create(b.output() + ".errors")
	if err != nil {
		return sample{}, err
	}
	defer errs.Close()
	cmd.Stdout, cmd.Stderr = out, errs
	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		return sample{}, err
	}
	if cmd.ProcessState.Success() == s.fails {
		text, _ := os.ReadFile(b.output())
		errs, _ := os.ReadFile(b.output() + ".errors")
		return sample{}, fmt.Errorf("%v in %s: %s\n%s%s", s.argv, s.dir, cmd.ProcessState, text, errs)
	}
	if s.check != nil {
		if err := s.check(round); err != nil {
			return sample{}, fmt.Errorf("%v in %s: %w", s.argv, s.dir, err)
		}
	}
	now, err := s.size()
	return sample{wall, peak(cmd.ProcessState), now - size}, err
}

// output is the file that has what the last run printed.
func (b *bench) output() string { return filepath.Join(b.dir, "output") }

// size is that of the directory whose growth is told, in bytes.
func (s *side) size() (int64, error) {
	if s.grows == "" {
		return 0, nil
	}
	var sum int64
	err := filepath.WalkDir(s.grows, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

// results are the row's line, one for each other figure, and one for each peer
// that another one beat.
func (r row) results(ours []sample, theirs [][]sample) []result {
	wall := wallTime()
	best := 0
	for i := range theirs {
		if median(theirs[i], wall.of) < median(theirs[best], wall.of) {
			best = i
		}
	}
	compare := func(name string, f figure) result {
		res := result{name: name, unit: f.unit, ours: median(ours, f.of), theirs: math.NaN(), most: f.most}
		if len(theirs) > 0 {
			res.against, res.theirs = r.theirs[best].name, median(theirs[best], f.of)
		}
		res.ratio = res.ours / res.theirs
		return res
	}
	first := compare(r.name, wall)
	first.most, first.target = r.most, r.target
	if r.limit != nil {
		first.target = float64(r.limit(time.Duration(first.theirs*1e6))) / (first.theirs * 1e6)
	}
	if r.twice {
		first.twice = 2 * r.target
	}
	list := []result{first}
	for _, f := range r.beside {
		list = append(list, compare("  "+f.name, f))
	}
	for i, s := range r.theirs {
		if i != best {
			list = append(list, result{name: "  slower", against: s.name, unit: wall.unit,
				ours: math.NaN(), theirs: median(theirs[i], wall.of), ratio: math.NaN()})
		}
	}
	return list
}

func median(samples []sample, of func(sample) float64) float64 {
	var list []float64
	for _, s := range samples {
		list = append(list, of(s))
	}
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
