package repo

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chordgit/chordgit/gitops/internal/object"
)

// Config is what a repository's own configuration says about its form. The
// user's settings come from the git program, which knows includes and levels;
// git itself reads these from the repository's files alone.
type Config struct {
	Version     int               // core.repositoryFormatVersion
	Extensions  map[string]string // extensions.*, names in lower case
	Bare        bool
	Worktree    string      // core.worktree, relative to the git directory
	Partial     bool        // a partial clone: remote.*.promisor or extensions.partialClone
	IgnoreCase  bool        // core.ignoreCase
	sparse      bool        // core.sparseCheckout
	HooksPath   string      // core.hooksPath, as written
	Hooks       []Hook      // hook.*, by name, in the order of the names' first settings
	Shared      fs.FileMode // core.sharedRepository: bits that new files get, 0 for none
	SharedExact bool        // Shared replaces the bits
}

// A Hook is what the configuration says of a hook that it names, hook.NAME.*.
type Hook struct {
	Name     string
	Settings []string // KEY=VALUE as they stand there, keys in lower case
}

// hook adds a setting of a named hook.
func (c *Config) hook(name, key, value string) {
	i := slices.IndexFunc(c.Hooks, func(h Hook) bool { return h.Name == name })
	if i < 0 {
		i = len(c.Hooks)
		c.Hooks = append(c.Hooks, Hook{Name: name})
	}
	c.Hooks[i].Settings = append(c.Hooks[i].Settings, key+"="+value)
}

// Format is the hash that names the repository's objects.
func (c *Config) Format() object.Format {
	f, _ := object.ParseFormat(c.Extensions["objectformat"]) // another is unsupported
	return f
}

// Reftable reports whether the refs are in a reftable, which only the git
// program reads and writes.
func (c *Config) Reftable() bool { return strings.EqualFold(c.Extensions["refstorage"], "reftable") }

// readConfig reads the common directory's config and, if that enables it, the
// worktree's own.
func readConfig(commonDir, gitDir string) (Config, error) {
	c := Config{Extensions: map[string]string{}}
	linked := commonDir != gitDir
	// core.bare and core.worktree are the main worktree's alone.
	if err := c.read(filepath.Join(commonDir, "config"), !linked); err != nil {
		return c, err
	}
	if on, _ := parseBool(c.Extensions["worktreeconfig"]); on {
		err := c.read(filepath.Join(gitDir, "config.worktree"), true)
		return c, err
	}
	return c, nil
}

// Sparse reports whether this is a sparse checkout now: git sparse-checkout may have
// run since the layout was read.
func (l *Layout) Sparse() bool {
	c, err := readConfig(l.CommonDir, l.GitDir)
	if err != nil {
		return l.Config.sparse
	}
	return c.sparse
}

func (c *Config) read(file string, ofThisWorktree bool) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	eachSetting(data, func(section, subsection, key, value string) {
		switch {
		case section == "extensions" && subsection == "":
			c.Extensions[key] = value
			c.Partial = c.Partial || key == "partialclone"
		case section == "remote" && key == "promisor":
			on, _ := parseBool(value)
			c.Partial = c.Partial || on
		case section == "hook" && subsection != "":
			c.hook(subsection, key, value)
		case section != "core" || subsection != "":
		case key == "repositoryformatversion":
			if n, err := strconv.Atoi(value); err == nil {
				c.Version = n
			}
		case key == "bare" && ofThisWorktree:
			c.Bare, _ = parseBool(value)
		case key == "worktree" && ofThisWorktree:
			c.Worktree = value
		case key == "ignorecase":
			c.IgnoreCase, _ = parseBool(value)
		case key == "sparsecheckout":
			c.sparse, _ = parseBool(value)
		case key == "hookspath":
			c.HooksPath = value
		case key == "sharedrepository":
			c.Shared, c.SharedExact = parseShared(value)
		}
	})
	return nil
}

// unsupported names what keeps the repository from being served, as git's
// verify_repository_format does; "" if nothing does.
func (c *Config) unsupported() string {
	if c.Version > 1 {
		return "repository format " + strconv.Itoa(c.Version)
	}
	for name, value := range c.Extensions {
		switch name {
		case "noop", "noop-v1", "partialclone", "preciousobjects", "worktreeconfig", "relativeworktrees":
		case "objectformat":
			f, ok := object.ParseFormat(value)
			if !ok || f != object.SHA1 && c.Version == 0 { // where git refuses it, too
				return "object format " + value + c.old()
			}
		case "refstorage":
			if !strings.EqualFold(value, "files") && !c.Reftable() || c.Reftable() && c.Version == 0 {
				return "ref storage " + value + c.old()
			}
		default:
			if c.Version > 0 { // format 0 ignores extensions it does not know
				return "extension " + name
			}
		}
	}
	return ""
}

