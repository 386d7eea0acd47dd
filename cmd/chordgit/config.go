package main

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

// settings are the values in force in a worktree: what the flags say, then the
// repository's file, then the user's. An invalid file is an error, never an
// empty one. repo is nil outside a worktree.
func (a *app) settings(repo *gitops.Repo, flags *hooks.Config) (hooks.Settings, error) {
	files, err := a.layers(repo)
	if err != nil {
		return hooks.MergeConfig(flags), err
	}
	return hooks.MergeConfig(append([]*hooks.Config{flags}, files...)...), nil
}

// layers are the configuration files that count in a worktree, the nearest
// first; they are read once. repo is nil outside of one.
func (a *app) layers(repo *gitops.Repo) ([]*hooks.Config, error) {
	if a.files != nil && a.of == repo {
		return a.files, nil
	}
	user, err1 := a.userConfig()
	repository, err2 := repositoryConfig(repo)
	files, err := []*hooks.Config{repository, user}, errors.Join(err1, err2)
	if err == nil {
		a.files, a.of = files, repo
	}
	return files, err
}

// userFile is where the user's file is, and its name in messages; empty where
// there can be none.
func (a *app) userFile() (name, place string) {
	home := a.getenv("HOME")
	dir := cmp.Or(a.getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	place = "config.yaml of the user"
	if runtime.GOOS == "windows" {
		dir = a.getenv("AppData")
	} else if home == "" && a.getenv("XDG_CONFIG_HOME") == "" {
		return "", ""
	}
	if !filepath.IsAbs(dir) {
		return "", "" // as the XDG specification says
	}
	name = filepath.Join(dir, "chordgit", "config.yaml")
	if rel, err := filepath.Rel(home, name); err == nil && filepath.IsLocal(rel) {
		place = "~/" + filepath.ToSlash(rel)
	}
	return name, place
}

// userConfig reads the user's file, nil if there is none.
func (a *app) userConfig() (*hooks.Config, error) {
	data, err := a.userText()
	if data == nil || err != nil {
		return nil, err
	}
	_, place := a.userFile()
	return hooks.DecodeUserConfig(place, data)
}

// userText is the text of that file.
func (a *app) userText() ([]byte, error) {
	name, place := a.userFile()
	if name == "" {
		return nil, nil
	}
	info, err := os.Stat(name)
	if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, &edit.Error{Code: hooks.BadConfig, Path: place, Msg: "is a pipe, not a regular file"} // nobody may ever write to it
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &edit.Error{Code: hooks.BadConfig, Path: place, Err: err}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, hooks.ConfigLimit+1))
	if err != nil {
		return nil, &edit.Error{Code: hooks.BadConfig, Path: place, Err: err}
	}
	return data, nil
}

// repositoryConfig reads the file in the worktree's root, nil if there is
// none. A name that was meant to be it is an error.
func repositoryConfig(repo *gitops.Repo) (*hooks.Config, error) {
	data, err := repositoryText(repo)
	if data == nil || err != nil {
		return nil, err
	}
	return hooks.DecodeConfig(hooks.ConfigName, data)
}

// repositoryText is the text of that file. One whose name is nearly the right one
// is an error: somebody believes to have a policy.
func repositoryText(repo *gitops.Repo) ([]byte, error) {
	if repo == nil {
		return nil, nil
	}
	var errs []error
	for _, name := range repo.Tree().Names(".", 0) {
		errs = append(errs, hooks.CheckConfigName(name))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return configText(repo)
}

// configText is the text of the file of the right name, nil if there is none.
func configText(repo *gitops.Repo) ([]byte, error) {
	tree := repo.Tree()
	f, err := tree.Lookup(hooks.ConfigName)
	switch {
	case err != nil:
	case f == nil:
		return nil, nil
	case !f.Regular():
		return nil, &edit.Error{Code: hooks.BadConfig, Path: hooks.ConfigName, Msg: "is " + f.KindName() + ", not a regular file"}
	case f.Stat.Size > hooks.ConfigLimit:
		return make([]byte, hooks.ConfigLimit+1), nil // which is refused
	default:
		err = tree.Load(hooks.ConfigName, f)
	}
	if err != nil {
		return nil, &edit.Error{Code: hooks.BadConfig, Path: hooks.ConfigName, Err: err}
	}
	return f.Data, nil
}

// coverage is what captures store by the configuration.
func (a *app) coverage(repo *gitops.Repo) (gitops.Coverage, error) {
	layers, err := a.layers(repo)
	s := hooks.MergeConfig(layers...).Snapshot
	return gitops.Coverage{
		MaxFile: s.MaxFile, MaxNew: s.MaxNew, NoIgnored: s.Ignored == "none",
		Include: s.Include, Exclude: s.Exclude, AllowRoot: s.AllowRoot != nil && *s.AllowRoot,
	}, err
}
