package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// clonesPrefix is where turns of other clones are kept, by clone and number.
const clonesPrefix = "refs/chordgit/clones/"

// Remote is the code of what went wrong with another repository.
const Remote edit.Code = "remote"

// A Parcel is what would go to another repository, or went.
type Parcel struct {
	Clone   string // this clone's id
	Turns   []int
	Prompts int      // turns whose prompt goes along
	Ignored []string // files that git ignores, which the turns hold
}

// Pack lists what goes along with turns, by number; with none all closed turns go.
func (r *Repo) Pack(ctx context.Context, turns []int) (*Parcel, error) {
	p := &Parcel{Turns: slices.Compact(slices.Sorted(slices.Values(turns)))}
	if len(turns) == 0 {
		var err error
		if p.Turns, err = r.numbers(turnsPrefix); err != nil {
			return nil, trouble(edit.Damaged, "the turns cannot be listed", err)
		}
	}
	seen := map[string]bool{} // trees, with their paths
	files := map[string]bool{}
	var errs []error
	for _, n := range p.Turns {
		t, err := r.read(n, turnRef(n))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if strings.TrimSpace(t.Message) != "" {
			p.Prompts++
		}
		for _, side := range []string{"before", "after"} {
			e, ok, err := object.Lookup(r.db, t.tree, side)
			if err == nil && ok {
				err = r.collect(e.ID, "", seen, files)
			}
			if err != nil {
				errs = append(errs, damaged(n, err))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var err error
	if p.Ignored, err = r.ignored(files); err != nil {
		return nil, err
	}
	p.Clone, err = r.makeCloneID(ctx)
	return p, err
}

// collect gathers the paths below a tree. Most trees are those of the turn
// before, and are looked at once.
func (r *Repo) collect(id object.ID, prefix string, seen, files map[string]bool) error {
	if key := id.String() + prefix; seen[key] {
		return nil
	} else {
		seen[key] = true
	}
	entries, err := object.ReadTree(r.db, id)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Mode.IsDir() {
			files[prefix+e.Name] = true
		} else if err := r.collect(e.ID, prefix+e.Name+"/", seen, files); err != nil {
			return err
		}
	}
	return nil
}

// ignored are those of the paths that git ignores and does not track.
func (r *Repo) ignored(files map[string]bool) (paths []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	var in bytes.Buffer
	for p := range files {
		in.WriteString(p + "\x00")
	}
	out, err := r.History().run(in.Bytes(), "check-ignore", "-z", "--stdin")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil, nil
	}
	for p := range bytes.SplitSeq(out, []byte{0}) {
		if len(p) > 0 {
			paths = append(paths, string(p))
		}
	}
	slices.Sort(paths)
	return paths, err
}

// Send pushes turns to where another repository keeps those of this clone; what
// is there under the same name is never replaced. It returns the numbers of those
// that are new there. stderr gets what git says.
func (r *Repo) Send(ctx context.Context, remote string, p *Parcel, stderr io.Writer) (sent []int, err error) {
	if len(p.Turns) == 0 {
		return nil, nil
	}
	args := []string{"-c", "push.followTags=false", "push", "--porcelain", "--no-recurse-submodules", "--", remote}
	for _, n := range p.Turns {
		args = append(args, turnRef(n)+":"+clonesPrefix+p.Clone+"/"+strconv.Itoa(n))
	}
	out, err := r.asUser(ctx, stderr, args...)
	refused := 0
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			continue
		}
		_, to, _ := strings.Cut(f[1], ":")
		_, n, ok := parseClone(to)
		switch {
		case !ok:
		case f[0] == "*":
			sent = append(sent, n)
		case f[0] == "!":
			refused++
		}
	}
	if err != nil && refused > 0 {
		err = &edit.Error{Code: Remote, Msg: fmt.Sprintf("%s took %d of %d turns; what is there under the same name is never replaced", edit.Quote(remote), len(sent), len(p.Turns)), Err: err}
	}
	return sent, err
}

// Fetch brings the turns of all other clones that another repository has, and
// returns how many are new here.
func (r *Repo) Fetch(ctx context.Context, remote string, stderr io.Writer) (fetched []string, err error) {
	out, err := r.asUser(ctx, stderr, "ls-remote", "--refs", "--", remote, clonesPrefix+"*")
	if err != nil {
		return nil, err
	}
	own := r.History().CloneID()
	args := []string{"-c", "gc.auto=0", "-c", "maintenance.auto=false", "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--", remote}
	for _, name := range parseListed(string(out)) {
		clone, n, _ := parseClone(name)
		if clone == own {
			continue
		}
		if _, err := r.refs.Read(name); err == nil {
			continue // never moved
		}
		args = append(args, name+":"+name)
		fetched = append(fetched, clone+"/"+strconv.Itoa(n))
	}
	if len(fetched) == 0 {
		return nil, nil
	}
	if _, err := r.asUser(ctx, stderr, args...); err != nil {
		return nil, err
	}
	return fetched, nil
}

// parseListed reads "ID TAB REF" a line, and keeps the turns of clones.
func parseListed(out string) (names []string) {
	for line := range strings.Lines(out) {
		_, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if _, _, isTurn := parseClone(name); ok && isTurn {
			names = append(names, name)
		}
	}
	return names
}

// parseClone takes the name of another clone's turn apart. A name that we would
// not give is none.
func parseClone(name string) (clone string, n int, ok bool) {
	rest, ok := strings.CutPrefix(name, clonesPrefix)
	clone, digits, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(digits)
	if !ok || !isCloneID(clone) || err != nil || n < 1 || strconv.Itoa(n) != digits {
		return "", 0, false
	}
	return clone, n, true
}

// asUser runs git as the user would, for another repository.
func (r *Repo) asUser(ctx context.Context, stderr io.Writer, args ...string) ([]byte, error) {
	cmd := r.layout.UserCommand(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, stderr
	if err := cmd.Start(); err != nil {
		return nil, &edit.Error{Code: Remote, Msg: "git cannot be started", Err: err}
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); err != nil {
		return out.Bytes(), &edit.Error{Code: Remote, Msg: "git " + args[slices.IndexFunc(args, func(a string) bool { return a == "push" || a == "fetch" || a == "ls-remote" })] + " ended with an error, which it told above", Err: err}
	}
	return out.Bytes(), nil
}