// old is why git ignores or refuses what needs a repository of format 1.
func (c *Config) old() string {
	if c.Version == 0 {
		return " in a repository of format 0"
	}
	return ""
}

// parseBool reads git's booleans; a key without a value is "true" already.
func parseBool(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, err := strconv.Atoi(s)
	return n != 0, err == nil
}

// parseShared is git's git_config_perm.
func parseShared(s string) (bits fs.FileMode, exact bool) {
	switch strings.ToLower(s) {
	case "umask":
		return 0, false
	case "group":
		return 0o660, false
	case "all", "world", "everybody":
		return 0o664, false
	}
	n, err := strconv.ParseUint(s, 8, 32)
	if err != nil {
		if on, ok := parseBool(s); ok && on {
			return 0o660, false
		}
		return 0, false
	}
	switch {
	case n == 0:
		return 0, false
	case n == 1:
		return 0o660, false
	case n == 2:
		return 0o664, false
	case n&0o600 != 0o600: // the owner must be able to read and write
		return 0, false
	}
	return fs.FileMode(n & 0o666), true
}

// eachSetting reads a configuration file as git-config(1) describes it. It is
// tolerant: what cannot be a setting is passed over. Sections and keys are
// given in lower case, a key without a value as "true".
func eachSetting(data []byte, f func(section, subsection, key, value string)) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var section, subsection string
	for len(data) > 0 {
		data = bytes.TrimLeft(data, " \t\r\n")
		switch {
		case len(data) == 0:
		case data[0] == '#' || data[0] == ';':
			_, data, _ = bytes.Cut(data, []byte("\n"))
		case data[0] == '[':
			section, subsection, data = readSection(data[1:])
		default:
			var key, value string
			if key, value, data = readSetting(data); key != "" {
				f(section, subsection, key, value)
			}
		}
	}
}

// readSection reads what follows "[": a name, and a quoted one or, after a
// dot, an old-style one that ignores case.
func readSection(data []byte) (section, subsection string, rest []byte) {
	var name, sub []byte
	quoted, inSub := false, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\n':
			return "", "", data[i:]
		case quoted && c == '\\' && i+1 < len(data):
			i++
			sub = append(sub, data[i])
		case c == '"':
			quoted, inSub = !quoted, true
		case quoted:
			sub = append(sub, c)
		case c == ']':
			section = strings.ToLower(string(bytes.TrimSpace(name)))
			if !inSub {
				section, subsection, _ = strings.Cut(section, ".")
				return section, subsection, data[i+1:]
			}
			return section, string(sub), data[i+1:]
		default:
			name = append(name, c)
		}
	}
	return "", "", nil
}

// readSetting reads "key = value" to the end of its line: quotes, escapes,
// comments, and lines that end in a backslash.
func readSetting(data []byte) (key, value string, rest []byte) {
	end := bytes.IndexAny(data, "=\n")
	if end < 0 {
		end = len(data)
	}
	key = strings.ToLower(strings.TrimSpace(string(data[:end])))
	if i := strings.IndexAny(key, "#;"); i >= 0 {
		key = strings.TrimSpace(key[:i])
	}
	if end == len(data) || data[end] == '\n' {
		return key, "true", data[end:]
	}
	data = bytes.TrimLeft(data[end+1:], " \t")
	var b []byte
	quoted, solid := false, 0 // solid: length without trailing blanks
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case c == '\n':
			return key, string(b[:solid]), data[i:]
		case c == '\r' && i+1 < len(data) && data[i+1] == '\n':
			continue
		case c == '\\' && i+1 < len(data):
			i++
			if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
				i++
			}
			if data[i] == '\n' {
				continue
			}
			c = unescape(data[i])
		case c == '"':
			quoted = !quoted
			solid = len(b)
			continue
		case !quoted && (c == '#' || c == ';'):
			_, rest, _ = bytes.Cut(data[i:], []byte("\n"))
			return key, string(b[:solid]), rest
		case !quoted && (c == ' ' || c == '\t'):
			b = append(b, c)
			continue
		}
		b = append(b, c)
		solid = len(b)
	}
	return key, string(b[:solid]), nil
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
