package object

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chordgit/chordgit/gitops/internal/gittest"
)

func open(t testing.TB, r *gittest.Repo, opt Options) *DB {
	t.Helper()
	db, err := Open(r.GitDir(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// must turns (value, error) into the value.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func id(t testing.TB, s string) ID {
	t.Helper()
	v, ok := ParseID(s)
	if !ok {
		t.Fatalf("%q is no id", s)
	}
	return v
}

// history makes commits of one slowly changing file, so that packs have deltas
// of some depth, and returns the names of all objects.
func history(r *gittest.Repo) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d %x", i, rng.Uint64())
	}
	for i := range 25 {
		lines[rng.IntN(len(lines))] = fmt.Sprintf("changed in %d", i)
		r.Write("dir/sub/file.txt", strings.Join(lines, "\n"))
		r.Write(fmt.Sprintf("dir/f%d", i), fmt.Sprint(i))
		r.Commit()
	}
	r.Write("empty", "")
	r.Commit()
	r.Git("tag", "-a", "-m", "message", "v1")
	return strings.Split(r.Git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"), "\n")
}

// checkAll compares every object with what git says of it.
func checkAll(t *testing.T, r *gittest.Repo, db *DB, names []string) {
	t.Helper()
	want := r.GitIn(strings.Join(names, "\n")+"\n", "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
	for _, line := range strings.Split(want, "\n") {
		var name, typ string
		var size int64
		fmt.Sscan(line, &name, &typ, &size)
		got, data, err := db.Read(id(t, name)) // compares the hash itself
		if err != nil || got.String() != typ || int64(len(data)) != size {
			t.Fatalf("Read(%s) = %v, %d bytes, %v; git: %s", name, got, len(data), err, line)
		}
		got, n, err := db.Stat(id(t, name))
		if err != nil || got.String() != typ || n != size {
			t.Fatalf("Stat(%s) = %v, %d, %v; git: %s", name, got, n, err, line)
		}
		rd, err := db.Reader(id(t, name))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(rd); err != nil || !bytes.Equal(b.Bytes(), data) || rd.Type != got || rd.Size != size {
			t.Fatalf("Reader(%s): %v", name, err)
		}
		rd.Close()
		if !db.Has(id(t, name)) {
			t.Fatalf("Has(%s) = false", name)
		}
	}
}

func TestReadEveryStorage(t *testing.T) { formats(t, testReadEveryStorage) }

// One repository takes every form in turn: making it costs most of the test.
func testReadEveryStorage(t *testing.T, format Format) {
	r := gittest.New(t, "--object-format="+format.String())
	names := history(r)
	for _, c := range []struct {
		name string
		pack [][]string
	}{
		{"loose", nil},
		{"loose-objects task", [][]string{{"maintenance", "run", "--task=loose-objects"}, {"maintenance", "run", "--task=loose-objects"}}},
		{"offset deltas", [][]string{{"repack", "-adfq", "--depth=50", "--window=50"}}},
		{"reference deltas", [][]string{{"-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=50"}}},
		{"gc", [][]string{{"gc", "-q"}}},
		{"multi-pack-index", [][]string{{"repack", "-adq"}, {"multi-pack-index", "write"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, args := range c.pack {
				r.Git(args...)
			}
			if c.name == "loose-objects task" && len(must(filepath.Glob(r.GitDir()+"/objects/pack/loose-*.pack"))) == 0 {
				t.Fatal("git made no loose-*.pack")
			}
			db := open(t, r, Options{Format: format, Command: func(...string) *exec.Cmd { t.Error("the git program was asked"); return exec.Command("false") }})
			checkAll(t, r, db, names)
		})
	}
}

func TestPacksThatComeAndGo(t *testing.T) {
	r := gittest.New(t)
	names := history(r)
	db := open(t, r, Options{})
	checkAll(t, r, db, names)
	r.Git("repack", "-adq")
	checkAll(t, r, db, names)
	r.Git("repack", "-adfq", "--depth=5")
	checkAll(t, r, db, names)
}

func TestMissing(t *testing.T) {
	r := gittest.New(t)
	asked := 0
	db := open(t, r, Options{Command: func(args ...string) *exec.Cmd { asked++; return r.Command(args...) }})
	none := id(t, "1234567890123456789012345678901234567890")
	for range 3 {
		if _, _, err := db.Read(none); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), none.String()) {
			t.Fatalf("Read = %v", err)
		}
	}
	if asked != 1 {
		t.Errorf("git was started %d times", asked)
	}
	if db.Has(none) {
		t.Error("Has = true")
	}
	if _, _, err := open(t, r, Options{}).Read(none); !errors.Is(err, ErrMissing) {
		t.Errorf("without the program: %v", err)
	}
}

// An object that only the git program can find: here a store it is told of by
// its environment.
func TestGitProgramIsAsked(t *testing.T) {
	r, donor := gittest.New(t), gittest.New(t)
	name := donor.GitIn("found by git", "hash-object", "-w", "--stdin")
	db := open(t, r, Options{Command: func(args ...string) *exec.Cmd {
		cmd := r.Command(args...)
		cmd.Env = append(cmd.Env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+donor.GitDir()+"/objects")
		return cmd
	}})
	for range 2 {
		typ, data, err := db.Read(id(t, name))
		if err != nil || typ != Blob || string(data) != "found by git" {
			t.Fatalf("Read = %v %q %v", typ, data, err)
		}
	}
}

func TestDamaged(t *testing.T) { formats(t, testDamaged) }

func testDamaged(t *testing.T, format Format) {
	r := gittest.New(t, "--object-format="+format.String())
	name := id(t, r.GitIn(strings.Repeat("content\n", 100), "hash-object", "-w", "--stdin"))
	file := loosePath(filepath.Join(r.GitDir(), "objects"), name)
	whole, _ := os.ReadFile(file)
	for i := 0; i < len(whole); i += 3 {
		os.Remove(file)
		if err := os.WriteFile(file, whole[:i], 0o444); err != nil {
			t.Fatal(err)
		}
		if _, _, err := open(t, r, Options{Format: format}).Read(name); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d: %v", i, err)
		}
		bad := bytes.Clone(whole)
		bad[i] ^= 0x55
		os.WriteFile(file, bad, 0o644)
		os.Remove(file)
		os.WriteFile(file, bad, 0o444)
		if _, data, err := open(t, r, Options{Format: format}).Read(name); err == nil && format.Hash(Blob, data) != name {
			t.Fatalf("byte %d: no error", i)
		}
	}
}

