package gitops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/ref"
	"github.com/chordgit/chordgit/gitops/internal/repo"
	"github.com/chordgit/chordgit/snapshot"
)

// RefusedRoot is the code of the refusal to capture a directory that is no
// project: a home directory, the root of the file system and the like.
const RefusedRoot edit.Code = "refused-root"

// Begin captures the whole worktree and opens a turn, which [Repo.End] closes.
// Of t the caller gives Agent, Session, AgentTurn, Message, and KindRun as Kind
// for a command that it runs itself.
//
// A session has one open turn in a worktree. A second Begin with the same
// AgentTurn keeps the first start, and so does one without an AgentTurn if
// nothing has changed since and it has no other Message; any other closes the open turn first, as
// interrupted. The turn that is returned is the open one.
//
// A context that ends makes the start incomplete, which the turn says; it is no
// error. Errors: RefusedRoot; CommitFailed if the turn could not be recorded.
// Then nothing was.
func (r *Repo) Begin(ctx context.Context, t Turn) (*Turn, error) {
	return r.BeginNoting(ctx, t, nil)
}

// A Note changes what is kept of a session as a turn of it begins. The turn's
// start is stored, but it is not open yet; it will not be if Note returns an
// error.
type Note func(*Turn, *SessionState) error

// BeginNoting is [Repo.Begin] for a caller that keeps facts of its own about the
// turn: they are written before it is open. Of a turn that is open already note is
// not asked.
func (r *Repo) BeginNoting(ctx context.Context, t Turn, note Note) (*Turn, error) {
	if err := r.mayCapture(); err != nil {
		return nil, err
	}
	if t.Kind == "" {
		t.Kind = KindTurn
	}
	t.Started = time.Now()
	unlock, err := r.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	kept, err := r.makeWay(ctx, &t)
	if err != nil || kept != nil {
		return kept, err
	}
	return r.begin(ctx, &t, note)
}

// MakeWay closes what a Begin of the same turn would close: the open turn of the
// session, as interrupted, unless it is kept. Who judges closed turns does so
// before the next one's start is captured.
func (r *Repo) MakeWay(ctx context.Context, t Turn) error {
	if t.Kind == "" {
		t.Kind = KindTurn
	}
	open, err := r.openTurn(t.Session)
	switch {
	case err != nil:
		return err
	case open == nil:
		// An end that died may have closed a turn and not noted it.
		if state, err := r.Session(t.Session); err != nil || state.Open == 0 {
			return err
		}
	case t.AgentTurn != "" && t.AgentTurn == open.AgentTurn:
		return nil
	}
	unlock, err := r.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = r.makeWay(ctx, &t)
	return err
}

// makeWay returns the open turn if it is kept.
func (r *Repo) makeWay(ctx context.Context, t *Turn) (*Turn, error) {
	open, err := r.openTurn(t.Session)
	if err != nil || open == nil {
		return nil, err
	}
	if t.AgentTurn != "" && t.AgentTurn == open.AgentTurn {
		return open, nil
	}
	keep := t.AgentTurn == "" && open.AgentTurn == "" && t.Kind == KindTurn && open.Kind == KindTurn &&
		(t.Message == "" || t.Message == open.Message) // another prompt's work is not this one's
	_, same, err := r.finish(ctx, open, closing{status: StatusInterrupted, late: true, keepSame: keep})
	if err != nil || !keep || !same {
		return nil, err
	}
	return open, nil
}

