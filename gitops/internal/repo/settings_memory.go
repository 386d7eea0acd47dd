package repo

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/durable"
)

// memoryFormat is the version of what is kept in the file. Another one is not
// read.
const memoryFormat = 1

// maxMemory bounds the file that is read: a few settings and paths.
const maxMemory = 1 << 20

// A memory is an answer of git's, with all that it depends on. Paths are kept
// as bytes: JSON would replace what is not UTF-8.
type memory struct {
	Format   int
	Key      settingsKey
	Files    []fileState
	Settings rawSettings
}

// A settingsKey is what decides the answer beside the files: where the parts of
// the repository are, which git is asked, and the environment.
type settingsKey struct {
	Top, GitDir, CommonDir []byte
	Git                    string // path of the program; "" if there is none
	Env                    [][]byte
}

// rawSettings are Settings whose paths and names survive JSON.
type rawSettings struct {
	Settings
	ExcludesFile, AttributesFile []byte
	SystemAttributes, Filters    [][]byte
}

func (l *Layout) settingsKey() settingsKey {
	k := settingsKey{Top: []byte(l.Top), GitDir: []byte(l.GitDir), CommonDir: []byte(l.CommonDir)}
	k.Git, _ = exec.LookPath("git")
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name == "HOME" || name == "XDG_CONFIG_HOME" || name == "GIT_ATTR_SOURCE" || strings.HasPrefix(name, "GIT_CONFIG_") {
			k.Env = append(k.Env, []byte(v))
		}
	}
	slices.SortFunc(k.Env, slices.Compare)
	return k
}

// recall returns what was remembered, nil if there is nothing or it may be
// out of date.
func recall(file string, key settingsKey) *Settings {
	// Not a pipe that nobody writes to, nor a device.
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	m := decodeMemory(data)
	if m == nil {
		return nil
	}
	if key.Git == "" {
		key.Git = m.Key.Git // whatever was asked: there is nothing better
	}
	if !reflect.DeepEqual(m.Key, key) {
		return nil
	}
	for _, f := range m.Files {
		if stateOf(string(f.Name)) != f.state {
			return nil
		}
	}
	return m.Settings.cooked()
}

func decodeMemory(data []byte) *memory {
	var m memory
	if json.Unmarshal(data, &m) != nil || m.Format != memoryFormat || len(m.Files) == 0 {
		return nil
	}
	return &m
}

// remember writes the answer under a temporary name and renames it: of two that
// write at once the last one counts, and a link at the name is replaced. It
// says nothing of a full disk, or of a directory that is not there.
func (l *Layout) remember(file string, key settingsKey, a *answer) {
	if file == "" {
		return
	}
	data, err := json.Marshal(memory{memoryFormat, key, a.files, a.settings.raw()})
	if err != nil {
		return
	}
	f, err := durable.CreateTemp(filepath.Dir(file), "tmp_settings_", 0o644, l.Perm())
	if err != nil {
		return
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		os.Remove(f.Name())
		return
	}
	_ = durable.Place(f, file, 0o644, l.Perm(), true)
}

func (s *Settings) raw() rawSettings {
	return rawSettings{*s, []byte(s.ExcludesFile), []byte(s.AttributesFile), toBytes(s.SystemAttributes), toBytes(s.Filters)}
}

func (r *rawSettings) cooked() *Settings {
	s := r.Settings
	s.ExcludesFile, s.AttributesFile = string(r.ExcludesFile), string(r.AttributesFile)
	s.SystemAttributes, s.Filters = toStrings(r.SystemAttributes), toStrings(r.Filters)
	return &s
}

func toBytes(from []string) (to [][]byte) {
	for _, s := range from {
		to = append(to, []byte(s))
	}
	return to
}

func toStrings(from [][]byte) (to []string) {
	for _, b := range from {
		to = append(to, string(b))
	}
	return to
}

// A fileState is what a file was like that has a say.
type fileState struct {
	Name []byte
	state
}

// A state is the stat of a file, through links: equal ones mean that nothing
// was written, if their times were not racy.
type state struct {
	Absent, Odd               bool // Odd: neither absent nor a regular file that can be looked at
	Size, Mtime, Ctime, Inode int64
}

func stateOf(name string) state {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), isNotDir(err):
		return state{Absent: true}
	case err != nil || !info.Mode().IsRegular():
		return state{Odd: true}
	}
	ctime, inode := changeTime(info)
	return state{Size: info.Size(), Mtime: info.ModTime().UnixNano(), Ctime: ctime, Inode: inode}
}

// A fileSet is each file once, as it was when it was added.
type fileSet struct {
	list []fileState
	at   map[string]int
}

func newFileSet() *fileSet { return &fileSet{at: map[string]int{}} }

// add reports whether the file is there.
func (s *fileSet) add(name string) bool {
	i, known := s.at[name]
	if !known {
		i = len(s.list)
		s.at[name] = i
		s.list = append(s.list, fileState{[]byte(name), stateOf(name)})
	}
	return !s.list[i].Absent && !s.list[i].Odd
}

// granularity is the coarsest step of a file system's times.
const granularity = 2 * time.Second

func now() int64 { return time.Now().UnixNano() }

// unchangedSince reports whether every file is still as it was added, and so
// old that a write after asked shows in its times.
func (s *fileSet) unchangedSince(asked int64) bool {
	limit := asked - int64(granularity)
	for _, f := range s.list {
		if f.Odd || f.state != stateOf(string(f.Name)) ||
			!f.Absent && (f.Ctime == 0 || f.Ctime >= limit || f.Mtime >= limit) {
			return false
		}
	}
	return true
}
