package gitops

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// A pendingGit names a rewind whose part in git's state may not be done.
type pendingGit struct {
	Turn   int    `json:"turn"`
	Undoes []int  `json:"undoes"`
	With   string `json:"command"` // what does the rest
}

func (r *Repo) pendingName() string { return filepath.Join(r.stateDir(), "git-part.json") }

func (r *Repo) isPending() bool {
	_, err := os.Lstat(r.pendingName())
	return err == nil
}

// pend notes durably, before the first file changes, that git's part comes after
// the files.
func (r *Repo) pend(t *Turn, with string) error {
	data, err := json.Marshal(pendingGit{t.N, t.Undoes, with})
	if err == nil {
		err = r.writeFile(r.pendingName(), append(data, '\n'))
	}
	if err != nil {
		return unrecorded(err)
	}
	return nil
}

// unpend forgets it.
func (r *Repo) unpend() error {
	if err := os.Remove(r.pendingName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return trouble(edit.CommitFailed, "a file in the git directory cannot be removed", err)
	}
	return nil
}

// namePending says what is missing of a rewind that died, or failed, between the
// files and git's state. Once nothing of it is as that rewind found it, nobody
// waits for it any more.
func (r *Repo) namePending() error {
	data, err := os.ReadFile(r.pendingName())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var p pendingGit
	if err != nil || json.Unmarshal(data, &p) != nil {
		return r.unpend() // cut short: then no file had changed
	}
	t, err := r.Turn(p.Turn)
	if errors.Is(err, &edit.Error{Code: edit.NoTurn}) {
		return r.unpend() // rolled back
	}
	if err != nil {
		return err
	}
	missing, err := r.missing(t)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		return r.unpend()
	}
	r.opt.Repaired(fmt.Sprintf("turn %d took back the files of turn %s, but not %s; %s does", t.N, numbersOf(t.Undoes), strings.Join(missing, ", "), p.With))
	return nil
}

// missing names what is as a rewind found it and should be as it recorded it.
func (r *Repo) missing(t *Turn) (list []string, err error) {
	refs, err := r.userRefs()
	if err != nil {
		return nil, err
	}
	for _, x := range t.meta.Git.Refs {
		if refs[x.Name] == x.Before {
			list = append(list, shortRef(x.Name))
		}
	}
	if m := t.meta.Git.Stash; m != nil {
		now, err := r.stashes()
		if err != nil {
			return nil, err
		}
		if m.between(now) && !sameStashes(now, m.After) {
			list = append(list, "the stashes")
		}
	}
	head, err := r.head()
	if err != nil {
		return nil, err
	}
	if was, will := t.meta.Head.Before, t.meta.Head.After; was.at() != will.at() && head.at() == was.at() {
		list = append(list, "HEAD")
	}
	if t.meta.Git.Index != indexChanged {
		return list, nil
	}
	changes, err := r.indexChanges(t)
	if err != nil {
		return nil, damaged(t.N, err)
	}
	wanted := map[string]bool{}
	for _, c := range changes {
		wanted[c.path] = true
	}
	now, _, err := r.indexNow(wanted)
	if slices.ContainsFunc(changes, func(c indexChange) bool { return now[c.path].equal(c.before) && !c.before.equal(c.after) }) {
		list = append(list, "the index")
	}
	return list, err
}
