package statcache

import (
	"io/fs"
	"testing"
	"time"
)

const sec = int64(time.Second)

func TestFileRule(t *testing.T) {
	stamp := 1_000_000*sec + 5
	base := Entry{Mtime: stamp - 10*sec, Ctime: stamp - 10*sec, Ino: 7, Size: 3, Mode: 0o644}
	head := Header{Stamp: stamp, Boot: "b", Synced: true}
	scene := Scene{Stamp: stamp + 60*sec, Boot: "b", Local: true, SameFS: true}
	for _, c := range []struct {
		name  string
		head  func(*Header)
		scene func(*Scene)
		then  func(*Entry)
		now   func(*Entry)
		want  bool
	}{
		{name: "nothing changed", want: true},
		{name: "size", now: func(e *Entry) { e.Size++ }},
		{name: "mtime by a nanosecond", now: func(e *Entry) { e.Mtime++ }},
		{name: "touch -r, cp -p, tar: only ctime moved", now: func(e *Entry) { e.Ctime++ }},
		{name: "replaced, or an unstable inode", now: func(e *Entry) { e.Ino++ }},
		{name: "a permission bit", now: func(e *Entry) { e.Mode = 0o755 }},
		{name: "type", now: func(e *Entry) { e.Mode |= fs.ModeSymlink }},
		{name: "same-size edit in the tick of the stamp", then: func(e *Entry) { e.Mtime = stamp; e.Ctime = stamp }},
		{name: "a tick before the stamp", then: func(e *Entry) { e.Mtime = stamp - 1; e.Ctime = stamp - 1 }, want: true},
		{name: "mtime racy, ctime not", then: func(e *Entry) { e.Mtime = stamp }},
		{name: "ctime racy, mtime put back", then: func(e *Entry) { e.Ctime = stamp }},
		{name: "future", then: func(e *Entry) { e.Mtime = stamp + 3600*sec }},
		{name: "future since the clock was set back", scene: func(s *Scene) { s.Stamp = stamp - 20*sec }},
		{name: "whole seconds, 2 s", head: func(h *Header) { h.Coarse = true }, then: func(e *Entry) { e.Mtime = stamp - 2*sec }},
		{name: "whole seconds, older", head: func(h *Header) { h.Coarse = true }, then: func(e *Entry) { e.Mtime = stamp - 2*sec - 1 }, want: true},
		{name: "stamp was of another file system, 2 s", head: func(h *Header) { h.OtherFS = true }, then: func(e *Entry) { e.Ctime = stamp - 2*sec }},
		{name: "stamp is of another file system, 2 s", scene: func(s *Scene) { s.SameFS = false }, then: func(e *Entry) { e.Ctime = stamp - 2*sec }},
		{name: "stamp of another file system, older", scene: func(s *Scene) { s.SameFS = false }, want: true},
		{name: "unknown file system, ctime its own", scene: func(s *Scene) { s.Local = false; s.OwnCtime = true }, want: true},
		{name: "unknown file system, ctime follows", scene: func(s *Scene) { s.Local = false }},
		{name: "unknown file system, git dir elsewhere", scene: func(s *Scene) { s.Local = false; s.OwnCtime = true; s.SameFS = false }},
		{name: "other boot, synced", scene: func(s *Scene) { s.Boot = "c" }, want: true},
		{name: "other boot, not synced, 10 s old", head: func(h *Header) { h.Synced = false }, scene: func(s *Scene) { s.Boot = "c" }},
		{name: "unknown boot now", head: func(h *Header) { h.Synced = false }, scene: func(s *Scene) { s.Boot = "" }},
		{name: "unknown boot then and now", head: func(h *Header) { h.Synced = false; h.Boot = "" }, scene: func(s *Scene) { s.Boot = "" }},
		{name: "other boot, not synced, a minute old", head: func(h *Header) { h.Synced = false }, scene: func(s *Scene) { s.Boot = "c" },
			then: func(e *Entry) { e.Mtime -= 60 * sec; e.Ctime -= 60 * sec }, want: true},
		{name: "other boot, not synced, ctime in the minute", head: func(h *Header) { h.Synced = false }, scene: func(s *Scene) { s.Boot = "c" },
			then: func(e *Entry) { e.Mtime -= 60 * sec }},
		{name: "same boot, not synced", head: func(h *Header) { h.Synced = false }, want: true},
		{name: "no ctime on this system", then: func(e *Entry) { e.Ctime = 0 }},
		{name: "no inode on this system", then: func(e *Entry) { e.Ino = 0 }},
		{name: "on another device", now: func(e *Entry) { e.Flags |= Foreign }},
		{name: "was on another device", then: func(e *Entry) { e.Flags |= Foreign }},
		{name: "no stamp then", head: func(h *Header) { h.Stamp = 0 }},
		{name: "no stamp now", scene: func(s *Scene) { s.Stamp = 0 }},
	} {
		h, s, then := head, scene, base
		if c.head != nil {
			c.head(&h)
		}
		if c.scene != nil {
			c.scene(&s)
		}
		if c.then != nil {
			c.then(&then)
		}
		now := then
		if c.now != nil {
			c.now(&now)
		}
		if got := NewRule(&h, s).File(&now, &then); got != c.want {
			t.Errorf("%s: trusted is %v", c.name, got)
		}
	}
	if (Rule{}).File(&base, &base) || (Rule{}).Dir(&base, &base) {
		t.Error("the zero rule believes something")
	}
}

