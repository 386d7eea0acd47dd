package repo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
	"github.com/chordgit/chordgit/gitops/internal/object"
)

func find(t *testing.T, dir string) *Layout {
	t.Helper()
	l, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFind(t *testing.T) {
	r := gittest.New(t)
	r.Write("a/b/c", "x")
	r.Commit()
	for _, dir := range []string{r.Dir, r.Dir + "/a/b"} {
		l := find(t, dir)
		if l.Top != r.Dir || l.GitDir != r.GitDir() || l.CommonDir != r.GitDir() || l.ID != "main" || l.Linked() {
			t.Errorf("%+v", l)
		}
	}
	for _, dir := range []string{r.GitDir(), r.GitDir() + "/refs/heads"} {
		if _, err := Find(dir); !errors.Is(err, ErrInGitDir) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if os.Symlink(r.Dir+"/a", link) == nil {
		if l := find(t, link); l.Top != r.Dir {
			t.Errorf("through a link: %+v", l)
		}
	}
	if _, err := Find(t.TempDir()); !errors.Is(err, ErrNotRepository) {
		t.Error(err)
	}
	bare := t.TempDir()
	r.In(bare).Git("init", "-q", "--bare")
	for _, dir := range []string{bare, bare + "/objects"} {
		if _, err := Find(dir); !errors.Is(err, ErrBare) {
			t.Error(err)
		}
	}
	// An empty directory .git is not a repository, and not the end of the way.
	os.MkdirAll(r.Dir+"/a/.git", 0o777)
	if l := find(t, r.Dir+"/a"); l.Top != r.Dir {
		t.Errorf("%+v", l)
	}
	os.MkdirAll(r.Dir+"/f", 0o777)
	os.WriteFile(r.Dir+"/f/.git", []byte("gitdir: nowhere\n"), 0o666)
	if _, err := Find(r.Dir + "/f"); !errors.Is(err, ErrNotRepository) {
		t.Error(err)
	}
}

func TestFindLinkedAndSubmodule(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "x")
	r.Commit()
	wt := filepath.Join(r.Dir, "wt")
	r.Git("worktree", "add", "-q", wt)
	l := find(t, wt)
	if l.Top != wt || l.CommonDir != r.GitDir() || l.GitDir != r.GitDir()+"/worktrees/wt" || l.ID != "wt" || !l.Linked() {
		t.Errorf("%+v", l)
	}
	if _, err := Find(l.GitDir); !errors.Is(err, ErrInGitDir) {
		t.Error(err)
	}
	// core.bare of the common configuration is not the linked worktree's.
	r.Git("config", "core.bare", "true")
	find(t, wt)
	if _, err := Find(r.Dir); !errors.Is(err, ErrBare) {
		t.Error(err)
	}
	r.Git("config", "core.bare", "false")

	super := gittest.New(t)
	super.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.Dir, "sub")
	if l := find(t, super.Dir+"/sub"); l.Top != super.Dir+"/sub" || l.GitDir != super.GitDir()+"/modules/sub" || l.ID != "main" {
		t.Errorf("%+v", l)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, ""},
		{[]string{"core.repositoryformatversion=1"}, ""},
		{[]string{"extensions.unknown=1"}, ""},
		{[]string{"core.repositoryformatversion=1", "extensions.unknown=1"}, "extension unknown"},
		{[]string{"core.repositoryformatversion=2"}, "repository format 2"},
		{[]string{"core.repositoryformatversion=1", "extensions.objectFormat=sha256"}, ""},
		{[]string{"extensions.objectFormat=sha256"}, "object format sha256 in a repository of format 0"},
		{[]string{"core.repositoryformatversion=1", "extensions.objectFormat=md5"}, "object format md5"},
		{[]string{"core.repositoryformatversion=1", "extensions.refStorage=reftable"}, ""},
		{[]string{"extensions.refStorage=reftable"}, "ref storage reftable in a repository of format 0"},
		{[]string{"core.repositoryformatversion=1", "extensions.refStorage=files:///elsewhere"}, "ref storage files:///elsewhere"},
		{[]string{"core.repositoryformatversion=1", "extensions.compatObjectFormat=sha1"}, "extension compatobjectformat"},
		{[]string{"core.repositoryformatversion=1", "extensions.objectFormat=sha1", "extensions.refStorage=files",
			"extensions.worktreeConfig=true", "extensions.partialClone=origin", "extensions.relativeWorktrees=true", "extensions.preciousObjects=true"}, ""},
	} {
		r := gittest.New(t)
		for _, s := range c.set {
			k, v, _ := strings.Cut(s, "=")
			r.Git("config", "-f", ".git/config", k, v)
		}
		_, err := Find(r.Dir)
		var u *UnsupportedError
		if errors.As(err, &u); c.want == "" && err != nil || c.want != "" && (u == nil || u.What != c.want) {
			t.Errorf("%v: %v", c.set, err)
		}
	}
	r := gittest.New(t, "--object-format=sha256")
	if l := find(t, r.Dir); l.Config.Format() != object.SHA256 {
		t.Errorf("%+v", l)
	}
}

