package ref

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// A Program is a Store that lets the git program do the work, for repositories
// whose refs are not files: reftable. Its operations have the contract of
// Store's. Each starts a process or two.
type Program struct {
	Format  object.Format // of the ids; the zero value is SHA-1
	Command func(args ...string) *exec.Cmd
	NoSync  bool
}

// Head reads HEAD.
func (p *Program) Head() (Head, error) {
	out, _, err := p.run(nil, "", "symbolic-ref", "-q", "HEAD")
	if err == nil {
		target := strings.TrimSuffix(out, "\n")
		if !validName(target) {
			return Head{}, named("HEAD", ErrBroken)
		}
		id, err := p.Read(target)
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return Head{Ref: target, ID: id}, err
	}
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		return Head{}, named("HEAD", err)
	}
	if out, _, err = p.run(nil, "", "rev-parse", "-q", "--verify", "HEAD"); err != nil {
		return Head{}, named("HEAD", err)
	}
	id, ok := object.ParseID(strings.TrimSuffix(out, "\n"))
	if !ok || id.Format() != p.Format {
		return Head{}, named("HEAD", ErrBroken)
	}
	return Head{ID: id}, nil
}

// Read returns the object that a ref below refs/ stands for, through symbolic
// refs.
func (p *Program) Read(name string) (object.ID, error) {
	r, _, err := p.lookup(name)
	return r.ID, err
}

// lookup is Read, and tells whether the ref is a symbolic one.
func (p *Program) lookup(name string) (r Ref, symbolic bool, err error) {
	if !ValidName(name) {
		return Ref{}, false, fmt.Errorf("%q: %w", name, ErrName)
	}
	found, err := p.list(name)
	if err != nil {
		return Ref{}, false, named(name, err)
	}
	i := slices.IndexFunc(found.refs, func(r Ref) bool { return r.Name == name })
	switch {
	case i >= 0:
		return found.refs[i], found.symbolic[name], nil
	case found.broken[name]:
		return Ref{}, false, named(name, ErrBroken)
	}
	return Ref{}, false, named(name, ErrNotFound)
}

// List returns the refs whose names begin with prefix, sorted by name.
// Symbolic refs stand for their object; broken ones are left out.
func (p *Program) List(prefix string) ([]Ref, error) {
	// git matches whole components.
	found, err := p.list(prefix[:strings.LastIndexByte(prefix, '/')+1])
	return slices.DeleteFunc(found.refs, func(r Ref) bool { return !strings.HasPrefix(r.Name, prefix) }), err
}

type listed struct {
	refs             []Ref
	symbolic, broken map[string]bool
}

// list asks for the ref of a name and for those below it.
func (p *Program) list(below string) (listed, error) {
	found := listed{symbolic: map[string]bool{}, broken: map[string]bool{}}
	out, said, err := p.run(nil, "", "for-each-ref", "--sort=refname", "--format=%(objectname) %(refname) %(symref)", "--", below)
	if err != nil {
		return listed{}, err
	}
	for line := range strings.Lines(out) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		id, ok := object.ParseID(words[0])
		if !ok || len(words) != 3 || id.Format() != p.Format {
			return listed{}, fmt.Errorf("git for-each-ref: unexpected line %q", line)
		}
		if words[2] != "" {
			found.symbolic[words[1]] = true
		}
		found.refs = append(found.refs, Ref{Name: words[1], ID: id})
	}
	for line := range strings.Lines(said) { // about others, too
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "warning: ignoring broken ref ")
		if ok && (name == below || strings.HasPrefix(name, strings.TrimSuffix(below, "/")+"/")) {
			found.broken[name] = true
		}
	}
	return found, nil
}

