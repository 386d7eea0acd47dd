package repo

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

// settingsRepo is a repository of a user whose home is empty.
func settingsRepo(t *testing.T) (r *gittest.Repo, home string) {
	t.Helper()
	r = gittest.New(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "") // to be put back
			os.Unsetenv(name)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	return r, home
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func settings(t *testing.T, l *Layout, cacheFile string) *Settings {
	t.Helper()
	s, err := l.Settings(cacheFile)
	if err != nil {
		t.Fatal(err)
	}
	s.SystemAttributes = nil // the machine's
	return s
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name, user, own string
		xdg             string
		want            func(s *Settings, home, top string)
	}{
		{"defaults", "", "", "", func(s *Settings, home, top string) {}},
		{"xdg", "", "", "/xdg", func(s *Settings, home, top string) {
			s.ExcludesFile, s.AttributesFile = "/xdg/git/ignore", "/xdg/git/attributes"
		}},
		{"none", "[core]\nexcludesFile=\nattributesfile =\n", "", "", func(s *Settings, home, top string) {
			s.ExcludesFile, s.AttributesFile = "", ""
		}},
		{"home and worktree", "[core]\nexcludesFile=~/ig \xff\n", "[core]attributesfile = at\n", "", func(s *Settings, home, top string) {
			s.ExcludesFile, s.AttributesFile = home+"/ig \xff", top+"/at"
		}},
		{"last counts", "[core]ignorecase\nautocrlf=true\nsymlinks=0\n", "[core]autocrlf=false\nsymlinks=1\nprecomposeUnicode=on\nfilemode=no",
			"", func(s *Settings, home, top string) {
				s.IgnoreCase, s.PrecomposeUnicode, s.FileMode = true, true, false
			}},
		{"input", "[core]autocrlf=input", "", "", func(s *Settings, home, top string) { s.AutoCRLF = true }},
		{"filters and tree", "[filter \"lfs\"]clean=x\nsmudge=y\n[attr]tree=HEAD\n", "[filter \"a.b c\"]required\n[filter]x=y\n[lfs \"extension.e\"]clean=x\n", "",
			func(s *Settings, home, top string) { s.Filters, s.AttributesTree = []string{"a.b c", "e", "lfs"}, true }},
		{"included", "[include]path=more\n", "", "", func(s *Settings, home, top string) { s.AutoCRLF = true }},
		{"conditional", "[includeIf \"gitdir:~/none/\"]path=more\n", "", "", func(s *Settings, home, top string) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, home := settingsRepo(t)
			t.Setenv("XDG_CONFIG_HOME", c.xdg)
			writeFile(t, home+"/.gitconfig", c.user)
			writeFile(t, home+"/more", "[core]autocrlf=true")
			r.Git("config", "--unset", "core.filemode")
			own, _ := os.ReadFile(r.GitDir() + "/config")
			writeFile(t, r.GitDir()+"/config", string(own)+c.own)
			want := &Settings{
				FileMode: true, Symlinks: true,
				ExcludesFile: home + "/.config/git/ignore", AttributesFile: home + "/.config/git/attributes",
			}
			c.want(want, home, r.Dir)
			if got := settings(t, find(t, r.Dir), filepath.Join(t.TempDir(), "none")); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

// Whatever takes git to tell comes out as git tells it.
func TestSettingsPathsOfGit(t *testing.T) {
	r, home := settingsRepo(t)
	l := find(t, r.Dir)
	for _, path := range []string{"%(prefix)/x", "~root/x", "~/x"} {
		writeFile(t, home+"/.gitconfig", "[core]excludesFile="+path)
		out, err := l.Command("config", "--type=path", "core.excludesfile").Output()
		if err != nil {
			t.Fatal(path, err)
		}
		if got := settings(t, l, ""); got.ExcludesFile != strings.TrimSpace(string(out)) || !filepath.IsAbs(got.ExcludesFile) {
			t.Errorf("%s: %q, git: %q", path, got.ExcludesFile, out)
		}
	}
}

func TestSettingsEnvironment(t *testing.T) {
	r, home := settingsRepo(t)
	l := find(t, r.Dir)
	writeFile(t, home+"/other", "[core]autocrlf=input")
	t.Setenv("GIT_CONFIG_GLOBAL", home+"/other")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.ignorecase")
	t.Setenv("GIT_CONFIG_VALUE_0", "true")
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("GIT_CONFIG", "/nowhere")
	if s := settings(t, l, ""); !s.AutoCRLF || !s.IgnoreCase {
		t.Errorf("%+v", s)
	}
}

// noGit takes the git program away: whoever starts a process fails.
func noGit(t *testing.T, f func()) {
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	f()
	t.Setenv("PATH", path)
}

// A remembered answer starts no process and lasts until a file that has a say
// changes, comes or goes, or the environment does.
func TestSettingsRemembered(t *testing.T) {
	var all []prepared
	for _, c := range []struct {
		name, user string
		change     func(t *testing.T, r *gittest.Repo, home string)
		never      bool
	}{
		{"user's", "", func(t *testing.T, r *gittest.Repo, home string) {
			writeFile(t, home+"/.gitconfig", "[core]autocrlf=true")
		}, false},
		{"user's, same size and mtime", "[core]autocrlf=on ", func(t *testing.T, r *gittest.Repo, home string) {
			info, _ := os.Stat(home + "/.gitconfig")
			writeFile(t, home+"/.gitconfig", "[core]autocrlf=off")
			if err := os.Chtimes(home+"/.gitconfig", info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"user's gone", "[core]autocrlf=true", func(t *testing.T, r *gittest.Repo, home string) {
			os.Remove(home + "/.gitconfig")
		}, false},
		{"xdg comes", "", func(t *testing.T, r *gittest.Repo, home string) {
			writeFile(t, home+"/.config/git/config", "[core]autocrlf=true")
		}, false},
		{"own", "", func(t *testing.T, r *gittest.Repo, home string) { r.Git("config", "core.autocrlf", "true") }, false},
		{"worktree's comes", "", func(t *testing.T, r *gittest.Repo, home string) {
			writeFile(t, r.GitDir()+"/config.worktree", "[core]autocrlf=true")
		}, false},
		{"included comes", "[include]path=sub/more", func(t *testing.T, r *gittest.Repo, home string) {
			writeFile(t, home+"/sub/more", "[core]autocrlf=true")
		}, false},
		{"included and empty", "[include]path=~/empty", func(t *testing.T, r *gittest.Repo, home string) {
			writeFile(t, home+"/empty", "[core]autocrlf=true")
		}, false},
		{"included by place", "[includeIf \"gitdir:**\"]path=more", func(t *testing.T, r *gittest.Repo, home string) {
			writeFile(t, home+"/more", "[core]autocrlf=true")
		}, false},
		{"included from included", "[include]path=first", func(t *testing.T, r *gittest.Repo, home string) {
			writeFile(t, home+"/second", "[core]autocrlf=true")
		}, false},
		{"variable", "", func(t *testing.T, r *gittest.Repo, home string) {
			t.Setenv("XDG_CONFIG_HOME", home+"/elsewhere")
		}, false},
		{"branch", "[includeIf \"onbranch:x\"]path=more\n", nil, true},
		{"remote", "[includeIf \"hasconfig:remote.*.url:x\"]path=more\n", nil, true},
	} {
		r, home := settingsRepo(t)
		p := prepared{c.name, r, home, filepath.Join(t.TempDir(), "settings"), c.change, c.never}
		if c.user != "" {
			writeFile(t, home+"/.gitconfig", c.user)
		}
		writeFile(t, home+"/empty", "")
		writeFile(t, home+"/first", "[include]path=second")
		r.Git("config", "extensions.worktreeConfig", "true")
		settings(t, find(t, r.Dir), p.cache)
		if _, err := os.Lstat(p.cache); err == nil {
			t.Errorf("%s: what was written this moment was trusted", c.name)
		}
		all = append(all, p)
	}
	time.Sleep(granularity + 100*time.Millisecond)
	for _, p := range all {
		t.Run(p.name, p.run)
	}
}

type prepared struct {
	name   string
	r      *gittest.Repo
	home   string
	cache  string
	change func(t *testing.T, r *gittest.Repo, home string)
	never  bool
}

func (p prepared) run(t *testing.T) {
	t.Setenv("HOME", p.home)
	l := find(t, p.r.Dir)
	asked := settings(t, l, p.cache)
	if _, err := os.Lstat(p.cache); (err != nil) != p.never {
		t.Fatalf("remembered: %v", err)
	}
	if p.never {
		return
	}
	key := l.settingsKey()
	noGit(t, func() {
		if warm := settings(t, l, p.cache); !reflect.DeepEqual(warm, asked) || warm.Partial {
			t.Errorf("warm %+v\nasked %+v", warm, asked)
		}
	})
	if recall(p.cache, key) == nil {
		t.Error("with the git program it was not recalled")
	}
	p.change(t, p.r, p.home)
	got := settings(t, l, p.cache)
	if want := settings(t, l, ""); !reflect.DeepEqual(got, want) || reflect.DeepEqual(got, asked) {
		t.Errorf("after the change %+v\nwant %+v\nbefore %+v", got, want, asked)
	}
}

// Anything odd at the name of the memory, or about its content, means asking
// again; what is there is replaced, and never what a link points to.
func TestSettingsOddMemory(t *testing.T) {
	r, _ := settingsRepo(t)
	l := find(t, r.Dir)
	cache := filepath.Join(t.TempDir(), "settings")
	want := settings(t, l, "")
	time.Sleep(granularity + 100*time.Millisecond)
	settings(t, l, cache)
	good, err := os.ReadFile(cache)
	if err != nil {
		t.Fatal(err)
	}
	key := l.settingsKey()
	for name, text := range map[string]string{
		"empty": "", "cut": string(good[:len(good)/2]), "junk": "junk", "list": "[]",
		"version": strings.Replace(string(good), `"Format":1`, `"Format":2`, 1), "no files": `{"Format":1}`,
	} {
		writeFile(t, cache, text)
		if recall(cache, key) != nil {
			t.Errorf("%s: recalled", name)
		}
		if got := settings(t, l, cache); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
		if data, _ := os.ReadFile(cache); string(data) != string(good) {
			t.Errorf("%s: not replaced", name)
		}
	}
	victim := filepath.Join(t.TempDir(), "victim")
	writeFile(t, victim, "mine")
	os.Remove(cache)
	if os.Symlink(victim, cache) == nil {
		settings(t, l, cache)
		if data, _ := os.ReadFile(victim); string(data) != "mine" {
			t.Errorf("the link's target now holds %q", data)
		}
		if recall(cache, key) == nil {
			t.Error("the link was not replaced")
		}
	}
	// A place that cannot be written to is no error, and nothing is left there.
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "settings"), 0o777)
	settings(t, l, filepath.Join(dir, "settings"))
	settings(t, l, filepath.Join(dir, "absent", "settings"))
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp_*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

func TestSettingsWithoutGit(t *testing.T) {
	r, home := settingsRepo(t)
	writeFile(t, home+"/.gitconfig", "[core]ignoreCase=true")
	r.Git("config", "core.autocrlf", "input")
	r.Git("config", "core.excludesFile", "~/mine")
	r.Git("config", "filter.lfs.clean", "x")
	r.Git("config", "extensions.worktreeConfig", "true")
	r.Git("config", "--worktree", "core.symlinks", "false")
	l := find(t, r.Dir)
	noGit(t, func() {
		got := settings(t, l, filepath.Join(t.TempDir(), "settings"))
		want := &Settings{FileMode: true, AutoCRLF: true, ExcludesFile: home + "/mine", AttributesFile: home + "/.config/git/attributes",
			Filters: []string{"lfs"}, Partial: true}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v", got)
		}
	})
}

// A configuration that git refuses is an error that says so.
func TestSettingsBroken(t *testing.T) {
	r, home := settingsRepo(t)
	writeFile(t, home+"/.gitconfig", "[core\n")
	if s, err := find(t, r.Dir).Settings(""); err == nil || !strings.Contains(err.Error(), ".gitconfig") {
		t.Errorf("%+v, %v", s, err)
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte("file:/a\x00core.ignorecase\x00file:b\x00includeif.gitdir:x.path\n~/y\x00command line:\x00filter.a.b.c\nx\x00"),
		[]byte(`{"Format":1,"Key":{"Git":"x"},"Files":[{"Name":"L2E=","Absent":true}],"Settings":{"Filters":["eA=="]}}`))
	f.Fuzz(func(t *testing.T, listed, remembered []byte) {
		var s Settings
		d := decoder{settings: &s}
		l := &Layout{Top: "/top"}
		err := eachListed(listed, func(origin, key, value string) {
			d.set(key, value)
			if file, ok := l.originFile(origin); ok {
				if target, ok := included(key, value, file, ""); ok && target != "" && !filepath.IsAbs(target) {
					t.Errorf("%q in %q includes %q", value, file, target)
				}
			}
		})
		if err == nil && len(listed) > 0 && listed[len(listed)-1] != 0 {
			t.Error("a cut listing was read")
		}
		m := decodeMemory(remembered)
		if m == nil {
			return
		}
		if got := m.Settings.cooked().raw(); !reflect.DeepEqual(got.cooked(), m.Settings.cooked()) {
			t.Error("what was kept does not survive")
		}
	})
}
