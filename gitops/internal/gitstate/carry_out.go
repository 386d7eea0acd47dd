package gitstate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// CarryOut takes git's own state back, after the files: branches and tags in
// one transaction, the stashes, HEAD, the index. What fails is reported, and what comes
// after it is not tried. The reflogs get what as their message.
//
// The error says what was not taken back. Its code is Stale if the stashes, HEAD or
// the index became others since the plan was made, Locked if somebody holds git's
// lock on the index, else mostly CommitFailed.
func (p *Plan) CarryOut(what string) error {
	st := p.st
	st.Step("git refs")
	if err := p.updateRefs(what); err != nil {
		return notDone("branches, stashes, HEAD and index were", err)
	}
	st.Step("git stash")
	if err := st.updateStash(p.stashNow, p.stash, what); err != nil {
		return notDone("the stashes, HEAD and the index were", err)
	}
	st.Step("git head")
	if err := st.moveHead(p.headNow, p.head, what); err != nil {
		return notDone("HEAD and index were", err)
	}
	st.Step("git index")
	if err := st.restoreIndex(p.indexChanges()); err != nil {
		return notDone("the index was", err)
	}
	st.Step("git done")
	return nil
}

// notDone says which part of git's state was not taken back.
func notDone(what string, err error) error {
	code := edit.CommitFailed
	var known *edit.Error
	if errors.As(err, &known) {
		code = known.Code
	}
	return &edit.Error{Code: code, Err: err, Msg: what + " not taken back, the files were; the same command tries again"}
}

// run runs a git command with input.
func run(cmd *exec.Cmd, input string) error {
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("git %s: %w: %s", subcommand(cmd), err, bytes.TrimSpace(out))
	}
	return nil
}

func subcommand(cmd *exec.Cmd) string {
	for i := 1; i < len(cmd.Args); i++ {
		if cmd.Args[i] != "-c" {
			return cmd.Args[i]
		}
		i++
	}
	return ""
}

// logged is a git command that writes reflogs.
func (st *State) logged(args ...string) *exec.Cmd {
	return st.Layout.Command(append([]string{"-c", "core.logAllRefUpdates=true"}, args...)...)
}

// updateRefs moves refs from what they are to what they shall be: all, or none if
// one is no longer what it was.
func (p *Plan) updateRefs(what string) error {
	var in strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.moved())) {
		switch was, to := p.now[name], p.refs[name]; {
		case to == "":
			fmt.Fprintf(&in, "delete %s\x00%s\x00", name, was)
		case was == "":
			fmt.Fprintf(&in, "create %s\x00%s\x00", name, to)
		default:
			fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", name, to, was)
		}
	}
	if in.Len() == 0 {
		return nil
	}
	return run(p.st.logged("update-ref", "-m", what, "--stdin", "-z"), in.String())
}

// moveHead brings HEAD to a branch or, detached, to a commit, if it is still where
// it was.
func (st *State) moveHead(now, will Head, what string) error {
	if now.at() == will.at() {
		return nil
	}
	if at, err := st.Head(); err != nil {
		return err
	} else if at.at() != now.at() {
		return &edit.Error{Code: edit.Stale, Msg: "HEAD moved meanwhile, it is at " + at.Short()}
	}
	if will.Ref != "" {
		return run(st.logged("symbolic-ref", "-m", what, "HEAD", will.Ref), "")
	}
	return run(st.logged("update-ref", "--no-deref", "-m", what, "HEAD", will.OID), "")
}

// restoreIndex sets index entries, all or none. git takes the lock; what stands in
// the index is compared while it holds it.
func (st *State) restoreIndex(changes []indexChange) error {
	if len(changes) == 0 {
		return nil
	}
	if lock := st.Layout.IndexLock(); lock != "" {
		return &edit.Error{Code: edit.Locked, Msg: "the index is locked: " + lock + " is there"}
	}
	cmd := st.Layout.Command("update-index", "-z", "--index-info")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	flags, err := st.feedIndex(in, changes, ended)
	in.Close()
	if end := <-ended; err == nil && end != nil {
		err = fmt.Errorf("git update-index: %w: %s", end, bytes.TrimSpace(stderr.Bytes()))
	}
	if err != nil {
		return err
	}
	for flag, paths := range flags {
		if err := run(st.Layout.Command("update-index", flag, "-z", "--stdin"), paths); err != nil {
			return err
		}
	}
	return nil
}

// indexLockWait is how long git may take to start and to lock the index.
const indexLockWait = 5 * time.Second

// feedIndex tells a waiting git what to set, and returns by option the paths whose
// flags must be set again. It tells nothing unless all entries are what they
// were.
func (st *State) feedIndex(in io.Writer, changes []indexChange, ended chan error) (flags map[string]string, err error) {
	for start := time.Now(); st.Layout.IndexLock() == ""; time.Sleep(time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err // for the caller
			return nil, nil
		default:
		}
		if time.Since(start) > indexLockWait {
			return nil, &edit.Error{Code: edit.Locked, Msg: "git did not lock the index in time"}
		}
	}
	wanted := map[string]bool{}
	for _, c := range changes {
		wanted[c.path] = true
	}
	now, sparse, err := st.indexNow(wanted)
	if err != nil {
		return nil, err
	}
	flags = map[string]string{}
	var text strings.Builder
	for _, c := range changes {
		if !now[c.path].equal(c.before) {
			return nil, &edit.Error{Code: edit.Stale, Path: c.path, Msg: "its index entry changed meanwhile"}
		}
		// Mode 0 takes all entries of a path away: stages do not replace one another.
		fmt.Fprintf(&text, "0 %s\t%s\x00", object.ID{}, c.path)
	}
	for _, c := range changes {
		for _, e := range c.after {
			if e.IntentToAdd {
				continue // has no content that could be set
			}
			fmt.Fprintf(&text, "%o %s %d\t%s\x00", e.Mode, e.ID, e.Stage, c.path)
			if e.AssumeUnchanged {
				flags["--assume-unchanged"] += c.path + "\x00"
			}
			if e.SkipWorktree || e.Stage == 0 && sparse[c.path] {
				flags["--skip-worktree"] += c.path + "\x00"
			}
		}
	}
	_, err = io.WriteString(in, text.String())
	return flags, err
}

// indexNow reads the entries of some paths, and which of them a sparse checkout
// leaves out.
func (st *State) indexNow(wanted map[string]bool) (now map[string]indexPath, sparse map[string]bool, err error) {
	x, err := st.Layout.Index()
	if err != nil {
		return nil, nil, &edit.Error{Code: edit.Unreadable, Msg: "the index cannot be read", Err: err}
	}
	defer x.Close()
	now, sparse = map[string]indexPath{}, map[string]bool{}
	isSparse := st.Layout.Sparse()
	for e := range x.All() {
		if wanted[e.Path] {
			now[e.Path] = append(now[e.Path], recordable(e, isSparse))
			sparse[e.Path] = e.SkipWorktree && isSparse
		}
	}
	return now, sparse, nil
}
