package gitops

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	missing, err := r.git().Missing(t.gitPart())
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		return r.unpend()
	}
	r.opt.Repaired(fmt.Sprintf("turn %d took back the files of turn %s, but not %s; %s does", t.N, numbersOf(t.Undoes), strings.Join(missing, ", "), p.With))
	return nil
}

func numbersOf(list []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}