func TestAlternates(t *testing.T) {
	donor := gittest.New(t)
	names := history(donor)
	donor.Git("repack", "-adq")
	r := donor.In(t.TempDir())
	r.Git("clone", "-q", "--shared", donor.Dir, "c")
	r = r.In(filepath.Join(r.Dir, "c"))
	db := open(t, r, Options{})
	checkAll(t, r, db, names)

	blob := id(t, donor.Git("rev-parse", "HEAD:dir/f3"))
	if db.HasOwn(blob) {
		t.Error("HasOwn = true for the donor's object")
	}
	b := db.NewBatch()
	defer b.Close()
	if got := must(b.Blob([]byte("3"))); got != blob {
		t.Fatal(got)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if !db.HasOwn(blob) {
		t.Error("an object that only the donor has was not written")
	}
}

func TestFlush(t *testing.T) { formats(t, testFlush) }

func testFlush(t *testing.T, format Format) {
	for _, c := range []struct {
		n, size      int
		loose, packs int
	}{
		{1, 10, 2, 0}, {46, 10, 47, 0}, {47, 10, 0, 1}, {1000, 10, 0, 1},
		{3, 3 << 20, 0, 1}, {1, 9 << 20, 0, 1}, {5, 4 << 20, 0, 1}, // the last outgrows memory with random bytes
	} {
		t.Run(fmt.Sprintf("%dx%d", c.n, c.size), func(t *testing.T) {
			r, db := setupAs(t, format)
			b := db.NewBatch()
			defer b.Close()
			var entries []Entry
			contents := map[ID][]byte{}
			rng := rand.NewChaCha8([32]byte{byte(c.n)})
			for i := range c.n {
				data := make([]byte, c.size)
				rng.Read(data)
				copy(data, fmt.Sprint(i))
				id := must(b.Blob(data))
				contents[id] = bytes.Clone(data)
				clear(data) // the batch must not depend on it
				entries = append(entries, Entry{Name: fmt.Sprint("f", i), Mode: File, ID: id})
			}
			tree := must(b.Tree(entries))
			if _, _, err := b.Read(entries[0].ID); err != nil {
				t.Fatal(err)
			}
			if got := must(b.ReadAs(Tree, tree)); !bytes.Equal(got, must(EncodeTree(entries))) {
				t.Fatal("the pending tree is another")
			}
			if err := b.Flush(); err != nil {
				t.Fatal(err)
			}
			checkStore(t, r, c.loose, c.packs)
			r.Git("update-ref", "refs/chordgit/x", r.GitIn("object "+tree.String()+"\ntype tree\ntag x\ntagger a <a> 1 +0000\n\nm\n", "mktag"))
			r.Fsck()
			for id, want := range contents {
				if _, got, err := open(t, r, Options{Format: format}).Read(id); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%s: %v", id, err)
				}
				if _, _, err := b.Read(id); err != nil {
					t.Fatal(err)
				}
				if c.n > 100 {
					break
				}
			}
			if err := b.Verify(); err != nil {
				t.Fatal(err)
			}
			if c.packs > 0 {
				r.Git("verify-pack", must(filepath.Glob(r.GitDir() + "/objects/pack/*.idx"))[0])
			}
		})
	}
}

