package gitops

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chordgit/chordgit/edit"
)

// tick lets the file system's clock go on.
func tick() { time.Sleep(20 * time.Millisecond) }

// ask tells what the open turn of session s makes of a path: "seen", or what was
// seen last, and whether reads are logged.
func ask(t *testing.T, r *Repo, path string) (seen string, logged bool) {
	t.Helper()
	tree, err := r.TreeOf("s")
	if err != nil {
		t.Fatal(err)
	}
	now, err := tree.Lookup(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tree.Meanwhile(path, now)
	switch {
	case err != nil:
		t.Fatal(err)
	case m == nil:
		return "seen", false
	case m.Seen == nil:
		return "absent", m.Logged
	case m.Seen.Data == nil:
		return "unknown", m.Logged
	}
	return string(m.Seen.Data), m.Logged
}

// TestMeanwhile follows paths through an open turn.
func TestMeanwhile(t *testing.T) {
	r := newTestRepo(t)
	at := func(name string) string { return filepath.Join(r.Top(), name) }
	const odd = "caf\xe9"
	writeTestFile(t, at(".gitignore"), "ign/\n")
	writeTestFile(t, at("f"), "f\n")
	os.Mkdir(at("ign"), 0o755)
	writeTestFile(t, at("ign/old"), "old\n")
	writeTestFile(t, at("ign/new"), "new\n")
	names := []string{"f", "ign/old", "ign/new", "made"}
	if err := os.WriteFile(at(odd), []byte("odd\n"), 0o644); err == nil { // not every file system holds the name
		names = append(names, odd)
	}
	want := func(when string, wants map[string]string, logged bool) {
		t.Helper()
		for _, name := range names {
			w, ok := wants[name]
			if !ok {
				w = "seen"
			}
			got, log := ask(t, r, name)
			if got != w || w != "seen" && log != logged {
				t.Errorf("%s: of %q %q was seen, want %q (logged: %v)", when, name, got, w, log)
			}
		}
	}
	want("no turn", nil, false)
	tick()
	if _, err := r.Begin(t.Context(), Turn{Session: "s"}); err != nil {
		t.Fatal(err)
	}
	tick()
	want("nothing changed", nil, false)
	for _, name := range names {
		if name != "ign/old" {
			writeTestFile(t, at(name), "theirs\n")
		}
	}
	all := map[string]string{"f": "f\n", "ign/new": "unknown", "made": "absent", odd: "odd\n"}
	want("changed", all, false)
	tick()
	mustLog(t, r, "s", Call{Kind: CallEdit, Paths: names}, true)
	all["made"] = "absent"
	want("an edit whose begin is not known, its first event", map[string]string{}, false)
	for _, name := range names {
		writeTestFile(t, at(name), "theirs again\n")
	}
	all["ign/old"] = "unknown"
	want("changed again", all, false)
	tick()
	mustLog(t, r, "s", Call{Kind: CallRead, Paths: names[1:]}, true)
	want("read", map[string]string{"f": "f\n"}, true)
	os.Remove(at("f"))
	os.Remove(at("made"))
	want("deleted", map[string]string{"f": "f\n"}, true)
	if err := os.Mkdir(at("d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(at(".gitignore"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := ask(t, r, ".gitignore"); got != "seen" {
		t.Errorf("a change of permissions alone: %q", got)
	}
}

// TestMeanwhileStart does not take a lost start for an absent file.
func TestMeanwhileStart(t *testing.T) {
	r := newTestRepo(t)
	name := filepath.Join(r.Top(), "f")
	writeTestFile(t, name, "f\n")
	open, err := r.Begin(t.Context(), Turn{Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	side, err := r.side(open, "before")
	if err != nil {
		t.Fatal(err)
	}
	f, err := side.file("f")
	if err != nil {
		t.Fatal(err)
	}
	loose := filepath.Join(r.Top(), ".git", "objects", f.ID[:2], f.ID[2:])
	if err := os.Remove(loose); err != nil {
		t.Skip("the object is not loose: ", err)
	}
	writeTestFile(t, name, "theirs\n")
	again, err := Open(r.Top(), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	_, err = again.Apply(t.Context(), Turn{Session: "s"}, func(tree edit.Tree) (*edit.Plan, error) {
		return edit.NewPlan(tree, []edit.Op{{Kind: edit.Write, Path: "f", Content: []byte("mine\n")}}, again.PlanOptions())
	})
	if data, _ := os.ReadFile(name); err == nil || string(data) != "theirs\n" {
		t.Errorf("%v, %q", err, data)
	}
}
