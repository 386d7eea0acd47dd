// Package repo finds a git repository and tells what kind it is, reads its
// index, and starts the git program in an environment in which nothing of the
// user's can bend what it does.
//
// It changes nothing. Of the environment's GIT_ variables it reads GIT_INDEX_FILE
// alone, and only where Layout.InHook says so.
package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/durable"
)

var (
	// ErrNotRepository is returned where no directory on the way up holds a
	// repository.
	ErrNotRepository = errors.New("not a git repository")
	// ErrBare is returned for a repository without a worktree.
	ErrBare = errors.New("the repository is bare: it has no files to work on")
	// ErrInGitDir is returned inside a git directory, .git or below it.
	ErrInGitDir = errors.New("inside a git directory, not in a worktree")
	// ErrNeedsGit is returned where only the git program can do something, and
	// there is none.
	ErrNeedsGit = errors.New("needs the git program, and there is none on the PATH")
)

// An UnsupportedError says what a repository has that this package cannot
// serve, and that must not be written without serving it.
type UnsupportedError struct {
	GitDir string
	What   string // "object format md5", "ref storage reftable", …
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s: %s is not supported", e.GitDir, e.What)
}

// A Layout says where the parts of one worktree and its repository are. All
// paths are absolute, with links resolved.
type Layout struct {
	Top       string // root of the worktree
	GitDir    string // .git, or <CommonDir>/worktrees/<id>
	CommonDir string // shared by all linked worktrees
	ID        string // "main", or the name under <CommonDir>/worktrees
	Config    Config

	// InHook keeps the variables by which a git hook is told of a temporary
	// index and object directory; set it in a hook, for its own repository.
	InHook bool
	// Children ends the git programs that run when it ends, and what they started.
	// Nil: they end by themselves.
	Children context.Context

	otherIndex string // read instead of the worktree's own; see WithIndex
}

// WithIndex is the layout with another file as its index, as git's
// GIT_INDEX_FILE has it.
func (l *Layout) WithIndex(name string) *Layout {
	other := *l
	other.otherIndex = name
	return &other
}

// Linked reports whether this is a linked worktree.
func (l *Layout) Linked() bool { return l.GitDir != l.CommonDir }

// Perm returns what new files in the git directory get.
func (l *Layout) Perm() durable.Perm {
	return durable.PermOf(l.CommonDir, l.Config.Shared, l.Config.SharedExact)
}

// Find walks up from dir to the worktree that it lies in. A repository of a
// form that is not known is an *UnsupportedError, one of a form that only the
// git program knows is ErrNeedsGit if there is none; the layout is filled all
// the same.
func Find(dir string) (*Layout, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	for at := dir; ; at = filepath.Dir(at) {
		gitDir, err := dotGit(at)
		switch {
		case err != nil:
			return nil, err
		case gitDir != "":
			return At(gitDir, at)
		case isGitDir(at):
			return nil, insideError(at)
		case filepath.Dir(at) == at:
			return nil, fmt.Errorf("%s: %w", dir, ErrNotRepository)
		}
	}
}

// At returns the layout of a known git directory whose worktree is top, unless
// its configuration names another. A bare repository is ErrBare; its layout is
// filled all the same, with the git directory as Top.
func At(gitDir, top string) (*Layout, error) {
	gitDir, err := filepath.EvalSymlinks(gitDir)
	if err != nil {
		return nil, err
	}
	l := &Layout{Top: top, GitDir: gitDir, ID: "main"}
	if l.CommonDir, err = commonDir(gitDir); err != nil {
		return nil, err
	}
	if l.Linked() {
		l.ID = filepath.Base(gitDir)
	}
	if l.Config, err = readConfig(l.CommonDir, gitDir); err != nil {
		return nil, err
	}
	if l.Config.Bare {
		l.Top = gitDir
		return l, fmt.Errorf("%s: %w", gitDir, ErrBare)
	}
	if w := l.Config.Worktree; w != "" {
		if !filepath.IsAbs(w) {
			w = filepath.Join(gitDir, w)
		}
		if l.Top, err = filepath.EvalSymlinks(w); err != nil {
			return nil, err
		}
	}
	if what := l.Config.unsupported(); what != "" {
		return l, &UnsupportedError{GitDir: gitDir, What: what}
	}
	if l.Config.Reftable() && !HasGit() {
		return l, fmt.Errorf("%s: a repository with its refs in a reftable %w", gitDir, ErrNeedsGit)
	}
	return l, nil
}

