package gitops

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/snapshot"
)

// exposed are notes about captured files that others may not read although they
// may read the repository, which now keeps a copy. They are told once in the
// repository's life.
func (r *Repo) exposed(f *snapshot.Facts) (notes []edit.Note) {
	told := filepath.Join(r.sharedDir(), "exposed")
	if _, err := os.Lstat(told); err == nil {
		return nil
	}
	readers := r.readers()
	note := func(path, what string) {
		notes = append(notes, edit.Note{Code: "exposed", Path: path, Msg: what +
			" now lies in the repository, too, which others may read although they may not read it here; snapshot.exclude keeps a path out, chmod -R go-rwx .git keeps others out"})
	}
	for class, mode := range f.Usual {
		if class != snapshot.Directory && readers&^(mode.Perm()>>2) != 0 {
			note("", fmt.Sprintf("all that has the permissions %04o", uint32(mode.Perm())))
		}
	}
	for _, m := range f.Modes {
		can, what := m.Mode.Perm()>>2, "its content"
		if strings.HasSuffix(m.Path, "/") {
			can, what = m.Mode.Perm(), "what it holds"
		}
		if readers&^can != 0 {
			note(m.Path, what)
		}
	}
	if len(notes) > 0 && r.layout.Perm().MkdirAll(r.sharedDir(), r.opt.NoSync) == nil {
		_ = r.replace(told, nil) // else it is told again
	}
	return notes
}

// readers are the classes, group (0o010) and others (0o001), that may enter the
// directories that hold the objects, as far as modes tell.
func (r *Repo) readers() fs.FileMode {
	readers := fs.FileMode(0o011)
	dirs := []string{r.layout.CommonDir, filepath.Join(r.layout.CommonDir, "objects")}
	if strings.HasPrefix(r.layout.CommonDir, r.layout.Top+string(filepath.Separator)) {
		dirs = append(dirs, r.layout.Top)
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return 0
		}
		readers &= info.Mode().Perm()
	}
	return readers
}
