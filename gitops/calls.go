package gitops

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
)

// A CallKind says what a call of an agent's tool can do to the worktree.
type CallKind string

// The kinds of call.
const (
	CallEdit  CallKind = "edit"  // writes the files that it names
	CallRead  CallKind = "read"  // writes nothing, shows the agent the files that it names
	CallShell CallKind = "shell" // may write any file
	CallOther CallKind = "other" // may write any file; so does a kind that is not known
	CallNone  CallKind = "none"  // no call, only a sign of life: a turn's begin or end
)

// A Call is what the log of a session says of one call of a tool.
type Call struct {
	ID    string // the agent's own id, which joins the begin of a call with its end; may be empty
	Tool  string
	Kind  CallKind
	Paths []string // of an edit or read: what it names, relative to the worktree's root
	// Reads says that the agent's reads are logged, too, so that one that is not in
	// the log was not made.
	Reads bool
}

// LogCall appends to the call log of a session that a call begins, or that it
// has ended. From the log follows who wrote what ([Turn.Owner]), and what the
// agent can have seen of a file. A session without a log counts as one call from
// the begin of its turn to its end.
//
// A line about the begin of a turn is appended after [Repo.Begin]: what comes
// before it belongs to the turn that Begin closes. Nothing is synced; an error
// has code CommitFailed.
func (r *Repo) LogCall(session string, c Call, ended bool) error {
	if err := r.logCall(session, c, ended); err != nil {
		return trouble(edit.CommitFailed, "the session's call log cannot be written", err)
	}
	return nil
}

// A callLine is a line of the log. Members may be added.
type callLine struct {
	Call  string   `json:"call,omitempty"`
	Tool  string   `json:"tool,omitempty"`
	Kind  CallKind `json:"kind"`
	Paths []string `json:"paths,omitempty"` // encoded
	Reads bool     `json:"reads,omitempty"`
	// Start and End are nanoseconds of the file system's clock; 0: the event does
	// not tell.
	Start int64 `json:"start,omitempty"`
	End   int64 `json:"end,omitempty"`
	Clock int64 `json:"clock,omitempty"` // the system's clock less the time since it was started
}

func (l *callLine) at() int64 { return max(l.Start, l.End) }

func (r *Repo) callsFile(session string) string {
	return strings.TrimSuffix(r.sessionFile(session), ".json") + ".calls"
}

func (r *Repo) logCall(session string, c Call, ended bool) error {
	name, perm := r.callsFile(session), r.layout.Perm()
	if err := perm.MkdirAll(filepath.Dir(name), true); err != nil {
		return err
	}
	if fi, err := os.Lstat(name); err == nil && !fi.Mode().IsRegular() {
		return &fs.PathError{Op: "append", Path: name, Err: errors.New("is no regular file")}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := perm.Fix(name); err != nil {
		return err
	}
	// The line break ends what a process that died, or a full disk, left of a
	// line. By it the file system tells its time, which is the one of all files.
	if _, err := f.Write([]byte{'\n'}); err != nil {
		return err
	}
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	l := callLine{Call: c.ID, Tool: c.Tool, Kind: c.Kind, Paths: mapStrings(c.Paths, pathcode.Encode), Reads: c.Reads}
	if ended {
		l.End = fi.ModTime().UnixNano()
	} else {
		l.Start = fi.ModTime().UnixNano()
	}
	if up, ok := sinceBoot(); ok {
		l.Clock = time.Now().UnixNano() - int64(up)
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	// One write: what hooks append at the same time does not mix with it.
	_, err = f.Write(append(data, '\n'))
	return err
}

// A loggedCall is a call with the time that it took: what the log leaves open is
// filled in.
type loggedCall struct {
	Call
	start, end int64 // nanoseconds; end is never for a call that may still run
}

const never = math.MaxInt64

// A callLog is what the log of a session says.
type callLog struct {
	lines []callLine
	calls []loggedCall
	reads bool // reads are logged
}

// callsOf reads the log of a session; one that is not there is empty.
func (r *Repo) callsOf(session string) (*callLog, error) {
	name := r.callsFile(session)
	fi, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !fi.Mode().IsRegular() {
		return &callLog{}, nil
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, trouble(edit.Unreadable, "the session's call log cannot be read", err)
	}
	return parseCalls(data), nil
}

// parseCalls reads a log. Lines that cannot be understood are passed over: half
// a line is left where a process died.
func parseCalls(data []byte) *callLog {
	log := &callLog{}
	for text := range strings.Lines(string(data)) {
		var l callLine
		if !strings.HasSuffix(text, "\n") || json.Unmarshal([]byte(text), &l) != nil || l.Start < 0 || l.End < 0 || l.at() == 0 {
			continue
		}
		log.lines = append(log.lines, l)
		log.reads = log.reads || l.Reads || l.Kind == CallRead
	}
	running := map[string]int{} // id → its call, where the end is not known yet
	var open []int              // lines that began the calls, as above; parallel to calls
	for i, l := range log.lines {
		paths := mapStrings(l.Paths, pathcode.Decode)
		if k, ok := running[l.Call]; ok && l.Call != "" && l.End > 0 {
			c := &log.calls[k]
			c.end = l.End
			for _, p := range paths {
				if !slices.Contains(c.Paths, p) {
					c.Paths = append(c.Paths, p)
				}
			}
			delete(running, l.Call)
			continue
		}
		if l.Kind == CallNone {
			continue
		}
		c := loggedCall{Call: Call{ID: l.Call, Tool: l.Tool, Kind: l.Kind, Paths: paths, Reads: l.Reads}, start: l.Start, end: l.End}
		if c.start == 0 && l.Kind == CallRead {
			c.start = c.end // all that is known; a read shows one moment
		} else if c.start == 0 && i > 0 {
			c.start = log.lines[i-1].at() // it began after the event before
		}
		if c.end == 0 && l.Call != "" {
			running[l.Call] = len(log.calls)
		}
		log.calls, open = append(log.calls, c), append(open, i)
	}
	for k := range log.calls {
		c := &log.calls[k]
		switch i := open[k] + 1; {
		case c.end > 0:
		case i < len(log.lines): // no end is known: until the session's next event
			c.end = log.lines[i].at()
		default:
			c.end = never
		}
		c.end = max(c.end, c.start)
	}
	return log
}

// covers reports whether calls were logged between two times.
func (l *callLog) covers(from, to int64) bool {
	return slices.ContainsFunc(l.lines, func(x callLine) bool { return x.at() >= from && x.at() <= to })
}

// last is the time of the newest event, 0 if there is none.
func (l *callLog) last() (at int64) {
	for _, x := range l.lines {
		at = max(at, x.at())
	}
	return at
}

// clockSet reports whether the system's clock was set between two entries of
// the log of which one is not older than a time. A restart of the system looks
// the same, since no time since boot goes on over it.
func (l *callLog) clockSet(from int64) bool {
	var was *callLine
	for i := range l.lines {
		x := &l.lines[i]
		if x.Clock == 0 {
			continue
		}
		if was != nil && (was.at() >= from || x.at() >= from) && (x.Clock > was.Clock+int64(time.Second) || was.Clock > x.Clock+int64(time.Second)) {
			return true
		}
		was = x
	}
	return false
}
