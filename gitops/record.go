package gitops

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops/internal/durable"
	"github.com/chordgit/chordgit/gitops/internal/gitstate"
	"github.com/chordgit/chordgit/gitops/internal/object"
	"github.com/chordgit/chordgit/gitops/internal/pathcode"
	"github.com/chordgit/chordgit/gitops/internal/ref"
	"github.com/chordgit/chordgit/gitops/internal/repo"
)

const (
	turnsPrefix = "refs/chordgit/turns/"
	openPrefix  = "refs/chordgit/open/"
)

func turnRef(n int) string { return turnsPrefix + strconv.Itoa(n) }
func openRef(n int) string { return openPrefix + strconv.Itoa(n) }
func tagName(n int) string { return strings.TrimPrefix(turnRef(n), "refs/") }

// record makes a planned turn durable: the bytes before and after, the tag, and
// the open mark that says that a transaction is under way. It gives the turn
// its number. From its return on a crash can be repaired; before, nothing has
// happened.
func (r *Repo) record(ctx context.Context, t *Turn, plan *edit.Plan) error {
	d, err := r.draft(t, plan, StatusComplete)
	if err != nil {
		return err
	}
	defer d.batch.Close()
	unlock, err := r.lockNumbers(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	r.opt.Step("record")
	for thorough := false; ; thorough = true {
		if t.N, err = r.nextNumber(thorough); err != nil {
			return unrecorded(err)
		}
		if taken, err := r.closed(t); err != nil {
			return unrecorded(err)
		} else if taken {
			continue
		}
		if err := r.tag(t, d); err != nil {
			return unrecorded(err)
		}
		r.opt.Step("mark")
		err := r.refs.Create(openRef(t.N), t.tag)
		if errors.Is(err, ref.ErrExists) {
			continue // somebody with whom no lock is shared: the next number
		}
		if err != nil {
			return unrecorded(err)
		}
		break
	}
	// A prune that ran meanwhile may have taken objects that no ref named yet.
	err = d.batch.Verify()
	if err == nil && t.facts != nil {
		if err = r.keepAll(t.N, t.facts.Keep); err == nil {
			err = r.pend(t, t.facts.again)
		}
	}
	if err != nil {
		return errors.Join(unrecorded(err), r.unmark(t))
	}
	r.opt.Step("marked")
	return nil
}

// recordClosed closes an interrupted turn, under its old number, with a plan
// that says what is really on disk.
func (r *Repo) recordClosed(t *Turn, plan *edit.Plan) error {
	d, err := r.draft(t, plan, StatusRecovered)
	if err != nil {
		return err
	}
	defer d.batch.Close()
	if err := r.tag(t, d); err != nil {
		return unrecorded(err)
	}
	return errors.Join(r.close(t), d.batch.Verify())
}

func unrecorded(err error) error {
	return trouble(edit.CommitFailed, "the turn cannot be recorded", err)
}

// A draft is a turn that lacks only its number.
type draft struct {
	batch         *object.Batch
	before, after object.ID
	meta          *meta
}

// draft stores what a plan replaces and what it writes. The batch must be given
// back.
func (r *Repo) draft(t *Turn, plan *edit.Plan, status string) (d *draft, err error) {
	head, err := r.git().Head()
	if err != nil {
		return nil, err
	}
	batch := t.batch
	if t.batch = nil; batch == nil {
		batch = r.db.NewBatch()
	}
	d = &draft{batch: batch}
	defer func() {
		if err != nil {
			batch.Close()
		}
	}()
	if err := r.storeFiles(d.batch, plan); err != nil {
		return nil, err
	}
	if d.before, d.after, err = r.overlays(d.batch, head, plan.Changes); err != nil {
		return nil, unrecorded(err)
	}
	t.Status = status
	if d.meta, err = r.newMeta(t, plan, head); err != nil {
		return nil, err
	}
	if t.facts != nil {
		if err := t.facts.into(t, d); err != nil {
			return nil, unrecorded(err)
		}
	}
	t.StoredBytes = d.batch.Stats().Bytes
	d.meta.Stats.StoredBytes = t.StoredBytes
	return d, nil
}

// storeFiles puts the bytes of all files of a plan into the batch, two at a
// time: hashing and deflating are what a large change costs.
func (r *Repo) storeFiles(batch *object.Batch, plan *edit.Plan) error {
	jobs := make(chan *edit.Change)
	var mu sync.Mutex
	var errs []error
	var wg sync.WaitGroup
	for range min(runtime.NumCPU(), 4) {
		wg.Go(func() {
			for c := range jobs {
				if err := r.storeChange(batch, c); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for i := range plan.Changes {
		jobs <- &plan.Changes[i]
	}
	close(jobs)
	wg.Wait()
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	// What moved without being looked at has the id of its source.
	for i := range plan.Changes {
		c := &plan.Changes[i]
		if c.After == nil || c.After.ID != "" {
			continue
		}
		source := slices.IndexFunc(plan.Changes, func(o edit.Change) bool { return o.Path == c.From })
		if source < 0 || plan.Changes[source].Before == nil {
			return &edit.Error{Code: edit.Internal, Path: c.Path, Msg: "its bytes are not known"}
		}
		c.After.ID = plan.Changes[source].Before.ID
	}
	return nil
}

func (r *Repo) storeChange(batch *object.Batch, c *edit.Change) error {
	if err := r.storeFile(batch, c.Path, c.Before); err != nil {
		return err
	}
	if c.After != nil && c.After.Data == nil && c.From != "" {
		return nil // a moved file that nobody had to read: its source has the id
	}
	return r.storeFile(batch, c.Path, c.After)
}

// storeFile puts one file's bytes into the batch and sets its ID.
func (r *Repo) storeFile(batch *object.Batch, path string, f *edit.File) error {
	if f == nil || f.ID != "" {
		return nil
	}
	var id object.ID
	var err error
	if f.Data != nil || !f.Regular() {
		id, err = batch.Blob(f.Data)
	} else {
		var in io.ReadCloser
		if in, err = r.tree.Open(path, f); err != nil {
			return err
		}
		id, err = batch.BlobFrom(in, f.Stat.Size)
		err = errors.Join(err, in.Close())
	}
	if err != nil {
		return unrecorded(err)
	}
	f.ID = id.String()
	return nil
}

// overlays makes the trees before and after: HEAD's with the touched paths laid
// over it, so that ordinary git commands show the change in its place.
func (r *Repo) overlays(batch *object.Batch, head gitstate.Head, changes []edit.Change) (before, after object.ID, err error) {
	var root object.ID
	if head.OID != "" {
		id, ok := object.ParseID(head.OID)
		if !ok {
			return before, after, fmt.Errorf("HEAD is no object id: %s", head.OID)
		}
		if root, err = object.PeelToTree(r.db, id); err != nil {
			return before, after, fmt.Errorf("the tree of HEAD: %w", err)
		}
	}
	old, now := map[string]*object.Leaf{}, map[string]*object.Leaf{}
	for _, c := range changes {
		old[c.Path], now[c.Path] = leaf(c.Before), leaf(c.After)
	}
	if before, err = batch.Overlay(root, old); err != nil {
		return before, after, err
	}
	after, err = batch.Overlay(root, now)
	return before, after, err
}

func leaf(f *edit.File) *object.Leaf {
	if f == nil {
		return nil
	}
	id, _ := object.ParseID(f.ID)
	switch {
	case f.IsLink():
		return &object.Leaf{Mode: object.Symlink, ID: id}
	case f.Mode&0o100 != 0:
		return &object.Leaf{Mode: object.Executable, ID: id}
	}
	return &object.Leaf{Mode: object.File, ID: id}
}

// newMeta fills meta.json, all but the number.
func (r *Repo) newMeta(t *Turn, plan *edit.Plan, head gitstate.Head) (*meta, error) {
	key, err := r.key()
	if err != nil {
		return nil, trouble(edit.CommitFailed, "the git directory cannot be written", err)
	}
	t.Worktree, t.Head = r.layout.ID, head.String()
	t.MadeDirs, t.RemovedDirs = plan.Mkdir, plan.Rmdir
	t.Paths, t.Moves = nil, nil
	m := &meta{
		Format: format, Kind: t.Kind, Scope: ScopePaths, Status: t.Status, Parent: t.Parent,
		Agent: t.Agent, Session: t.Session, Message: t.Message,
		Undoes: t.Undoes, Partial: t.Partial,
		Started: t.Started.UTC().Truncate(time.Millisecond), Ended: time.Now().UTC().Truncate(time.Millisecond),
		Worktree:    metaTree{ID: r.layout.ID, Key: key, Path: pathcode.Encode(r.layout.Top)},
		Host:        repo.Host(),
		Head:        gitstate.Heads{Before: head, After: head},
		MadeDirs:    mapStrings(plan.Mkdir, pathcode.Encode),
		RemovedDirs: mapStrings(plan.Rmdir, pathcode.Encode),
	}
	for _, c := range plan.Changes {
		t.Paths = append(t.Paths, c.Path)
		if c.Unseen {
			m.Unseen = append(m.Unseen, pathcode.Encode(c.Path))
		}
		if c.From != "" {
			t.Moves = append(t.Moves, Move{c.From, c.Path})
			m.Moves = append(m.Moves, Move{pathcode.Encode(c.From), pathcode.Encode(c.Path)})
		}
		switch {
		case c.Before == nil:
			m.Stats.Created++
		case c.After == nil:
			m.Stats.Deleted++
		default:
			m.Stats.Changed++
		}
	}
	m.Paths = mapStrings(t.Paths, pathcode.Encode)
	m.setModes(plan)
	t.Ended, t.meta = m.Ended, m
	return m, nil
}

// tag writes tree, meta.json and tag under the turn's number and makes
// everything in the batch durable.
func (r *Repo) tag(t *Turn, d *draft) error {
	d.meta.Turn = t.N
	data, err := json.MarshalIndent(d.meta, "", " ")
	if err != nil {
		return err
	}
	metaID, err := d.batch.Blob(append(data, '\n'))
	if err != nil {
		return err
	}
	entries := []object.Entry{
		{Name: "after", Mode: object.Dir, ID: d.after},
		{Name: "before", Mode: object.Dir, ID: d.before},
		{Name: "meta.json", Mode: object.File, ID: metaID},
	}
	if !t.git.IsZero() {
		entries = append(entries, object.Entry{Name: "git", Mode: object.Dir, ID: t.git})
	}
	root, err := d.batch.Tree(entries)
	if err != nil {
		return err
	}
	tag := &object.TagObject{
		Object: root, Type: object.Tree, Name: tagName(t.N),
		Tagger:  fmt.Sprintf("chordgit <chordgit@localhost> %d +0000", t.Ended.Unix()),
		Message: t.tagMessage(),
	}
	if t.tag, err = d.batch.Object(object.Tag, tag.Encode()); err != nil {
		return err
	}
	t.tree = root
	return d.batch.Flush()
}

// nextNumber gives out a number that was never used: one more than the highest
// open mark, the highest turn that is listed as closed and the highest number
// given up. The refs of all turns are only looked at where that proved not to
// be enough, because somebody removed our files: their number must not matter.
func (r *Repo) nextNumber(thorough bool) (int, error) {
	highest := 0
	prefixes := []string{openPrefix}
	if thorough {
		prefixes = append(prefixes, turnsPrefix)
	}
	for _, prefix := range prefixes {
		list, err := r.numbers(prefix)
		if err != nil {
			return 0, err
		}
		if len(list) > 0 {
			highest = max(highest, list[len(list)-1])
		}
	}
	for _, name := range []string{r.listName(), filepath.Join(r.sharedDir(), "next")} {
		n, err := lastNumber(name)
		if err != nil {
			return 0, err
		}
		highest = max(highest, n)
	}
	return highest + 1, nil
}

// numbers lists the numbers below a ref prefix, ascending.
func (r *Repo) numbers(prefix string) ([]int, error) {
	refs, err := r.refs.List(prefix)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, ref := range refs {
		if n, err := strconv.Atoi(strings.TrimPrefix(ref.Name, prefix)); err == nil && n > 0 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// writeFile replaces one of chordgit's own files, durably.
func (r *Repo) writeFile(name string, data []byte) error {
	perm := r.layout.Perm()
	f, err := durable.CreateTemp(filepath.Dir(name), "tmp_", 0o644, perm)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	if !r.opt.NoSync {
		if err := f.Sync(); err != nil {
			f.Close()
			os.Remove(f.Name())
			return err
		}
	}
	if err := durable.Place(f, name, 0o644, perm, r.opt.NoSync); err != nil || r.opt.NoSync {
		return err
	}
	return durable.SyncDir(filepath.Dir(name))
}

// key is the random word that tells this worktree from a later one of the same
// name: git gives the id of a removed worktree to the next.
func (r *Repo) key() (string, error) {
	key, err := r.readKey()
	if err != nil || key != "" {
		return key, err
	}
	key = rand.Text()
	return key, r.writeFile(r.keyFile(), []byte(key+"\n"))
}

func (r *Repo) keyFile() string { return filepath.Join(r.stateDir(), "key") }

// readKey is the key if there is one. One that cannot be read is not made anew:
// all turns of this worktree would be another's.
func (r *Repo) readKey() (string, error) {
	data, err := os.ReadFile(r.keyFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", trouble(edit.Unreadable, "what this worktree knows its turns by cannot be read", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// close closes a turn whose change is on disk: its ref, then its line in the
// list from which lost refs can be told.
func (r *Repo) close(t *Turn) error {
	if err := r.born(t); err != nil {
		return err
	}
	return r.list(t)
}

// closeLocked is close for who holds the number lock.
func (r *Repo) closeLocked(t *Turn) error {
	if err := r.born(t); err != nil {
		return err
	}
	return r.addLine(t.N, listed{tag: t.tag, bytes: t.StoredBytes})
}

// born creates the ref of a closed turn, unless it is there.
func (r *Repo) born(t *Turn) error {
	err := r.refs.Create(turnRef(t.N), t.tag)
	if errors.Is(err, ref.ErrExists) {
		return nil
	}
	return err
}

// drop removes the open mark of a turn that will not be. Its number is noted
// first: once the mark is gone nothing else tells that it was used.
func (r *Repo) drop(t *Turn) error {
	unlock, err := r.lockNumbers(context.Background())
	if err != nil {
		return err
	}
	defer unlock()
	return r.dropLocked(t)
}

// dropLocked is drop for who holds the number lock.
func (r *Repo) dropLocked(t *Turn) error {
	if err := r.useUp(t.N); err != nil {
		return trouble(edit.CommitFailed, fmt.Sprintf("the number of turn %d cannot be given up", t.N), err)
	}
	return r.unmark(t)
}
