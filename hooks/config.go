package hooks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/goccy/go-yaml/ast"
)

// ConfigName is the name of a repository's configuration file, in the root of
// the worktree.
const ConfigName = ".chordgit.yaml"

// ConfigLimit is the size in bytes from which on a configuration file is
// refused: who reads one need not read more than ConfigLimit+1.
const ConfigLimit = 256 << 10

// BadConfig is the code of all errors of [DecodeConfig] and [CheckConfigName].
const BadConfig edit.Code = "bad-config"

// A Config is what one layer says: a configuration file, or the flags of a
// command. A zero field says nothing.
type Config struct {
	Match struct {
		Ambiguous    string // "note" or "refuse"
		FinalNewline string // "ensure" or "preserve"
	}
	Apply struct {
		Atomic *bool
	}
	Limits struct {
		Request, File int64 // bytes
	}
	Memory struct {
		Dir string // relative to the worktree's root
	}
	Store struct {
		KeepTurns, KeepDays int
		MaxSize             int64 // bytes
		AutoPrune           *bool
	}
	Compat     Compat
	Providers  map[string]*Provider
	Snapshot   SnapshotConfig
	Policy     PolicyConfig
	Hooks      HooksConfig
	Permission map[string]*ToolRules // by tool: edit, apply_patch, write, delete, move, shell, or * for all
}

// schema lists the keys of a configuration file and where their values go.
func (c *Config) schema() section {
	return section{
		"version": version,
		"match": section{
			"ambiguous":     word(&c.Match.Ambiguous, "note", "refuse"),
			"final_newline": word(&c.Match.FinalNewline, "ensure", "preserve"),
		}.decode,
		"apply": section{
			"atomic": boolean(&c.Apply.Atomic),
		}.decode,
		"limits": section{
			"request": size(&c.Limits.Request),
			"file":    size(&c.Limits.File),
		}.decode,
		"memory": section{
			"dir": directory(&c.Memory.Dir),
		}.decode,
		"store": section{
			"keep_turns": count(&c.Store.KeepTurns),
			"keep_days":  count(&c.Store.KeepDays),
			"max_size":   size(&c.Store.MaxSize),
			"auto_prune": boolean(&c.Store.AutoPrune),
		}.decode,
		"snapshot":   c.Snapshot.schema().decode,
		"compat":     c.Compat.schema().decode,
		"providers":  named(&c.Providers, (*Provider).schema),
		"policy":     c.Policy.schema().decode,
		"hooks":      c.Hooks.schema().decode,
		"permission": permission(&c.Permission),
	}
}

// DecodeConfig reads the text of a configuration file. The place is its name in
// messages: ".chordgit.yaml", "HEAD:.chordgit.yaml", "~/.config/chordgit/config.yaml".
// A text without content is a Config that says nothing.
//
// The error is an [edit.Errors] of code [BadConfig] with the first 20 errors in
// the order of the text, each of the form "PLACE:LINE:COLUMN: MESSAGE" and with
// its line in Lines; the Config is then nil. A file with an error is never to be
// taken for an empty one.
//
// What counts only in the user's file is an error here.
func DecodeConfig(place string, data []byte) (*Config, error) {
	return decodeConfig(decoder{place: place}, data)
}

// DecodeUserConfig is [DecodeConfig] for the user's file.
func DecodeUserConfig(place string, data []byte) (*Config, error) {
	return decodeConfig(decoder{place: place, user: true}, data)
}

func decodeConfig(d decoder, data []byte) (*Config, error) {
	c := &Config{}
	d.read(data, func(root ast.Node) {
		c.schema().decode(&d, "", root)
		if c.Snapshot.AllowRoot != nil && !d.user {
			d.errorf(start(root), "snapshot.allow_root: allow counts only in the user's file")
		}
	})
	if err := d.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// Settings are the values in force, in the terms of the packages that use them.
type Settings struct {
	RefuseAmbiguous  bool  // match.ambiguous: what fits several places is an error
	KeepFinalNewline bool  // match.final_newline: an update ends in a line break only where the file did
	Atomic           bool  // apply.atomic: one failure leaves nothing of a request
	RequestLimit     int64 // limits.request: bytes of a request
	FileLimit        int64 // limits.file: bytes of a file that may be edited
	Snapshot         SnapshotConfig
	MemoryDir        string // memory.dir: what /memories stands for, relative to the worktree's root; empty: nothing
	KeepTurns        int    // store.keep_turns: how many turns are kept, in all worktrees
	KeepDays         int    // store.keep_days: for how long
	MaxSize          int64  // store.max_size: bytes that the turns stored
	AutoPrune        bool   // store.auto_prune: what is over these limits goes by itself
}

// MergeConfig combines layers, the nearest first (flags, repository, user), with
// the defaults last. Of most settings the nearest layer that has a say counts;
// an ambiguous match is refused if any layer wants it. A nil layer says nothing.
func MergeConfig(layers ...*Config) Settings {
	s := Settings{RequestLimit: 64 << 20, FileLimit: 512 << 20, Snapshot: mergeSnapshot(layers), KeepTurns: 500, KeepDays: 30, MaxSize: 2 << 30, AutoPrune: true}
	for _, c := range slices.Backward(layers) { // the nearest has the last word
		if c == nil {
			continue
		}
		if c.Match.Ambiguous == "refuse" {
			s.RefuseAmbiguous = true
		}
		if c.Match.FinalNewline != "" {
			s.KeepFinalNewline = c.Match.FinalNewline == "preserve"
		}
		if c.Apply.Atomic != nil {
			s.Atomic = *c.Apply.Atomic
		}
		if c.Limits.Request != 0 {
			s.RequestLimit = c.Limits.Request
		}
		if c.Limits.File != 0 {
			s.FileLimit = c.Limits.File
		}
		if c.Memory.Dir != "" {
			s.MemoryDir = c.Memory.Dir
		}
		s.KeepTurns = cmp.Or(c.Store.KeepTurns, s.KeepTurns)
		s.KeepDays = cmp.Or(c.Store.KeepDays, s.KeepDays)
		s.MaxSize = cmp.Or(c.Store.MaxSize, s.MaxSize)
		if c.Store.AutoPrune != nil {
			s.AutoPrune = *c.Store.AutoPrune
		}
	}
	return s
}

// CheckConfigName returns an error, of code [BadConfig], for the name of a file
// in the worktree's root whose author believes to have a policy: .chordgit.yml,
// .chordgit.toml, .chordgit.json, or any of these or [ConfigName] in other
// letter case.
func CheckConfigName(name string) error {
	if name == ConfigName {
		return nil
	}
	for _, taken := range []string{ConfigName, ".chordgit.yml", ".chordgit.toml", ".chordgit.json"} {
		if strings.EqualFold(name, taken) {
			return &edit.Error{Code: BadConfig, Path: name, Msg: "the policy file is " + ConfigName}
		}
	}
	return nil
}