// checkStore counts files, and demands that no temporary one is left and that
// all are read-only.
func checkStore(t *testing.T, r *gittest.Repo, loose, packs int) {
	t.Helper()
	gotLoose, gotPacks := 0, 0
	filepath.Walk(filepath.Join(r.GitDir(), "objects"), func(name string, info os.FileInfo, err error) error {
		switch base := filepath.Base(name); {
		case info.IsDir():
			return nil
		case strings.HasPrefix(base, "tmp_"):
			t.Errorf("%s is left", name)
		case strings.HasSuffix(base, ".pack"):
			gotPacks++
		case len(base) == 38 || len(base) == 62:
			gotLoose++
		}
		if info.Mode().Perm() != 0o444 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return nil
	})
	if gotLoose != loose || gotPacks != packs {
		t.Errorf("%d loose objects, %d packs; want %d, %d", gotLoose, gotPacks, loose, packs)
	}
}

func TestBlobFrom(t *testing.T) {
	r := gittest.New(t)
	db := open(t, r, Options{})
	b := db.NewBatch()
	defer b.Close()
	big := make([]byte, 20<<20)
	rand.NewChaCha8([32]byte{7}).Read(big)
	small := must(b.BlobFrom(strings.NewReader("small"), 5))
	first := must(b.BlobFrom(bytes.NewReader(big), int64(len(big))))
	if again := must(b.BlobFrom(bytes.NewReader(big), int64(len(big)))); again != first || first != SHA1.Hash(Blob, big) {
		t.Fatal("another name")
	}
	for _, size := range []int64{3, 6, int64(len(big)) - 1, int64(len(big)) + 1} {
		src := []byte("small")
		if size > 100 {
			src = big
		}
		if _, err := b.BlobFrom(bytes.NewReader(src), size); !errors.Is(err, ErrSize) {
			t.Errorf("size %d: %v", size, err)
		}
	}
	after := must(b.Blob([]byte("after")))
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	checkStore(t, r, 0, 1)
	r.Fsck()
	for _, id := range []ID{small, first, after} {
		r.Git("cat-file", "-e", id.String())
	}
	if info := must(os.Stat(must(filepath.Glob(r.GitDir() + "/objects/pack/*.pack"))[0])); info.Size() > 21<<20 {
		t.Errorf("the pack has %d bytes", info.Size())
	}
}

