package repo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// home is the directory that git takes for the user's, "" if there is none.
func home() string {
	if dir := os.Getenv("HOME"); dir != "" {
		return dir
	}
	if filepath.Separator == '\\' { // git for Windows sets HOME from the profile
		dir, _ := os.UserHomeDir()
		return dir
	}
	return ""
}

// userFile is a file of git's in the user's configuration directory, "" if
// there is no such directory.
func userFile(name string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", name)
	}
	if dir := home(); dir != "" {
		return filepath.Join(dir, ".config", "git", name)
	}
	return ""
}

// systemDirs are the directories that can hold the system's configuration: the
// program has one of them built in, by the prefix under which it was installed.
func systemDirs(program string) []string {
	dirs := []string{filepath.FromSlash("/etc")}
	if resolved, err := filepath.EvalSymlinks(program); err == nil && program != "" {
		prefix := filepath.Dir(filepath.Dir(resolved))
		dirs = append(dirs, filepath.Join(prefix, "etc"))
		if filepath.Separator == '\\' { // <prefix>/cmd/git.exe or <prefix>/mingw64/bin/git.exe
			dirs = append(dirs, filepath.Join(filepath.Dir(prefix), "etc"))
		}
	}
	return dirs
}

// configFiles are the places where git looks for configuration, whether there
// is a file or not.
func (l *Layout) configFiles(program string) []string {
	var files []string
	for _, dir := range systemDirs(program) {
		files = append(files, filepath.Join(dir, "gitconfig"))
	}
	if dir := os.Getenv("PROGRAMDATA"); dir != "" {
		files = append(files, filepath.Join(dir, "Git", "config"))
	}
	if dir := home(); dir != "" {
		files = append(files, filepath.Join(dir, ".gitconfig"))
	}
	for _, name := range []string{userFile("config"), os.Getenv("GIT_CONFIG_GLOBAL"), os.Getenv("GIT_CONFIG_SYSTEM")} {
		if name != "" && name != os.DevNull { // which stays empty
			files = append(files, l.absolute(name))
		}
	}
	return append(files, filepath.Join(l.CommonDir, "config"), filepath.Join(l.GitDir, "config.worktree"))
}

// absolute resolves a path as a git does that runs in the worktree's root.
func (l *Layout) absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.Top, name)
}

// originFile returns the file that an origin names, and false if it is none.
func (l *Layout) originFile(origin string) (string, bool) {
	name, ok := strings.CutPrefix(origin, "file:")
	if !ok {
		return "", false
	}
	return l.absolute(filepath.FromSlash(name)), true
}

// included returns the file that an include directive in file names, "" if the
// setting is none. It is not ok if the set of files can change although no
// file does: by a branch, by other conditions that are not known here, or
// because only git can tell which file is meant.
func included(key, value, file, home string) (target string, ok bool) {
	condition, isIf := strings.CutPrefix(key, "includeif.")
	switch {
	case isIf:
		condition, isIf = strings.CutSuffix(condition, ".path")
		if !isIf {
			return "", true
		}
		if !strings.HasPrefix(condition, "gitdir:") && !strings.HasPrefix(condition, "gitdir/i:") {
			return "", false
		}
	case key != "include.path":
		return "", true
	}
	switch {
	case value == "":
		return "", true
	case strings.HasPrefix(value, "~/") && home != "":
		return filepath.Join(home, value[2:]), true
	case onlyGitExpands(value):
		return "", false
	case filepath.IsAbs(value):
		return value, true
	}
	return filepath.Join(filepath.Dir(file), value), true
}

// onlyGitExpands reports whether git gives a path a meaning that takes the user
// database or the program's own place to tell: "~name", "%(prefix)",
// ":(optional)".
func onlyGitExpands(value string) bool {
	return strings.HasPrefix(value, "~") || strings.HasPrefix(value, "%(") || strings.HasPrefix(value, ":(")
}

// expand gives a configured path its meaning, nil the default of that name.
func (l *Layout) expand(value *string, byDefault string) string {
	switch {
	case value == nil:
		return userFile(byDefault)
	case *value == "":
		return ""
	case strings.HasPrefix(*value, "~/") && home() != "":
		return filepath.Join(home(), (*value)[2:])
	case onlyGitExpands(*value):
		return ""
	}
	return l.absolute(filepath.FromSlash(*value))
}

// resolve is expand with git's help where that is needed, which is rare.
func (l *Layout) resolve(to *string, key string, value *string, byDefault string, a *answer) error {
	if *to = l.expand(value, byDefault); value == nil || !onlyGitExpands(*value) || *to != "" {
		return nil
	}
	out, err := output(l.asUser("config", "-z", "--type=path", "--get", key))
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 { // optional, and absent: as if it were not set
		*to, a.lasting = userFile(byDefault), false
		return nil
	}
	if err != nil {
		return err
	}
	*to = l.absolute(strings.TrimSuffix(string(out), "\x00"))
	// An optional file may come without any configuration changing.
	a.lasting = a.lasting && !strings.HasPrefix(*value, ":(")
	return nil
}
