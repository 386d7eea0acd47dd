package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
)

// print writes what was measured, and on what.
func (b *bench) print(w io.Writer, results []result) error {
	git, err := b.ask(b.dir, "git", "--version")
	if err != nil {
		return err
	}
	disk, err := fileSystem(b.dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d CPUs, load %s at the start and %s at the end, %s/%s, %s, file system %s\nchordgit flushes every turn, git as it does by default, apply_patch nothing\n\n",
		runtime.NumCPU(), number(b.load, 1), number(load(), 1), runtime.GOOS, runtime.GOARCH, git, disk)
	fmt.Fprintf(w, "%-45s %-15s %8s %8s    %5s %7s %6s\n", "row", "against", "ours", "theirs", "ratio", "target", "twice")
	for _, r := range results {
		fmt.Fprintf(w, "%-45s %-15s %8s %8s %s %5s %7s %6s  %s\n",
			r.name, r.against, number(r.ours, 1), number(r.theirs, 1), r.unit, number(r.ratio, 2), r.aim(), bound(r.twice, 2, ""), r.verdict())
	}
	return nil
}

// aim is the target: a ratio, or what ours may take.
func (r result) aim() string {
	if r.most != 0 {
		return bound(r.most, 0, " "+r.unit)
	}
	return bound(r.target, 2, "")
}

func bound(x float64, digits int, unit string) string {
	if x == 0 {
		return number(math.NaN(), digits)
	}
	return number(x, digits) + unit
}

func number(x float64, digits int) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

func (r result) verdict() string {
	switch {
	case r.target == 0 && r.most == 0:
		return ""
	case r.most != 0 && r.ours <= r.most, r.target != 0 && r.ratio <= r.target:
		return "ok"
	case r.ratio <= r.twice:
		return "within twice"
	}
	return "MISSED"
}
