package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/chordgit/chordgit/edit"
)

// A Trust is what an agent's own settings say of our hooks in one of its files. The
// zero value says nothing.
type Trust struct {
	Off     string // the setting that switches them off; empty: none
	All     int    // our hooks in the file; 0 if nothing can be told
	Trusted int    // those that the user trusted as they are
	Changed int    // those that the user trusted in another form
}

// TrustFile is the user's file in which the agent keeps what hooks it may run,
// absolute with slashes; empty if that cannot be read.
func (f *AgentFile) TrustFile(home string, getenv func(string) string) string {
	if f.trusted == "" {
		return ""
	}
	return path.Join(path.Dir(f.Path(true, false, "", home, getenv)), f.trusted)
}

// Trust reads what the agent keeps in [AgentFile.TrustFile] of our hooks in text, the
// agent's file. same tells whether a name there is that file's. What cannot be
// understood says nothing.
func (f *AgentFile) Trust(text, settings []byte, same func(name string) bool) (t Trust) {
	if f.trusted == "" {
		return t
	}
	// As Codex 0.129 and newer keep it.
	var config struct {
		Features map[string]any `toml:"features"`
		Hooks    struct {
			State map[string]toml.Primitive `toml:"state"`
		} `toml:"hooks"`
	}
	meta, err := toml.Decode(string(settings), &config)
	if err != nil {
		return t
	}
	for _, feature := range []string{"hooks", "codex_hooks"} { // the second is the older name
		if config.Features[feature] == false {
			t.Off = "features." + feature + " = false"
		}
	}
	hashes := codexHashes(text)
	t.All = len(hashes)
	trusted := map[string]bool{} // by place: the file may have several names
	for key, raw := range config.Hooks.State {
		var state struct {
			Enabled *bool  `toml:"enabled"`
			Hash    string `toml:"trusted_hash"`
		}
		if meta.PrimitiveDecode(raw, &state) != nil {
			continue // as Codex passes it over
		}
		file, place := cutCodexKey(strings.TrimSpace(key))
		hash, ours := hashes[place]
		if !ours || !same(file) {
			continue
		}
		switch {
		case state.Enabled != nil && !*state.Enabled:
			t.Off = "hooks.state: " + place + " enabled = false"
		case state.Hash != "":
			trusted[place] = trusted[place] || state.Hash == hash
		}
	}
	for _, asItIs := range trusted {
		if asItIs {
			t.Trusted++
		} else {
			t.Changed++
		}
	}
	return t
}

// NamesHooks reports whether Codex's config.toml names hooks itself. What it keeps
// there of hooks in other files does not count.
func NamesHooks(settings []byte) (bool, error) {
	var config struct {
		Hooks map[string]toml.Primitive `toml:"hooks"`
	}
	if _, err := toml.Decode(string(settings), &config); err != nil {
		return false, cannotMerge("%s", edit.Quote(err.Error()))
	}
	delete(config.Hooks, "state")
	return len(config.Hooks) > 0, nil
}

// cutCodexKey parts FILE:EVENT:GROUP:HANDLER after the file.
func cutCodexKey(key string) (file, place string) {
	at := len(key)
	for range 3 {
		if at = strings.LastIndexByte(key[:at], ':'); at < 0 {
			return "", ""
		}
	}
	return key[:at], key[at+1:]
}

// codexHashes are the hashes of our hooks in Codex's file, by EVENT:GROUP:HANDLER. A
// hash is that of the hook as JSON, without blanks and with sorted keys, after its
// defaults were filled in.
func codexHashes(text []byte) map[string]string {
	type handler struct {
		Async   bool   `json:"async"`
		Command string `json:"command"`
		Status  string `json:"statusMessage,omitempty"`
		Timeout *int64 `json:"timeout"`
		Type    string `json:"type"`
	}
	var file struct {
		Hooks map[string][]struct {
			Matcher *string
			Hooks   []json.RawMessage
		}
	}
	hashes := map[string]string{}
	if json.Unmarshal(text, &file) != nil {
		return hashes
	}
	for event, groups := range file.Hooks {
		label := snake(event)
		for i, g := range groups {
			for j, raw := range g.Hooks {
				var h handler
				if json.Unmarshal(raw, &h) != nil || h.Type != "command" || !ownCommand.MatchString(h.Command) {
					continue
				}
				if h.Timeout == nil {
					h.Timeout = new(int64)
					*h.Timeout = 600
				}
				identity := struct {
					Event   string    `json:"event_name"`
					Hooks   []handler `json:"hooks"`
					Matcher *string   `json:"matcher,omitempty"`
				}{label, []handler{h}, g.Matcher}
				var b strings.Builder
				enc := json.NewEncoder(&b)
				enc.SetEscapeHTML(false)
				if enc.Encode(identity) != nil {
					continue
				}
				sum := sha256.Sum256([]byte(strings.TrimSuffix(b.String(), "\n")))
				hashes[fmt.Sprintf("%s:%d:%d", label, i, j)] = "sha256:" + hex.EncodeToString(sum[:])
			}
		}
	}
	return hashes
}

// snake is PreToolUse as pre_tool_use.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if 'A' <= r && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