// begin captures the start and records it.
func (r *Repo) begin(ctx context.Context, t *Turn, note Note) (*Turn, error) {
	start, err := r.git().Start(r.indexKept(t.Session))
	if err != nil {
		return nil, err
	}
	c, err := r.capture(ctx, nil, false)
	if err != nil {
		return nil, err
	}
	defer c.close()
	// From here on the turn is recorded, whatever happens to the deadline.
	ctx = context.WithoutCancel(ctx)
	if err := r.startMeta(t, c, start.Head); err != nil {
		return nil, err
	}
	unlock, err := r.lockNumbers(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	state, err := r.number(t, c, func() (*os.File, error) { return r.sessionBegins(t, start, note) })
	if err != nil {
		return nil, err
	}
	if err := c.batch.Verify(); err != nil {
		unstage(state)
		return nil, errors.Join(unrecorded(err), r.unmark(t))
	}
	r.opt.Step("opened")
	if err := r.placeSession(state, r.sessionFile(t.Session)); err != nil {
		return nil, errors.Join(err, r.unmark(t))
	}
	r.opt.Step("noted")
	r.save(c, openRef(t.N), t.tag)
	r.sweep(time.Unix(0, c.Ended))
	r.opt.Step("saved")
	return t, nil
}

// unmark removes a turn's open mark.
func (r *Repo) unmark(t *Turn) error {
	if err := r.refs.Remove(openRef(t.N), t.tag); err != nil && !errors.Is(err, ref.ErrNotFound) {
		return trouble(edit.CommitFailed, fmt.Sprintf("the mark of turn %d cannot be removed", t.N), err)
	}
	return nil
}

// save writes the stat cache. That it could not be written costs time only. What a
// closed turn keeps stays its own: should an open one be dropped, it is still there.
func (r *Repo) save(c *captured, ref string, id object.ID) {
	if strings.HasPrefix(c.Keeper(), turnsPrefix) && (strings.HasPrefix(ref, openPrefix) || c.Little()) {
		ref, id = "", object.ID{}
	}
	_ = r.saveCache(c, ref, id)
}

// saveCache writes the stat cache, with the owner that all of the git directory
// has.
func (r *Repo) saveCache(c *captured, ref string, id object.ID) error {
	if err := c.Save(ref, id.Bytes()); err != nil {
		return err
	}
	return r.layout.Perm().Fix(filepath.Join(r.stateDir(), snapshot.CacheName))
}

// startMeta fills in what is known when a turn begins.
func (r *Repo) startMeta(t *Turn, c *captured, head gitstate.Head) error {
	key, err := r.key()
	if err != nil {
		return trouble(edit.CommitFailed, "the git directory cannot be written", err)
	}
	t.Status, t.Scope, t.Worktree, t.Head = StatusOpen, ScopeWorktree, r.layout.ID, head.String()
	m := &meta{
		Format: format, Kind: t.Kind, Scope: t.Scope, Status: t.Status,
		Agent: t.Agent, Session: t.Session, AgentTurn: t.AgentTurn, Message: t.Message,
		Started:  t.Started.UTC().Truncate(time.Millisecond),
		Worktree: metaTree{ID: r.layout.ID, Key: key, Path: pathcode.Encode(r.layout.Top)},
		Host:     repo.Host(),
		Head:     gitstate.Heads{Before: head},
		Scans:    metaScans{Before: metaScan{c.Began, c.Ended}},
	}
	facts := c.Facts(nil, nil)
	m.facts(facts)
	t.Notes = r.exposed(facts)
	for _, p := range facts.Nested {
		m.Nested = append(m.Nested, metaNested{Path: pathcode.Encode(p), Kind: r.nestedKind(p), Before: r.nestedHead(p)})
	}
	m.Stats.Scanned = c.Files
	m.Stats.StoredBytes = c.batch.Stats().Bytes
	t.meta = m
	return nil
}

// nestedKind tells a submodule from a repository of its own.
func (r *Repo) nestedKind(path string) string {
	if at, err := r.layout.IndexEntry(path); err == nil && at.Gitlink == path {
		return "submodule"
	}
	return "repository"
}

// number gives a captured turn its number and its open mark, under the number
// lock. stage writes what is to be placed once the turn is open: the mark is the
// last thing that needs room on the disk.
func (r *Repo) number(t *Turn, c *captured, stage func() (*os.File, error)) (staged *os.File, err error) {
	for thorough := false; ; thorough = true {
		if t.N, err = r.nextNumber(thorough); err != nil {
			return nil, unrecorded(err)
		}
		if taken, err := r.closed(t); err != nil {
			return nil, unrecorded(err)
		} else if taken {
			continue
		}
		if err := r.tagTrees(t, c.batch, c.tree, nil); err != nil {
			return nil, unrecorded(err)
		}
		if staged, err = stage(); err != nil {
			return nil, err
		}
		r.opt.Step("open")
		err := r.refs.Create(openRef(t.N), t.tag)
		if err == nil {
			return staged, nil
		}
		unstage(staged)
		if !errors.Is(err, ref.ErrExists) {
			return nil, unrecorded(err)
		}
	}
}

// tagTrees writes a captured turn: its trees (after nil: still open),
// meta.json and tag, and makes everything in the batch durable.
func (r *Repo) tagTrees(t *Turn, batch *object.Batch, before object.ID, after *object.ID) error {
	t.meta.Turn = t.N
	data, err := json.MarshalIndent(t.meta, "", " ")
	if err != nil {
		return err
	}
	metaID, err := batch.Blob(append(data, '\n'))
	if err != nil {
		return err
	}
	entries := []object.Entry{{Name: "meta.json", Mode: object.File, ID: metaID}}
	for name, id := range map[string]*object.ID{"before": &before, "after": after} {
		if id == nil {
			continue
		}
		tree := *id
		if tree.IsZero() { // nothing is stored: an empty tree, which is an object here
			if tree, err = batch.Object(object.Tree, nil); err != nil {
				return err
			}
		}
		entries = append(entries, object.Entry{Name: name, Mode: object.Dir, ID: tree})
	}
	if !t.git.IsZero() {
		entries = append(entries, object.Entry{Name: "git", Mode: object.Dir, ID: t.git})
	}
	slices.SortFunc(entries, func(a, b object.Entry) int { return strings.Compare(a.Name, b.Name) })
	if t.tree, err = batch.Tree(entries); err != nil {
		return err
	}
	when := t.Started
	if !t.Ended.IsZero() {
		when = t.Ended
	}
	tag := &object.TagObject{
		Object: t.tree, Type: object.Tree, Name: fmt.Sprintf("chordgit/turns/%d", t.N),
		Tagger:  fmt.Sprintf("chordgit <chordgit@localhost> %d +0000", when.Unix()),
		Message: t.tagMessage(),
	}
	if t.tag, err = batch.Object(object.Tag, tag.Encode()); err != nil {
		return err
	}
	return batch.Flush()
}

// mayRecord refuses inside a push: git takes no refs there, and what is stored
// goes when the push is refused.
func mayRecord() error {
	if os.Getenv("GIT_QUARANTINE_PATH") == "" {
		return nil
	}
	return &edit.Error{Code: RefusedRoot, Msg: "inside a push (GIT_QUARANTINE_PATH is set) nothing is recorded"}
}

// mayCapture refuses worktrees of which everything would be too much, and a
// capture inside a push.
func (r *Repo) mayCapture() error {
	if err := mayRecord(); err != nil {
		return err
	}
	if cover, err := r.covered(); err != nil || cover.AllowRoot {
		return err
	}
	top := r.layout.Top
	home, err := os.UserHomeDir()
	if err == nil {
		if real, err := filepath.EvalSymlinks(home); err == nil {
			home = real
		}
	}
	what := ""
	switch {
	case filepath.Dir(top) == top:
		what = "the root of a file system"
	case home == "":
	case top == home:
		what = "your home directory"
	case strings.HasPrefix(home, top+string(filepath.Separator)):
		what = "a directory above your home directory"
	case filepath.Dir(top) == home && slices.Contains([]string{"Desktop", "Documents", "Downloads"}, filepath.Base(top)):
		what = "not a project"
	}
	if what == "" {
		return nil
	}
	return &edit.Error{Code: RefusedRoot, Path: top, Msg: fmt.Sprintf("this is %s: all of it would be captured; set snapshot.allow_root in your own configuration if that is meant", what)}
}
