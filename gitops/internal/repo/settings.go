package repo

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Settings are the user's own settings that a capture obeys: what git would
// use if the user started it in this worktree now, whatever Command gives to
// the git that we start.
type Settings struct {
	ExcludesFile   string // core.excludesFile or its default, whether it exists or not; "" for none
	AttributesFile string // core.attributesFile, likewise

	// SystemAttributes are the places where git may have its system-wide
	// attributes: which of them is built into the program.
	SystemAttributes []string

	IgnoreCase        bool
	FileMode          bool // true unless set to false
	Symlinks          bool // true unless set to false
	PrecomposeUnicode bool
	AutoCRLF          bool     // core.autoCRLF is true or input
	AttributesTree    bool     // attr.tree or GIT_ATTR_SOURCE: attributes come from a tree, not from files
	Filters           []string // names of filter.<name>.* and lfs.extension.<name>.*, sorted

	// Partial says that there is no git program, and that these are the
	// settings of the repository's own files alone: no user's, no system's,
	// no included ones.
	Partial bool
}

// Settings asks the git program for the settings, once: cacheFile keeps the
// answer for as long as no configuration file that has a say in it changes, nor
// the environment that names them. A cacheFile that cannot be read or written
// costs time only. It is not written where a changed file could look
// unchanged: one younger than two seconds, a system without ctime.
//
// Without a git program the remembered answer counts, else what the
// repository's own configuration says: see Settings.Partial.
func (l *Layout) Settings(cacheFile string) (*Settings, error) {
	key := l.settingsKey()
	if s := recall(cacheFile, key); s != nil {
		return s, nil
	}
	if key.Git == "" {
		return l.ownSettings()
	}
	a, err := l.askSettings(key.Git)
	if err != nil {
		return nil, err
	}
	if a.lasting {
		l.remember(cacheFile, key, a)
	}
	return &a.settings, nil
}

// An answer is what git said, and what it depends on.
type answer struct {
	settings Settings
	files    []fileState
	lasting  bool // nothing but these files decides it
}

func (l *Layout) askSettings(program string) (*answer, error) {
	asked := now()
	files := newFileSet()
	for _, name := range l.configFiles(program) {
		files.add(name)
	}
	out, err := output(l.asUser("config", "--list", "-z", "--show-origin"))
	if err != nil {
		return nil, err
	}
	a := &answer{lasting: true}
	d := decoder{settings: &a.settings, home: home()}
	d.settings.defaults()
	err = eachListed(out, func(origin, key, value string) {
		d.set(key, value)
		file, ok := l.originFile(origin)
		if !ok {
			return // the command line or the environment, which are part of the key
		}
		a.lasting = files.add(file) && a.lasting
		if target, ok := included(key, value, file, d.home); !ok {
			a.lasting = false
		} else if target != "" {
			files.add(target)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("git config --list: %w", err)
	}
	if err := l.resolve(&a.settings.ExcludesFile, "core.excludesfile", d.excludes, "ignore", a); err != nil {
		return nil, err
	}
	if err := l.resolve(&a.settings.AttributesFile, "core.attributesfile", d.attributes, "attributes", a); err != nil {
		return nil, err
	}
	for _, dir := range systemDirs(program) {
		a.settings.SystemAttributes = append(a.settings.SystemAttributes, filepath.Join(dir, "gitattributes"))
	}
	a.files = files.list
	a.lasting = a.lasting && files.unchangedSince(asked)
	return a, nil
}

// ownSettings reads what the repository's own files say.
func (l *Layout) ownSettings() (*Settings, error) {
	s := &Settings{Partial: true}
	s.defaults()
	d := decoder{settings: s, home: home()}
	files := []string{filepath.Join(l.CommonDir, "config")}
	if on, _ := parseBool(l.Config.Extensions["worktreeconfig"]); on {
		files = append(files, filepath.Join(l.GitDir, "config.worktree"))
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		eachSetting(data, func(section, subsection, key, value string) {
			if subsection != "" {
				section += "." + subsection
			}
			d.set(section+"."+key, value)
		})
	}
	s.ExcludesFile = l.expand(d.excludes, "ignore")
	s.AttributesFile = l.expand(d.attributes, "attributes")
	s.SystemAttributes = []string{filepath.Join(systemDirs("")[0], "gitattributes")}
	return s, nil
}

// asUser is Command with the variables that decide which configuration there
// is. A listing runs nothing that they could name.
func (l *Layout) asUser(args ...string) *exec.Cmd {
	cmd := l.Command(args...)
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GIT_CONFIG_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git config: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// eachListed reads "<origin>\0<key>\n<value>\0"; a key without a value has no
// line end, and counts as "true".
func eachListed(out []byte, f func(origin, key, value string)) error {
	for len(out) > 0 {
		origin, rest, ok := bytes.Cut(out, []byte{0})
		item, rest, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 {
			return fmt.Errorf("unexpected end %q", out)
		}
		key, value, ok := bytes.Cut(item, []byte("\n"))
		if !ok {
			value = []byte("true")
		}
		f(string(origin), string(key), string(value))
		out = rest
	}
	return nil
}

// A decoder takes settings in the order of their weight, the last one counts.
type decoder struct {
	settings             *Settings
	home                 string
	excludes, attributes *string // as written; nil: not set
}

func (s *Settings) defaults() {
	s.FileMode, s.Symlinks = true, true
	s.AttributesTree = os.Getenv("GIT_ATTR_SOURCE") != ""
}

func (d *decoder) set(key, value string) {
	s := d.settings
	on, valid := parseBool(value)
	switch key {
	case "core.excludesfile":
		d.excludes = &value
	case "core.attributesfile":
		d.attributes = &value
	case "core.ignorecase":
		s.IgnoreCase = on
	case "core.filemode":
		s.FileMode = on
	case "core.symlinks":
		s.Symlinks = on
	case "core.precomposeunicode":
		s.PrecomposeUnicode = on
	case "core.autocrlf":
		s.AutoCRLF = on || !valid // "input" is not a boolean
	case "attr.tree":
		s.AttributesTree = true
	}
	for _, drivers := range [...]string{"filter.", "lfs.extension."} {
		rest, ok := strings.CutPrefix(key, drivers)
		dot := strings.LastIndexByte(rest, '.')
		if !ok || dot < 0 {
			continue
		}
		if i, known := slices.BinarySearch(s.Filters, rest[:dot]); !known {
			s.Filters = slices.Insert(s.Filters, i, rest[:dot])
		}
	}
}
