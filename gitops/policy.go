package gitops

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

// HeadFile returns the content of a file in the commit that HEAD names, at most
// limit bytes of it, and nil if there is no such file or no commit yet. What
// stands there and is no regular file is an error.
func (r *Repo) HeadFile(name string, limit int64) ([]byte, error) {
	head, err := r.git().Head()
	if err != nil || head.OID == "" {
		return nil, err
	}
	id, ok := object.ParseID(head.OID)
	if !ok {
		return nil, &edit.Error{Code: edit.Damaged, Msg: "HEAD is no object id: " + head.OID}
	}
	data, err := r.fileIn(id, name, limit)
	if err != nil {
		return nil, trouble(edit.Damaged, "HEAD:"+name+" cannot be read", err)
	}
	return data, nil
}

// fileIn reads a regular file of a commit.
func (r *Repo) fileIn(commit object.ID, name string, limit int64) ([]byte, error) {
	root, err := object.PeelToTree(r.db, commit)
	if err != nil {
		return nil, err
	}
	return r.fileOf(root, name, limit)
}

// fileOf reads a regular file of a tree.
func (r *Repo) fileOf(root object.ID, name string, limit int64) ([]byte, error) {
	entry, found, err := object.Lookup(r.db, root, name)
	switch {
	case err != nil || !found:
		return nil, err
	case entry.Mode != object.File && entry.Mode != object.Executable:
		return nil, errors.New("it is not a regular file")
	}
	if _, size, err := r.db.Stat(entry.ID); err != nil {
		return nil, err
	} else if size > limit {
		return make([]byte, limit), nil // whoever reads so much refuses it
	}
	data, err := r.db.ReadAs(object.Blob, entry.ID)
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}

// FoldCase reports whether the repository says that letter case does not tell
// files apart (core.ignoreCase).
func (r *Repo) FoldCase() bool { return r.layout.Config.IgnoreCase }

// HooksPath is the directory that the repository's core.hooksPath names,
// relative to the worktree's root with slashes; empty if there is none inside.
func (r *Repo) HooksPath() string {
	dir := r.layout.Config.HooksPath
	if dir == "" {
		return ""
	}
	if filepath.IsAbs(dir) {
		var err error
		if dir, err = filepath.Rel(r.layout.Top, dir); err != nil {
			return ""
		}
	}
	dir = path.Clean(filepath.ToSlash(dir))
	if dir == "." || dir == ".." || strings.HasPrefix(dir, "../") {
		return ""
	}
	return dir
}

// HooksDir is the directory, absolute, in which git looks for hooks.
func (r *Repo) HooksDir() string {
	switch dir := r.layout.Config.HooksPath; {
	case dir == "":
		return filepath.Join(r.layout.CommonDir, "hooks")
	case filepath.IsAbs(dir):
		return dir
	default:
		return filepath.Join(r.layout.Top, dir)
	}
}

// GitDirs are the worktree's git directory and the one that all worktrees share,
// absolute with slashes.
func (r *Repo) GitDirs() []string {
	return []string{filepath.ToSlash(r.layout.GitDir), filepath.ToSlash(r.layout.CommonDir)}
}

// Gitlinks are the paths of the submodules in the index.
func (r *Repo) Gitlinks() (paths []string, err error) {
	if paths, err = r.layout.Gitlinks(); err != nil {
		return nil, trouble(edit.Unreadable, "the index cannot be read", err)
	}
	return paths, nil
}

// Walk visits every file and link below a directory of the worktree, on disk or
// tracked, each once; of a git directory only its own name. It ends with the
// first error of visit, and returns it.
func (r *Repo) Walk(dir string, visit func(path string) error) error {
	seen := map[string]bool{}
	if err := r.walkDisk(dir, func(p string) error {
		seen[p] = true
		return visit(p)
	}); err != nil {
		return err
	}
	index, err := r.layout.Index()
	if err != nil {
		return trouble(edit.Unreadable, "the index cannot be read", err)
	}
	var tracked []string
	for e := range index.All() {
		if strings.HasPrefix(e.Path, dir+"/") && !seen[e.Path] && !e.Gitlink() {
			tracked = append(tracked, e.Path)
		}
	}
	index.Close()
	for _, p := range slices.Compact(tracked) { // stages of one path follow each other
		if err := visit(p); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) walkDisk(dir string, visit func(path string) error) error {
	names, err := r.tree.List(dir)
	if err != nil {
		return &edit.Error{Code: edit.Unreadable, Path: dir, Err: err}
	}
	for _, name := range names {
		p := path.Join(dir, name)
		f, err := r.tree.Reach(p)
		if err != nil {
			return &edit.Error{Code: edit.Unreadable, Path: p, Err: err}
		}
		if f.IsDir() && !edit.IsGitDir(name) {
			err = r.walkDisk(p, visit)
		} else if f != nil {
			err = visit(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CommandDir is where a directory of the system lies below the worktree's root,
// with slashes.
func (r *Repo) CommandDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", &edit.Error{Code: edit.Unreadable, Msg: "the current directory cannot be read", Err: err}
	}
	rel, err := filepath.Rel(r.layout.Top, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf("%s is not below the worktree's root", edit.Quote(abs))}
	}
	return filepath.ToSlash(rel), nil
}