func TestReusedObjectsAreFreshened(t *testing.T) {
	r := gittest.New(t)
	history(r)
	r.Git("repack", "-adq")
	packed := must(filepath.Glob(r.GitDir() + "/objects/pack/*.pack"))[0]
	loose := loosePath(filepath.Join(r.GitDir(), "objects"), id(t, r.GitIn("loose", "hash-object", "-w", "--stdin")))
	old := time.Now().Add(-1000 * time.Hour)
	os.Chtimes(packed, old, old)
	os.Chtimes(loose, old, old)
	b := open(t, r, Options{}).NewBatch()
	defer b.Close()
	must(b.Blob([]byte("loose")))
	must(b.Blob([]byte("3")))
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if s := b.Stats(); s.New != 0 || s.Reused != 2 {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{packed, loose} {
		if time.Since(must(os.Stat(name)).ModTime()) > time.Hour {
			t.Errorf("%s was not freshened", name)
		}
	}
}

func TestCruftPackGetsALooseCopy(t *testing.T) {
	r := gittest.New(t)
	history(r)
	name := id(t, r.GitIn("garbage", "hash-object", "-w", "--stdin"))
	r.Git("repack", "-dq", "--cruft")
	if len(must(filepath.Glob(r.GitDir()+"/objects/pack/*.mtimes"))) == 0 {
		t.Skip("no cruft pack")
	}
	b := open(t, r, Options{}).NewBatch()
	defer b.Close()
	must(b.Blob([]byte("garbage")))
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(loosePath(filepath.Join(r.GitDir(), "objects"), name)); err != nil {
		t.Error(err)
	}
}

func TestVerifyRewritesWhatVanished(t *testing.T) {
	for _, n := range []int{3, 100} {
		r := gittest.New(t)
		reused := id(t, r.GitIn("reused", "hash-object", "-w", "--stdin"))
		b := open(t, r, Options{}).NewBatch()
		defer b.Close()
		var ids []ID
		for i := range n {
			ids = append(ids, must(b.Blob([]byte(fmt.Sprint("object ", i)))))
		}
		ids = append(ids, must(b.Blob([]byte("reused"))))
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		r.Git("prune", "--expire=now")
		r.Git("repack", "-adq") // drops the pack of unreferenced objects
		if r.Command("cat-file", "-e", reused.String()).Run() == nil {
			t.Fatal("nothing was pruned")
		}
		if err := b.Verify(); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			r.Git("cat-file", "-e", id.String())
		}
		if err := b.Verify(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPruneRemovesTemporaryFiles(t *testing.T) {
	r := gittest.New(t)
	db := open(t, r, Options{})
	b := db.NewBatch()
	defer b.Close()
	big := make([]byte, 20<<20)
	rand.NewChaCha8([32]byte{9}).Read(big)
	name := must(b.Blob(big))
	r.Git("prune", "--expire=now") // takes tmp_pack_* away
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	r.Git("cat-file", "-e", name.String())
	r.Fsck()
}

func TestWhileGCRuns(t *testing.T) {
	r := gittest.New(t)
	history(r)
	reused := id(t, r.GitIn("reused", "hash-object", "-w", "--stdin"))
	host, _ := os.Hostname()
	pid := filepath.Join(r.GitDir(), "gc.pid")
	running := func(on bool) {
		os.Remove(pid)
		if on {
			os.WriteFile(pid, []byte(fmt.Sprintf("%d %s", os.Getpid(), host)), 0o666)
		}
	}
	db := open(t, r, Options{})
	b := db.NewBatch()
	defer b.Close()
	ids := []ID{must(b.Blob([]byte("before"))), must(b.Blob([]byte("reused")))}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if len(must(filepath.Glob(r.GitDir()+"/objects/pack/*"))) > 0 {
		t.Fatal("a pack without a gc")
	}
	running(true)
	if err := b.Verify(); err != nil { // a gc has started since
		t.Fatal(err)
	}
	b2 := db.NewBatch()
	defer b2.Close()
	ids = append(ids, must(b2.Blob([]byte("while"))), must(b2.Blob([]byte("reused"))))
	if err := b2.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := b2.Verify(); err != nil {
		t.Fatal(err)
	}
	keeps := must(filepath.Glob(r.GitDir() + "/objects/pack/*.keep"))
	if len(keeps) != 2 {
		t.Fatalf("keep files: %v", keeps)
	}
	if text := string(must(os.ReadFile(keeps[0]))); !strings.HasPrefix(text, "chordgit") {
		t.Errorf("%q", text)
	}
	r.Git("repack", "-adq")
	r.Git("prune", "--expire=now")
	for _, id := range ids {
		r.Git("cat-file", "-e", id.String())
	}
	other := filepath.Join(r.GitDir(), "objects/pack/pack-other.keep")
	os.WriteFile(other, nil, 0o666)
	if err := open(t, r, Options{}).ReleaseKeeps(); err != nil {
		t.Fatal(err)
	}
	if len(must(filepath.Glob(r.GitDir()+"/objects/pack/*.keep"))) != 3 {
		t.Error("released while a gc runs")
	}
	running(false)
	if err := open(t, r, Options{}).ReleaseKeeps(); err != nil {
		t.Fatal(err)
	}
	if keeps := must(filepath.Glob(r.GitDir() + "/objects/pack/*.keep")); len(keeps) != 1 || keeps[0] != other {
		t.Errorf("left: %v", keeps)
	}
	_ = reused
}

func TestGCRunning(t *testing.T) {
	dir := t.TempDir()
	host, _ := os.Hostname()
	dead := exec.Command("true")
	if dead.Run() != nil {
		t.Skip("no true(1)")
	}
	file := filepath.Join(dir, "gc.pid")
	for _, c := range []struct {
		text string
		age  time.Duration
		want bool
	}{
		{fmt.Sprintf("%d %s", os.Getpid(), host), 0, true},
		{fmt.Sprintf("%d %s", os.Getpid(), host), 13 * time.Hour, false},
		{fmt.Sprintf("%d %s", dead.Process.Pid, host), 0, false},
		{"1 another.host", 11 * time.Hour, true},
		{"1 another.host", 13 * time.Hour, false},
		{"", 0, false},
	} {
		os.WriteFile(file, []byte(c.text), 0o666)
		when := time.Now().Add(-c.age)
		os.Chtimes(file, when, when)
		if got := GCRunning(dir); got != c.want {
			t.Errorf("%q, %v old: %v", c.text, c.age, got)
		}
	}
	if GCRunning(t.TempDir()) {
		t.Error("without gc.pid")
	}
}

func TestConcurrentBatch(t *testing.T) {
	r := gittest.New(t)
	b := open(t, r, Options{}).NewBatch()
	defer b.Close()
	done := make(chan error, 4)
	for range 4 {
		go func() {
			for i := range 200 {
				if _, err := b.Blob([]byte(fmt.Sprint(i))); err != nil {
					done <- err
					return
				}
			}
			done <- b.Flush()
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Verify(); err != nil {
		t.Fatal(err)
	}
	if s := b.Stats(); s.New != 200 {
		t.Errorf("%+v", s)
	}
	r.Fsck()
}
