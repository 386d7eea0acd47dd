package gitstate

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/ref"
)

// unkept lists what a ref named at the start of a turn that no ref reaches and no
// reflog names at its end: the tip of a branch that was deleted, a dropped
// stash.
func (st *State) unkept(start *Start, m *Record) (lost []object.ID, err error) {
	names := map[string][]string{} // what was named, and the refs whose logs come first
	for _, x := range m.Refs {
		if x.Before != "" {
			names[x.Before] = append(names[x.Before], x.Name)
		}
	}
	if m.Stash != nil {
		for _, s := range m.Stash.Went() {
			names[s.ID] = append(names[s.ID], StashRef)
		}
	}
	if start.Head.Ref == "" {
		names[start.Head.OID] = append(names[start.Head.OID], "HEAD")
	}
	for named, refs := range names {
		id, ok := object.ParseID(named)
		if !ok || id.IsZero() {
			continue
		}
		kept, err := st.Kept(id, refs...)
		if err != nil {
			return nil, err
		}
		if !kept {
			lost = append(lost, id)
		}
	}
	slices.SortFunc(lost, object.ID.Compare)
	return lost, nil
}

// Kept reports whether a ref that is not ours reaches an object, or a reflog names
// it, so that git keeps it by itself. The cheap places are asked first: the reflogs
// of HEAD and of the refs that are known to have named it. Errors: Damaged if the
// refs, Unreadable if a reflog cannot be read.
func (st *State) Kept(id object.ID, first ...string) (bool, error) {
	for _, name := range append(first, "HEAD") {
		file := ref.LogFile(st.Layout.GitDir, st.Layout.CommonDir, name)
		if named, err := logNames(file, id); named || err != nil {
			return named, err
		}
	}
	users, err := st.UserRefs()
	if err != nil {
		return false, err
	}
	list, err := st.stashes()
	if err != nil || slices.ContainsFunc(list, func(s Stash) bool { return s.ID == id.String() }) {
		return err == nil, err
	}
	for _, at := range users {
		if at == id.String() {
			return true, nil
		}
	}
	if typ, _, err := st.DB.Stat(id); err == nil && typ == object.Commit {
		for _, name := range first {
			if tip, ok := object.ParseID(users[name]); ok && st.near(tip, id) {
				return true, nil
			}
		}
		// Without the program, or with an old one, the commit is kept once too
		// often.
		out, err := st.Layout.Command("for-each-ref", "--format=%(refname)", "--contains="+id.String()).Output()
		for name := range strings.Lines(string(out)) {
			if err == nil && !strings.HasPrefix(name, "refs/chordgit/") {
				return true, nil
			}
		}
	}
	return st.anyLogNames(id)
}

// near reports whether a commit is among the last ones before a tip.
func (st *State) near(tip, id object.ID) bool {
	const most = 64
	seen := map[object.ID]bool{tip: true}
	for queue := []object.ID{tip}; len(queue) > 0 && len(seen) < most; queue = queue[1:] {
		if queue[0] == id {
			return true
		}
		data, err := st.DB.ReadAs(object.Commit, queue[0])
		if err != nil {
			continue
		}
		head, _, _ := bytes.Cut(data, []byte("\n\n"))
		for line := range bytes.Lines(head) {
			word, digits, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
			if parent, ok := object.ParseID(digits); word == "parent" && ok && !seen[parent] {
				seen[parent] = true
				queue = append(queue, parent)
			}
		}
	}
	return seen[id]
}

// logNames reports whether a reflog names an object.
func logNames(file string, id object.ID) (bool, error) {
	entries, _, err := ref.ReadLog(file, ref.LogMark{})
	if err != nil {
		return false, &edit.Error{Code: edit.Unreadable, Msg: "a reflog cannot be read", Err: err}
	}
	return slices.ContainsFunc(entries, func(e ref.LogEntry) bool { return e.Old == id || e.New == id }), nil
}

// anyLogNames looks through the reflogs of all refs and worktrees.
func (st *State) anyLogNames(id object.ID) (named bool, err error) {
	dirs, err := fs.Glob(os.DirFS(st.Layout.CommonDir), "worktrees/*/logs")
	if err != nil {
		return false, err
	}
	for _, dir := range append(dirs, "logs") {
		err := filepath.WalkDir(filepath.Join(st.Layout.CommonDir, dir), func(file string, d fs.DirEntry, err error) error {
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			if named, err = logNames(file, id); named {
				err = fs.SkipAll
			}
			return err
		})
		if named || err != nil {
			return named, err
		}
	}
	return false, nil
}