// Log reads the reflog of a ref, oldest entry first. The entries have no Old.
func (p *Program) Log(name string) ([]LogEntry, error) {
	if _, err := p.Read(name); errors.Is(err, ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	out, _, err := p.run([]string{"-c", "log.showSignature=false"}, "", "reflog", "show", "-z", "--format=%H%x00%gs", name, "--")
	if err != nil {
		return nil, named(name, err)
	}
	var entries []LogEntry
	words := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		id, ok := object.ParseID(words[i])
		if !ok || id.Format() != p.Format {
			return nil, named(name, fmt.Errorf("git reflog: unexpected entry %q", words[i]))
		}
		entries = append(entries, LogEntry{New: id, Message: words[i+1]})
	}
	slices.Reverse(entries)
	return entries, nil
}

// Create gives birth to a ref. ErrExists and ErrLocked mean that nothing was
// changed.
func (p *Program) Create(name string, id object.ID) error {
	if !ValidName(name) || id.IsZero() {
		return fmt.Errorf("%q: %w", name, ErrName)
	}
	if id.Format() != p.Format {
		return named(name, &object.Error{ID: id, Err: object.ErrFormat})
	}
	return named(name, p.update("create "+name+"\x00"+id.String()+"\x00", func() error {
		taken, err := p.taken(name)
		if err == nil && taken {
			err = ErrExists
		}
		return err
	}))
}

// taken reports whether a ref has this name or one that excludes it: a name is
// a ref or a directory.
func (p *Program) taken(name string) (bool, error) {
	found, err := p.list(name)
	if err != nil || len(found.refs)+len(found.broken) > 0 {
		return true, err
	}
	for i := len("refs/"); i < len(name); i++ {
		if name[i] != '/' {
			continue
		}
		if _, err := p.Read(name[:i]); err == nil || errors.Is(err, ErrBroken) {
			return true, nil
		} else if !errors.Is(err, ErrNotFound) {
			return false, err
		}
	}
	return false, nil
}

// Remove takes a ref away if it still names this object.
func (p *Program) Remove(name string, id object.ID) error {
	still := func() error {
		switch r, symbolic, err := p.lookup(name); {
		case err != nil:
			return err
		case symbolic || r.ID != id:
			return named(name, ErrChanged)
		}
		return nil
	}
	if err := still(); err != nil {
		return err
	}
	return named(name, p.update("delete "+name+"\x00"+id.String()+"\x00", still))
}

// RemoveLocks does nothing: git's own locks are the only ones, of all refs
// together, and whether the process that holds them died is not to be known.
func (p *Program) RemoveLocks() ([]string, error) { return nil, nil }

// locked are parts of what git says if another process holds a lock, of one
// ref or of a whole reftable.
var locked = [...]string{"File exists", "cannot lock references", "data is locked", "data concurrently modified"}

// update carries out one instruction of update-ref, without following symbolic
// refs. Where git refuses it, why tells the reason from what is there; a lock
// that another process holds is waited for.
func (p *Program) update(instruction string, why func() error) error {
	var options []string
	if !p.NoSync {
		options = []string{"-c", "core.fsync=reference", "-c", "core.fsyncMethod=fsync"}
	}
	for deadline := time.Now().Add(lockWait); ; time.Sleep(lockPause) {
		_, _, err := p.run(options, "option no-deref\x00"+instruction, "update-ref", "-z", "--stdin")
		if err == nil {
			return nil
		}
		if reason := why(); reason != nil {
			return reason
		}
		if !slices.ContainsFunc(locked[:], func(part string) bool { return strings.Contains(err.Error(), part) }) {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: %w", ErrLocked, err)
		}
	}
}

// run runs a git command and returns what it prints and what it warns of. An
// error has what the command said.
func (p *Program) run(options []string, stdin, command string, args ...string) (stdout, stderr string, err error) {
	cmd := p.Command(append(append(options, command), args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch text := strings.Join(strings.Fields(said.String()), " "); {
	case err == nil:
		return string(out), said.String(), nil
	case text == "":
		return "", "", fmt.Errorf("git %s: %w", command, err)
	default:
		return "", "", fmt.Errorf("git %s: %w: %q", command, err, text)
	}
}