// FindHook finds the repository for which git runs a hook in dir. Git says so by
// GIT_DIR, relative to dir, or leaves it to Find. A bare repository is no error.
func FindHook(dir string) (*Layout, error) {
	l, err := findHook(dir)
	if l != nil {
		l.InHook = true
		if errors.Is(err, ErrBare) {
			err = nil
		}
	}
	return l, err
}

func findHook(dir string) (*Layout, error) {
	gitDir := os.Getenv("GIT_DIR")
	if gitDir == "" {
		return Find(dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(dir, gitDir)
	}
	if !isGitDir(gitDir) {
		return nil, fmt.Errorf("%s: %w", gitDir, ErrNotRepository)
	}
	return At(gitDir, dir)
}

// FindAny is Find for what needs no worktree: a bare repository, or the inside
// of a git directory, is no error, and its Top is the git directory.
func FindAny(dir string) (*Layout, error) {
	l, err := Find(dir)
	if !errors.Is(err, ErrBare) && !errors.Is(err, ErrInGitDir) {
		return l, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	for !isGitDir(dir) {
		dir = filepath.Dir(dir)
	}
	if l, err = At(dir, dir); errors.Is(err, ErrBare) {
		err = nil
	}
	return l, err
}

// dotGit returns the git directory that an entry .git of dir is or names, and
// "" if there is none. As for git, a directory .git that is no git directory
// is passed over, a file .git that names none is an error.
func dotGit(dir string) (string, error) {
	name := filepath.Join(dir, ".git")
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return "", nil
	case info.IsDir():
		if isGitDir(name) {
			return name, nil
		}
		return "", nil
	case !info.Mode().IsRegular() || info.Size() > 1<<20:
		return "", nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(string(data), "gitdir: ")
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" {
		return "", fmt.Errorf("%s: %w: the file does not begin with \"gitdir: \"", name, ErrNotRepository)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	if !isGitDir(target) {
		return "", fmt.Errorf("%s: %w: it names %s", name, ErrNotRepository, target)
	}
	return target, nil
}

// isGitDir is git's is_git_directory: a HEAD that looks like one, objects and
// refs.
func isGitDir(dir string) bool {
	head, err := os.Lstat(filepath.Join(dir, "HEAD"))
	if err != nil || head.IsDir() {
		return false
	}
	if head.Mode().IsRegular() {
		data, err := os.ReadFile(filepath.Join(dir, "HEAD"))
		if err != nil || !strings.HasPrefix(string(data), "ref:") && len(data) < 40 {
			return false
		}
	}
	common, err := commonDir(dir)
	if err != nil {
		return false
	}
	return isDir(filepath.Join(common, "objects")) && isDir(filepath.Join(common, "refs"))
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// commonDir reads the file commondir, which linked worktrees have.
func commonDir(gitDir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", err
	}
	common := strings.TrimRight(string(data), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return filepath.EvalSymlinks(common)
}

// insideError tells a bare repository from the inside of a git directory that
// has a worktree.
func insideError(gitDir string) error {
	common, err := commonDir(gitDir)
	if err != nil {
		return err
	}
	config, err := readConfig(common, common)
	if err != nil {
		return err
	}
	if config.Bare && common == gitDir {
		return fmt.Errorf("%s: %w", gitDir, ErrBare)
	}
	return fmt.Errorf("%s: %w", gitDir, ErrInGitDir)
}

// InProgress names the operation of git that waits to be finished in this
// worktree: "merge", "rebase", "am", "cherry-pick", "revert", or "".
func (l *Layout) InProgress() string {
	for _, m := range [...]struct{ name, operation string }{
		{"rebase-merge", "rebase"},
		{"rebase-apply/applying", "am"},
		{"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
	} {
		if _, err := os.Lstat(filepath.Join(l.GitDir, filepath.FromSlash(m.name))); err == nil {
			return m.operation
		}
		// In a reftable are all that git takes for refs, which MERGE_HEAD is not.
		isRef := m.name == "CHERRY_PICK_HEAD" || m.name == "REVERT_HEAD"
		if isRef && l.Config.Reftable() && l.Command("rev-parse", "-q", "--verify", m.name).Run() == nil {
			return m.operation
		}
	}
	return ""
}

// Operation is InProgress, and "bisect" while a bisection runs, which leaves
// index and files alone.
func (l *Layout) Operation() string {
	if op := l.InProgress(); op != "" {
		return op
	}
	if _, err := os.Lstat(filepath.Join(l.GitDir, "BISECT_LOG")); err == nil {
		return "bisect"
	}
	return ""
}