func TestDirRule(t *testing.T) {
	stamp := 1_000_000 * sec
	then := Entry{Mtime: stamp - sec, Ctime: stamp - sec, Ino: 7, Mode: fs.ModeDir | 0o755, Size: 4096}
	h := &Header{Stamp: stamp, Boot: "b"}
	local := Scene{Stamp: stamp + 1, Boot: "b", Local: true, SameFS: true}
	other := Scene{Stamp: stamp + 1, Boot: "b", OwnCtime: true, SameFS: true}
	for _, c := range []struct {
		name  string
		scene Scene
		edit  func(now, then *Entry)
		want  bool
	}{
		{"nothing changed", local, func(now, then *Entry) {}, true},
		{"mtime", local, func(now, then *Entry) { now.Mtime++ }, false},
		{"ctime", local, func(now, then *Entry) { now.Ctime++ }, false},
		{"inode", local, func(now, then *Entry) { now.Ino++ }, false},
		{"size says nothing", local, func(now, then *Entry) { now.Size = 8192 }, true},
		{"changed in the tick of the scan", local, func(now, then *Entry) { now.Mtime, then.Mtime = stamp, stamp }, false},
		{"ctime in the tick of the scan", local, func(now, then *Entry) { now.Ctime, then.Ctime = stamp, stamp }, false},
		{"a file system that may not update them", other, func(now, then *Entry) {}, false},
	} {
		a, b := then, then
		c.edit(&a, &b)
		if got := NewRule(h, c.scene).Dir(&a, &b); got != c.want {
			t.Errorf("%s: trusted is %v", c.name, got)
		}
	}
}

func TestOlderStampCounts(t *testing.T) {
	if Older(5, 3) != 3 || Older(3, 5) != 3 {
		t.Error("not the older one")
	}
}

func TestStamp(t *testing.T) {
	dir := t.TempDir()
	a, err := Stamp(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Stamp(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if a.Time == 0 || b.Time < a.Time || a.Dev != b.Dev {
		t.Errorf("stamps %+v and %+v", a, b)
	}
	if Local(dir) && !a.OwnCtime {
		t.Error("ctime follows mtime on a local file system")
	}
	if m, err := Stamp(dir+"/absent", false); err == nil {
		t.Errorf("a stamp from nowhere: %+v", m)
	}
}

func TestCoarse(t *testing.T) {
	whole := &Tree{Entries: []Entry{{Mtime: sec, Ctime: 2 * sec}, {Mtime: 3 * sec, Ctime: 3 * sec}}}
	if !whole.IsCoarse() {
		t.Error("whole seconds are not coarse")
	}
	whole.Entries[1].Ctime++
	if whole.IsCoarse() {
		t.Error("nanoseconds are coarse")
	}
}
