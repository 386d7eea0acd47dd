// Command bench measures chordgit beside what people use otherwise, in one run
// on one machine, and prints medians and ratios. Run it from the project's root:
//
//	go run ./bench -install        # installs the reference apply_patch (npm) first
//	go run ./bench -rows one,size  # only some rows
//
// It works below -dir, which must be on a disk: on tmpfs nothing is ever synced.
// Each pair of runs starts from the same files; ours stand in a git repository,
// and what is measured of us includes the durable turn. Machines are noisy:
// compare the ratios.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A bench is one run of the benchmark.
type bench struct {
	dir      string // work directory
	rounds   int
	chordgit string
	hello    string
	peer     string // the reference apply_patch; empty: not installed
}

func run() error {
	b := &bench{}
	flag.StringVar(&b.dir, "dir", "", "work directory, on a disk (default: chordgit-bench in the user's cache)")
	flag.IntVar(&b.rounds, "n", 15, "pairs of runs a row; the heavy rows take a fifth")
	rows := flag.String("rows", "", "rows to run, with commas between them (default: all)")
	install := flag.Bool("install", false, "install the reference apply_patch with npm")
	flag.Parse()
	if b.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		b.dir = filepath.Join(cache, "chordgit-bench")
	}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	fsName, err := fileSystem(b.dir)
	if err != nil {
		return err
	}
	if fsName == "tmpfs" {
		return fmt.Errorf("%s is on tmpfs, where syncing costs nothing; name a directory on a disk with -dir", b.dir)
	}
	if err := b.build(); err != nil {
		return err
	}
	if err := b.findPeer(*install); err != nil {
		return err
	}
	version, _ := exec.Command("git", "--version").Output()
	fmt.Printf("%d CPUs, %s/%s, %s, file system %s, store.fsync batch, %s\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), fsName, strings.TrimSpace(string(version)))
	if b.peer == "" {
		fmt.Println("the reference apply_patch is not installed (-install): its rows are skipped")
	}
	fmt.Printf("\n%-34s %12s %12s %8s %8s %8s\n", "row", "ours ms", "theirs ms", "ratio", "target", "here ≤")
	for _, r := range b.rows() {
		if *rows != "" && !slices.Contains(strings.Split(*rows, ","), r.group) {
			continue
		}
		if err := r.run(); err != nil {
			return fmt.Errorf("%s: %w", r.group, err)
		}
	}
	return nil
}

// build builds chordgit and a program that does nothing.
func (b *bench) build() error {
	b.chordgit, b.hello = filepath.Join(b.dir, "chordgit"), filepath.Join(b.dir, "hello")
	source := filepath.Join(b.dir, "hello.go")
	err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\"hello\") }\n"), 0o644)
	return errors.Join(err, static("-o", b.chordgit, "./cmd/chordgit"), static("-o", b.hello, source))
}

// static builds as the README says: without cgo a process starts a third sooner.
func static(args ...string) error {
	cmd := exec.Command("go", append([]string{"build"}, args...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// findPeer finds the reference's native binary, which takes the name it is
// called by for its task.
func (b *bench) findPeer(install bool) error {
	if install {
		cmd := exec.Command("npm", "install", "--no-fund", "--no-audit", "--silent", "@openai/codex@0.171.0")
		cmd.Dir = b.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("npm: %w\n%s", err, out)
		}
	}
	found, err := filepath.Glob(filepath.Join(b.dir, "node_modules", "@openai", "codex*", "vendor", "*", "bin", "codex"))
	if err != nil || len(found) == 0 {
		return err
	}
	peer := filepath.Join(b.dir, "apply_patch")
	os.Remove(peer)
	if err := os.Symlink(found[0], peer); err != nil {
		return err
	}
	b.peer = peer
	return nil
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// A contender is one side of a row: what is done before each run, untimed, and
// the run.
type contender struct {
	prepare func() error
	cmd     func() *exec.Cmd
	may     []int // exit statuses beside 0 that count as having done the work
}

// pair runs two contenders alternately and prints the row. A nil second one is
// left out.
func pair(name string, rounds int, target string, here float64, ours contender, theirs *contender) error {
	var a, z []time.Duration
	for range rounds {
		d, err := ours.once()
		if err != nil {
			return err
		}
		a = append(a, d)
		if theirs == nil {
			continue
		}
		if d, err = theirs.once(); err != nil {
			return err
		}
		z = append(z, d)
	}
	if theirs == nil {
		fmt.Printf("%-34s %12.1f %12s %8s %8s %8s\n", name, ms(median(a)), "–", "–", target, "–")
		return nil
	}
	fmt.Printf("%-34s %12.1f %12.1f %8.2f %8s %8.2f\n", name, ms(median(a)), ms(median(z)), float64(median(a))/float64(median(z)), target, here)
	return nil
}

func (c contender) once() (time.Duration, error) {
	if c.prepare != nil {
		if err := c.prepare(); err != nil {
			return 0, err
		}
	}
	cmd := c.cmd()
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	d := time.Since(begin)
	var exit *exec.ExitError
	if errors.As(err, &exit) && slices.Contains(c.may, exit.ExitCode()) {
		err = nil
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return d, nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
