// Command bench measures chordgit beside the tool that agents have today and
// prints medians and ratios. Absolute times differ from machine to machine; the
// ratios are what to hold.
//
//	go run ./bench -install            everything; about fifteen minutes
//	go run ./bench -rows start,one     some rows
//	go run ./bench -help
//
// The peer is apply_patch of Codex: the native binary of the npm package
// @openai/codex under the name apply_patch, with the patch on standard input.
// With -install, npm puts it into the work directory; rows that need it are
// skipped where it is absent. It neither records nor flushes what it writes;
// chordgit does both, with a repository around the same files, and the time of
// the whole process counts.
//
// Ours and the peer's runs alternate, one warm-up each first. Before every run,
// outside the measured time, the files get their first content back and the file
// system is flushed; every round writes bytes that no earlier one wrote. The
// work directory must lie on a disk: on a tmpfs a flush costs nothing. It is
// kept, with the repository of 100,000 files in it. Results go to standard
// output only.
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

	chordgit, hello string // the binaries
	peer            string // empty: not there
	env             []string

	repos map[string]*repo // those in use, by directory
	stamp int              // of the newest version of generated files
}

func run(args []string, stdout, stderr io.Writer) error {
	b := &bench{log: stderr, repos: map[string]*repo{}}
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
	if b.peer == "" {
		fmt.Fprintln(stdout, "no apply_patch: its rows are skipped; -install gets it")
	}
	var done []result
	for _, g := range groups() {
		if !slices.Contains(chosen, g.name) || g.peer && b.peer == "" {
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
