package gitops

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/durable"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/snapshot"
)

// An Initial is what the first capture of a worktree found.
type Initial struct {
	Files       int   // that are covered
	Read        int   // of these the ones that had to be read: 0 if nothing is new
	ReadBytes   int64 // their size
	StoredBytes int64 // what they take in the repository
	// Uncovered are the paths that were found and not stored, with the reason as
	// [Turn.Uncovered] has it, and beyond it "ignored" (with "/" behind
	// directories, which are not looked into), "nested" and "submodule" for
	// repositories below, whose files are covered and whose .git is not, and
	// "linked-rules" for directories whose .gitignore is a link, which is not read.
	Uncovered []edit.Note
	// Notes say what else a person should know: among others which covered files
	// others may not read, while they may read the repository (code "exposed").
	Notes []edit.Note
}

// Init captures the whole worktree ahead of the first turn, whatever has to be
// read for it, so that the first turn begins quickly. It leaves no turn and no
// ref, and git ignores the writer's temporary files from then on. It is never
// required.
//
// Errors: as those of [Repo.Begin].
func (r *Repo) Init(ctx context.Context) (*Initial, error) {
	if err := r.mayCapture(); err != nil {
		return nil, err
	}
	cover, err := r.covered()
	if err != nil {
		return nil, err
	}
	cover.MaxNew = -1
	r.Cover(cover)
	unlock, err := r.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	c, err := r.capture(ctx, nil, false)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.batch.Flush(); err != nil {
		return nil, unrecorded(err)
	}
	linked, err := r.excludeTemporaries()
	if err != nil {
		return nil, err
	}
	if err := r.saveCache(c, "", object.ID{}); err != nil {
		return nil, trouble(edit.CommitFailed, "what was found cannot be noted in the git directory", err)
	}
	first := &Initial{Files: c.Files, Read: c.Read, ReadBytes: c.Bytes, StoredBytes: c.batch.Stats().Bytes}
	facts := c.Facts(nil, nil)
	first.Uncovered = r.leftOut(facts)
	first.Notes = append(linked, r.exposed(facts)...)
	return first, nil
}

// leftOut lists what a capture does not cover.
func (r *Repo) leftOut(f *snapshot.Facts) (list []edit.Note) {
	add := func(path, why string) { list = append(list, edit.Note{Code: "not-covered", Path: path, Msg: why}) }
	for _, s := range f.Skipped {
		add(s.Path, s.Why)
	}
	for _, p := range f.Incomplete {
		add(p, "incomplete")
	}
	for _, p := range f.Ignored {
		add(p, "ignored")
	}
	for _, p := range f.Nested {
		why := "nested"
		if r.nestedKind(p) == "submodule" {
			why = "submodule"
		}
		add(p, why)
	}
	for _, p := range f.LinkedRules {
		add(path.Join(p, ".gitignore"), "linked-rules")
	}
	return list
}

// temporaries is the pattern of the writer's temporary files.
const temporaries = ".chordgit-*.tmp"

// excludeTemporaries puts the writer's temporary files into info/exclude, once,
// so that a `git add -A` beside a transaction stages none. Where that file is a
// link its target is somebody's own, in no repository or in many: it is left
// alone, and a note says which line it lacks.
func (r *Repo) excludeTemporaries() ([]edit.Note, error) {
	name := filepath.Join(r.layout.CommonDir, "info", "exclude")
	old, err := os.ReadFile(name)
	failed := func(err error) error {
		return &edit.Error{Code: edit.CommitFailed, Msg: edit.Quote(name) + " cannot be changed; add the line " + temporaries + " to it", Err: err}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failed(err)
	}
	for line := range bytes.Lines(old) {
		if string(bytes.TrimRight(line, "\r\n")) == temporaries {
			return nil, nil
		}
	}
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return []edit.Note{{Code: "exclude-linked", Msg: "info/exclude of the repository is a link, which is left alone: add the line " + temporaries + " to what it names"}}, nil
	}
	if err := r.layout.Perm().MkdirAll(filepath.Dir(name), r.opt.NoSync); err != nil {
		return nil, failed(err)
	}
	text := bytes.Clone(old)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	if err := r.replace(name, append(text, temporaries+"\n"...)); err != nil {
		return nil, failed(err)
	}
	return nil, nil
}

// temporaryOfInfo begins the name of a temporary file in a directory that is not
// chordgit's own.
const temporaryOfInfo = "tmp_chordgit_"

// replace writes a file of the git directory by rename. One that was there keeps
// its permissions.
func (r *Repo) replace(name string, data []byte) error {
	const mode = 0o666 // less the umask
	perm := r.layout.Perm()
	f, err := durable.CreateTemp(filepath.Dir(name), temporaryOfInfo, mode, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		if info, err2 := os.Stat(name); err2 == nil {
			err = f.Chmod(info.Mode().Perm())
		}
	}
	if err == nil && !r.opt.NoSync {
		err = f.Sync()
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	return durable.Place(f, name, mode, perm, r.opt.NoSync)
}
