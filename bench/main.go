// Command bench measures chordgit beside what people and agents have today, and
// prints medians, ratios, targets and peak memory. Absolute times differ from
// machine to machine; the ratios are what to hold.
//
//	go run ./bench -install                   everything; about half an hour
//	go run ./bench -rows capture,restore      some rows
//	go run ./bench -help
//
// The peer of apply is apply_patch of Codex: the native binary of the npm package
// @openai/codex under the name apply_patch, with the patch on standard input.
// With -install, npm puts it into the work directory; rows that need it are
// skipped where it is absent. It neither records nor flushes what it writes;
// chordgit does both, with a repository around the same files.
//
// The peers of captures and rewinds are git's own ways, with their defaults and
// without a monitor of the file system; the fastest of a row, by its median, is
// what counts, the others are listed below it. Those that take several commands
// are one shell script.
//
// The time of the whole process counts. Ours and the peers' runs alternate, one
// warm-up each first. Before every run, outside the measured time, everything is
// made as the row says and the file system is flushed; every run meets bytes that
// no earlier one wrote. The work directory must lie on a disk: on a tmpfs a flush
// costs nothing. It is kept, about 2 GB, with the repositories that are costly to
// make. Results go to standard output only.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A bench is one run of the program.
type bench struct {
	dir    string // the work directory
	rounds int
	large  int // files of the large repository
	log    io.Writer
	load   float64 // of the machine before anything ran

	chordgit, hello string // the binaries
	peer            string // empty: not there
	env             []string

	repos map[string]*repo // those in use, by directory
	stamp int              // of the newest version of generated files
}

func run(args []string, stdout, stderr io.Writer) error {
	b := &bench{log: stderr, load: load(), repos: map[string]*repo{}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&b.dir, "dir", "", "work `directory`, on a disk (default: one in the user's cache or the directory for temporary files)")
	flags.IntVar(&b.rounds, "n", 15, "rounds of each row; heavy rows have half as many")
	flags.IntVar(&b.large, "files", 100_000, "files of the large repository")
	names := flags.String("rows", "all", "which `rows`: all or some of "+strings.Join(rowNames(), ","))
	install := flags.Bool("install", false, "install the peer into the work directory with npm")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || b.rounds < 1 || b.large < 300 {
		return errors.New("want no arguments, -n of at least 1, -files of at least 300; see -help")
	}
	chosen := rowNames()
	if *names != "all" {
		chosen = strings.Split(*names, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(rowNames(), name) {
			return fmt.Errorf("no row is named %q: see -help", name)
		}
	}
	if err := b.prepare(*install); err != nil {
		return err
	}
	var done []result
	for _, g := range groups() {
		if !slices.Contains(chosen, g.name) {
			continue
		}
		if g.peer && b.peer == "" {
			fmt.Fprintf(stdout, "no apply_patch: %s is skipped; -install gets it\n", g.name)
			continue
		}
		rows, err := g.rows(b)
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		for _, r := range rows {
			res, err := b.measure(r)
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			done = append(done, res...)
		}
		// Repositories that are kept are costly to make; the others are in the way.
		if err := os.RemoveAll(filepath.Join(b.dir, "rows")); err != nil {
			return err
		}
	}
	for _, r := range b.repos {
		if err := r.clean(); err != nil {
			return err
		}
	}
	return b.print(stdout, done)
}
