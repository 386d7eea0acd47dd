package gitops

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// format is the version of meta.json that this code writes and the highest it
// understands.
const format = 1

// The kinds of turn.
const (
	KindApply  = "apply"
	KindRewind = "rewind"
	KindTurn   = "turn" // of an agent, from its begin to its end
	KindRun    = "run"  // of one command
)

// The states of a turn.
const (
	StatusOpen        = "open"
	StatusComplete    = "complete"
	StatusInterrupted = "interrupted" // closed by somebody else's command
	StatusRecovered   = "recovered"   // closed by recovery with what was on disk
)

// The scopes of a turn: the paths that one transaction touched, or everything in
// the worktree.
const (
	ScopePaths    = "paths"
	ScopeWorktree = "worktree"
)

// A Turn is one recorded change of the worktree. The caller of [Repo.Apply]
// fills Agent, Session and Message; everything else is filled when the turn is
// recorded or read.
type Turn struct {
	N       int    // the number, from 1, never reused
	Clone   string // the id of another clone whose turn it is; empty: this one's
	Kind    string // one of the kinds above
	Scope   string // ScopePaths or ScopeWorktree
	Status  string
	Agent   string // empty if nobody said
	Session string
	Message string // the prompt or description; its first line is the subject

	AgentTurn string // the agent's own id of the turn
	Late      bool   // closed by somebody else, with no evidence of when its agent stopped: may hold a person's changes
	Parent    int    // the open turn of the same session in which it ran; 0: none

	Started, Ended time.Time
	Undoes         []int    // the turns that a rewind takes back
	Partial        bool     // a rewind that did not take everything back
	Paths          []string // the paths that changed, sorted
	Moves          []Move
	MadeDirs       []string    // directories that the turn made, parents first
	RemovedDirs    []string    // directories that the turn removed, children first
	Notes          []edit.Note // what a person should know of the start; as returned by Begin only
	StoredBytes    int64       // of the objects that were new with the turn, before compression
	Worktree       string      // "main", or the linked worktree's id
	Head           string      // HEAD at the start: "refs/heads/main 10e1…", "refs/heads/main unborn" or "detached 10e1…"

	batch     *object.Batch // what its plan holds by id alone; nil: nothing
	tag, tree object.ID
	git       object.ID // the tree git/ of one that is about to be recorded; zero: none
	facts     *gitFacts // of a rewind that takes git's state back; nil: it does not
	said      string    // the tag's message, as read
	meta      *meta
}

// A Move is a file that went from one path to another.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Subject is the first line of the message, at most 72 columns, without
// control characters; "turn N" if there is none.
func (t *Turn) Subject() string {
	line, _, _ := strings.Cut(strings.TrimSpace(t.Message), "\n")
	line = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, line))
	if utf8.RuneCountInString(line) > 72 {
		line = string([]rune(line)[:71]) + "…"
	}
	if line == "" {
		return fmt.Sprintf("turn %d", t.N)
	}
	return line
}

// meta is meta.json: everything that a tree cannot hold. Members may be added,
// never renamed.
type meta struct {
	Format      int            `json:"format"`
	Turn        int            `json:"turn"`
	Kind        string         `json:"kind"`
	Scope       string         `json:"scope"`
	Status      string         `json:"status"`
	Agent       string         `json:"agent,omitempty"`
	Session     string         `json:"session,omitempty"`
	AgentTurn   string         `json:"agent_turn,omitempty"`
	Parent      int            `json:"parent,omitempty"`
	Message     string         `json:"message,omitempty"`
	Undoes      []int          `json:"undoes,omitempty"`
	Partial     bool           `json:"partial,omitempty"`
	Paths       []string       `json:"paths,omitempty"` // of scope paths
	Started     time.Time      `json:"started"`
	Ended       time.Time      `json:"ended,omitzero"`
	Worktree    metaTree       `json:"worktree"`
	Host        string         `json:"host,omitempty"`
	Head        gitstate.Heads `json:"head"`
	Modes       metaModes      `json:"modes"`
	Moves       []Move         `json:"moves,omitempty"`
	MadeDirs    []string       `json:"made_dirs,omitempty"`
	RemovedDirs []string       `json:"removed_dirs,omitempty"`
	Unseen      []string       `json:"unseen,omitempty"` // of an apply: paths whose result carries what somebody else wrote and the session did not read

	// Of scope worktree.
	EmptyDirs  metaList        `json:"empty_dirs,omitzero"`
	Ignored    metaList        `json:"ignored,omitzero"`
	Skipped    metaSkips       `json:"skipped,omitzero"`
	Incomplete metaList        `json:"incomplete,omitzero"`
	Unstable   metaUnstable    `json:"unstable,omitzero"`
	Nested     []metaNested    `json:"nested,omitempty"`
	Owners     metaOwners      `json:"owners,omitzero"`
	Scans      metaScans       `json:"scans,omitzero"`
	Git        gitstate.Record `json:"git,omitzero"`
	Late       bool            `json:"late,omitempty"` // closed without evidence of when its agent stopped

	Stats metaStats `json:"stats"`
}