func TestWorktreeConfig(t *testing.T) {
	r := gittest.New(t)
	r.Write("a/a", "x")
	r.Commit()
	r.Git("sparse-checkout", "set", "a")
	find(t, r.Dir)
	other := t.TempDir()
	other, _ = filepath.EvalSymlinks(other)
	r.Git("config", "--worktree", "core.worktree", other)
	if l := find(t, r.Dir); l.Top != other {
		t.Errorf("%+v", l)
	}
}

// The reader against `git config --list`.
func TestConfigAgainstGit(t *testing.T) {
	text := "\ufeff[core] bare = false ; c\n\tx = \"a # b\" c # d\n[Sec \"Sub \\\"x\\\\\"] Key\n  multi = one\\\n two \\t\\\"q\\\"  \n" +
		"[old.Style]\r\n\tv = 1\r\n[a]b=\n; c\n#d\n  e   =   f g  \"  \" h\t \n[z]last = no newline"
	r := gittest.New(t)
	r.Write("cfg", text)
	var want []string
	for _, s := range strings.Split(strings.TrimSuffix(r.Git("config", "-z", "-f", "cfg", "--list"), "\x00"), "\x00") {
		k, v, ok := strings.Cut(s, "\n")
		if !ok {
			v = "true"
		}
		want = append(want, k+"="+v)
	}
	var got []string
	eachSetting([]byte(text), func(section, subsection, key, value string) {
		if subsection != "" {
			section += "." + subsection
		}
		got = append(got, section+"."+key+"="+value)
	})
	if !slices.Equal(got, want) {
		t.Errorf("ours\n%q\ngit's\n%q", got, want)
	}
}

func TestShared(t *testing.T) {
	for value, want := range map[string]string{
		"umask": "0 false", "0": "0 false", "false": "0 false", "group": "660 false", "true": "660 false", "1": "660 false",
		"all": "664 false", "2": "664 false", "0640": "640 true", "0666": "666 true", "0060": "0 false",
	} {
		bits, exact := parseShared(value)
		if got := fmt.Sprintf("%o %v", bits, exact); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

func TestInProgress(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "1")
	r.Commit()
	r.Git("checkout", "-q", "-b", "x")
	r.Write("a", "2")
	r.Commit()
	r.Git("checkout", "-q", "main")
	r.Write("a", "3")
	r.Commit()
	l := find(t, r.Dir)
	for _, c := range []struct{ start, want string }{
		{"merge x", "merge"}, {"rebase x", "rebase"}, {"rebase --apply x", "rebase"}, {"cherry-pick x", "cherry-pick"}, {"revert HEAD~0^0~1", "revert"},
	} {
		if got := l.InProgress(); got != "" {
			t.Fatal(got)
		}
		args := strings.Fields(c.start)
		r.Command(args...).Run() // stops at the conflict
		if got := l.InProgress(); got != c.want {
			t.Errorf("%s: %q", c.start, got)
		}
		r.Git(args[0], "--abort")
	}
	// With a reftable git is asked for what it keeps there: here, where refs are
	// files, it takes another of the name for it.
	l.Config.Extensions = map[string]string{"refstorage": "reftable"}
	for name, want := range map[string]string{"CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "NO_HEAD": ""} {
		r.Git("update-ref", "refs/"+name, "HEAD")
		if got := l.InProgress(); got != want {
			t.Errorf("%s: %q", name, got)
		}
		r.Git("update-ref", "-d", "refs/"+name)
	}
}

func TestReftableNeedsGit(t *testing.T) {
	r := gittest.New(t)
	r.Git("config", "core.repositoryformatversion", "1")
	r.Git("config", "extensions.refStorage", "reftable")
	find(t, r.Dir)
	t.Setenv("PATH", t.TempDir())
	if l, err := Find(r.Dir); !errors.Is(err, ErrNeedsGit) || l == nil || !strings.Contains(err.Error(), "reftable needs the git program") {
		t.Errorf("%v", err)
	}
}

func TestCommand(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "x")
	r.Commit()
	marker := filepath.Join(t.TempDir(), "ran")
	hook := filepath.Join(r.GitDir(), "hooks", "reference-transaction")
	os.MkdirAll(filepath.Dir(hook), 0o777)
	os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o777)
	r.Git("config", "hook.x.event", "reference-transaction") // that git 2.39 knows nothing of
	r.Git("config", "hook.x.command", "touch "+marker)
	l := find(t, r.Dir)
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("GIT_INDEX_FILE", "/nowhere")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
	t.Setenv("GIT_CONFIG_VALUE_0", filepath.Dir(hook))
	t.Setenv("LC_ALL", "de_DE")
	if out, err := l.Command("update-ref", "refs/x/y", "HEAD").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a hook ran")
	}
	if _, err := os.Stat(r.GitDir() + "/logs/refs/x/y"); err == nil {
		t.Error("a reflog was written")
	}
	env := l.Command().Env
	want := []string{"GIT_DIR=" + l.GitDir, "GIT_COMMON_DIR=" + l.CommonDir, "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	got := slices.DeleteFunc(slices.Clone(env), func(v string) bool { return !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "LC_ALL") })
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	l.InHook = true
	if !slices.Contains(l.Command().Env, "GIT_INDEX_FILE=/nowhere") {
		t.Error("GIT_INDEX_FILE was dropped in a hook")
	}
}

func TestHost(t *testing.T) {
	if h := Host(); len(h) != 8 || h != Host() {
		t.Error(h)
	}
}
