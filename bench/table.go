package main

import (
	"fmt"
	"io"
	"runtime"
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
	fmt.Fprintf(w, "%d CPUs, %s/%s, %s, file system %s, chordgit flushes every turn, apply_patch flushes nothing\n\n",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, git, disk)
	fmt.Fprintf(w, "%-43s %-12s %10s %10s    %6s %7s %6s\n", "row", "against", "ours", "theirs", "ratio", "target", "twice")
	for _, r := range results {
		fmt.Fprintf(w, "%-43s %-12s %10.1f %10.1f %s %6.2f %7s %6s  %s\n",
			r.name, r.against, r.ours, r.theirs, r.unit, r.ratio, ratio(r.target), ratio(r.twice), r.verdict())
	}
	return nil
}

func ratio(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", x)
}

func (r result) verdict() string {
	switch {
	case r.target == 0:
		return ""
	case r.ratio <= r.target:
		return "ok"
	case r.ratio <= r.twice:
		return "within twice"
	}
	return "MISSED"
}