type metaUnstable struct {
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

type metaScans struct {
	Before metaScan `json:"before"`
	After  metaScan `json:"after,omitzero"`
}

// metaOwners says who wrote a path, where it is not the default.
type metaOwners struct {
	Default string            `json:"default"`
	Paths   map[string]string `json:"paths,omitempty"`
	// Trailed are the paths of OwnerOutside that changed after a call of the session
	// that may have left a process behind.
	Trailed []string `json:"trailed,omitempty"`
}

type metaTree struct {
	ID   string `json:"id"`
	Key  string `json:"key"`
	Path string `json:"path"`
}

// metaModes are the full permissions: the most frequent of each class once,
// then the paths that have others.
type metaModes struct {
	Base   map[string]string `json:"base"`
	Before map[string]string `json:"before,omitempty"`
	After  map[string]string `json:"after,omitempty"`
}

type metaStats struct {
	Created     int   `json:"created"`
	Changed     int   `json:"changed"`
	Deleted     int   `json:"deleted"`
	Scanned     int   `json:"scanned,omitempty"`
	StoredBytes int64 `json:"stored_bytes"`
}

// EncodePath makes a path of any bytes a string that JSON can hold: "%",
// control characters and bytes that are not UTF-8 are written %XX.
func EncodePath(p string) string { return pathcode.Encode(p) }

func mapStrings(in []string, f func(string) string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = f(s)
	}
	return out
}

// classes are the two classes of permission that a tree's mode tells apart.
var classes = map[bool]string{false: "file", true: "exec"}

// setModes records the permissions of a plan's files and directories.
func (m *meta) setModes(plan *edit.Plan) {
	changes := plan.Changes
	count := map[string]map[fs.FileMode]int{"file": {}, "exec": {}}
	each := func(f *edit.File) {
		if f.Regular() {
			count[classes[f.Mode&0o100 != 0]][permissions(f.Mode)]++
		}
	}
	for _, c := range changes {
		each(c.Before)
		each(c.After)
	}
	m.Modes.Base = map[string]string{}
	for class, usual := range map[string]fs.FileMode{"file": 0o644, "exec": 0o755} {
		most := 0
		for mode, n := range count[class] {
			if n > most || n == most && mode < usual {
				usual, most = mode, n
			}
		}
		m.Modes.Base[class] = octal(usual)
	}
	m.Modes.Before, m.Modes.After = map[string]string{}, map[string]string{}
	for _, c := range changes {
		for list, f := range map[*map[string]string]*edit.File{&m.Modes.Before: c.Before, &m.Modes.After: c.After} {
			if f.Regular() && octal(permissions(f.Mode)) != m.Modes.Base[classes[f.Mode&0o100 != 0]] {
				(*list)[pathcode.Encode(c.Path)] = octal(permissions(f.Mode))
			}
		}
	}
	for _, d := range plan.DirModes {
		if d.Before != 0 {
			m.Modes.Before[pathcode.Encode(d.Path)+"/"] = octal(permissions(d.Before))
		}
		if d.After != 0 {
			m.Modes.After[pathcode.Encode(d.Path)+"/"] = octal(permissions(d.After))
		}
	}
}

// modeBits are the permissions as package fs has them.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// permissions are the twelve bits as the system numbers them.
func permissions(mode fs.FileMode) fs.FileMode {
	p := mode.Perm()
	if mode&fs.ModeSetuid != 0 {
		p |= 0o4000
	}
	if mode&fs.ModeSetgid != 0 {
		p |= 0o2000
	}
	if mode&fs.ModeSticky != 0 {
		p |= 0o1000
	}
	return p
}

func octal(p fs.FileMode) string { return fmt.Sprintf("%04o", uint32(p)) }

// mode returns the full mode of a regular file that a tree holds as exec or
// not.
func (m *meta) mode(path string, exec, after bool) fs.FileMode {
	path = pathcode.Encode(path)
	text, ok := "", false
	if after {
		text, ok = m.Modes.After[path]
	}
	if !ok && (!after || m.Scope == ScopeWorktree) {
		text, ok = m.Modes.Before[path]
	}
	// An exception of the start says nothing of a file that became another.
	mode, known := parseMode(text)
	if !ok || !known || (mode&0o100 != 0) != exec {
		mode, known = parseMode(m.Modes.Base[classes[exec]])
	}
	if known {
		return mode
	}
	if exec {
		return 0o755
	}
	return 0o644
}

