package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// A row is one comparison.
type row struct {
	name, against string
	rounds        int
	ours, theirs  side
	before        func() error // right before the rounds; nil: nothing
	target        float64      // ours ÷ theirs, from speed.md section 3; 0: none
	twice         bool         // twice the target is what holds for now
	limit         func(theirs time.Duration) time.Duration
	memory        bool // tell the peak memory as well
}

// A side is one of the two programs of a row.
type side struct {
	argv []string
	dir  string
	// prepare makes everything as it was before any run and returns the file
	// that is the standard input, empty for none. It is not measured.
	prepare func(round int) (stdin string, err error)
	check   func(round int) error // what a run must have done; nil: nothing
	fails   bool                  // the run must be refused
}

// A result is a line of the table.
type result struct {
	name, against, unit string
	ours, theirs        float64
	ratio               float64
	target, twice       float64
}

type sample struct {
	wall time.Duration
	peak int64
}

// measure runs both sides in turns. Round 0 only warms up.
func (b *bench) measure(r row) ([]result, error) {
	fmt.Fprintf(b.log, "%s: %d rounds\n", r.name, r.rounds)
	if r.before != nil {
		if err := r.before(); err != nil {
			return nil, err
		}
	}
	var ours, theirs []sample
	for round := range r.rounds + 1 {
		for _, s := range []struct {
			side *side
			list *[]sample
		}{{&r.ours, &ours}, {&r.theirs, &theirs}} {
			got, err := b.once(s.side, round)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				*s.list = append(*s.list, got)
			}
		}
	}
	return r.results(ours, theirs), nil
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
	cmd.Dir, cmd.Env = s.dir, b.env
	if stdin != "" {
		in, err := os.Open(stdin)
		if err != nil {
			return sample{}, err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	name := filepath.Join(b.dir, "output")
	out, err := os.Create(name)
	if err != nil {
		return sample{}, err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		return sample{}, err
	}
	if cmd.ProcessState.Success() == s.fails {
		text, _ := os.ReadFile(name)
		return sample{}, fmt.Errorf("%v in %s: %s\n%s", s.argv, s.dir, cmd.ProcessState, text)
	}
	if s.check != nil {
		if err := s.check(round); err != nil {
			return sample{}, fmt.Errorf("%v in %s: %w", s.argv, s.dir, err)
		}
	}
	return sample{wall, peak(cmd.ProcessState)}, nil
}

func (r row) results(ours, theirs []sample) []result {
	wall := func(s sample) float64 { return s.wall.Seconds() * 1e3 }
	o, t := median(ours, wall), median(theirs, wall)
	first := result{name: r.name, against: r.against, unit: "ms", ours: o, theirs: t, ratio: o / t, target: r.target}
	if r.limit != nil {
		first.target = float64(r.limit(time.Duration(t*1e6))) / (t * 1e6)
	}
	if r.twice {
		first.twice = 2 * r.target
	}
	list := []result{first}
	if r.memory {
		size := func(s sample) float64 { return float64(s.peak) / (1 << 20) }
		o, t := median(ours, size), median(theirs, size)
		list = append(list, result{name: "  its peak memory", against: r.against, unit: "MB", ours: o, theirs: t, ratio: o / t})
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