// parseMode reads four octal digits.
func parseMode(text string) (mode fs.FileMode, ok bool) {
	bits, err := strconv.ParseUint(text, 8, 12)
	if err != nil {
		return 0, false
	}
	mode = fs.FileMode(bits & 0o777)
	if bits&0o4000 != 0 {
		mode |= fs.ModeSetuid
	}
	if bits&0o2000 != 0 {
		mode |= fs.ModeSetgid
	}
	if bits&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	return mode, true
}

// tagMessage is the body of the turn's tag: subject, the rest of the prompt,
// and the trailers that log needs.
func (t *Turn) tagMessage() string {
	var b strings.Builder
	b.WriteString(t.Subject() + "\n")
	_, rest, _ := strings.Cut(strings.TrimSpace(t.Message), "\n")
	if rest = strings.TrimSpace(clean(rest)); rest != "" {
		if len(rest) > 4<<10 {
			rest = strings.ToValidUTF8(rest[:4<<10], "")
		}
		b.WriteString("\n" + rest + "\n")
	}
	b.WriteString("\n")
	for _, l := range t.trailers() {
		b.WriteString(l[0] + ": " + l[1] + "\n")
	}
	return b.String()
}

// trailers are what log needs of meta.json, as keys and values in the order of
// the tag's last lines. A key whose value is empty is left out.
func (t *Turn) trailers() (list [][2]string) {
	add := func(key, value string) {
		if value != "" {
			list = append(list, [2]string{key, strings.ReplaceAll(clean(value), "\n", " ")})
		}
	}
	add("Agent", t.Agent)
	add("Session", t.Session)
	add("Scope", t.meta.Scope)
	for _, n := range t.Undoes {
		add("Undoes", strconv.Itoa(n))
	}
	add("Head", t.Head)
	add("Worktree", t.Worktree)
	if t.Parent > 0 {
		add("Parent", strconv.Itoa(t.Parent))
	}
	if t.Partial {
		add("Partial", "yes")
	}
	add("Turn-Id", t.AgentTurn)
	add("Format", strconv.Itoa(t.meta.Format))
	add("Status", t.Status)
	return list
}

// clean drops what must not stand in a tag: control characters but line
// breaks, bytes that are not UTF-8.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// fill sets the turn's fields from its meta.json.
func (t *Turn) fill(data []byte) error {
	m := &meta{}
	if err := json.Unmarshal(data, m); err != nil {
		// A newer format may hold what this one has no place for.
		var other struct{ Format int }
		if t.meta = m; json.Unmarshal(data, &other) == nil && other.Format > format {
			m.Format = other.Format
			return t.newer()
		}
		return &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("turn %s: its meta.json cannot be read", t.Name()), Err: err}
	}
	if m.Turn != t.N {
		return &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("turn %s: its meta.json is that of turn %d", t.Name(), m.Turn)}
	}
	t.meta = m
	t.Kind, t.Scope, t.Status, t.Agent, t.Session, t.Message = m.Kind, m.Scope, m.Status, m.Agent, m.Session, m.Message
	t.AgentTurn, t.Parent, t.Late = m.AgentTurn, m.Parent, m.Late
	t.Started, t.Ended = m.Started, m.Ended
	t.Undoes, t.Partial, t.Moves = m.Undoes, m.Partial, slices.Clone(m.Moves)
	for i := range t.Moves {
		t.Moves[i] = Move{pathcode.Decode(t.Moves[i].From), pathcode.Decode(t.Moves[i].To)}
	}
	t.Paths = mapStrings(m.Paths, pathcode.Decode)
	t.MadeDirs = mapStrings(m.MadeDirs, pathcode.Decode)
	t.RemovedDirs = mapStrings(m.RemovedDirs, pathcode.Decode)
	t.Worktree, t.Head, t.StoredBytes = m.Worktree.ID, m.Head.Before.String(), m.Stats.StoredBytes
	return nil
}

// newer refuses a turn whose format this code does not know.
func (t *Turn) newer() error {
	if t.meta.Format <= format {
		return nil
	}
	return &edit.Error{Code: edit.Damaged, Msg: fmt.Sprintf("turn %s was made by a newer chordgit (format %d, this one knows %d)", t.Name(), t.meta.Format, format)}
}
