//go:build unix

package main

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree is everything in the worktree but git's own: kinds, permissions, bytes
// and targets.
func (v victim) tree() map[string]string {
	v.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(v.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == v.dir {
			return err
		}
		if e.Name() == ".git" {
			return filepath.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text = string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			if text, err = os.Readlink(name); err != nil {
				return err
			}
		}
		all[name[len(v.dir)+1:]] = info.Mode().String() + " " + text
		return nil
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return all
}

// shell runs a line in the worktree.
func (v victim) shell(line string) {
	v.t.Helper()
	cmd := exec.Command("sh", "-e", "-c", line)
	cmd.Dir = v.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		v.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

const (
	// A shell's turn: changed and moved files, permissions of files and
	// directories, a link, a file that becomes a directory and one that became
	// a file, empty directories that come and go.
	shellTurn = `sed 's/one/ONE/' merge > t; cat t > merge; rm t
mv move moved; chmod 600 mode; chmod 700 dir; rm link; ln -s elsewhere link
rm swap; mkdir swap; echo in > swap/in; rm -r back; echo file > back
mkdir -p new/empty; rmdir void`
	// What a person does since: in the same file, and in the moved one.
	since = `echo mine >> merge; sed 's/four/FOUR/' moved > t; cat t > moved; rm t; echo other > other`
)

// TestKillRewind ends the rewind of a captured turn, with a merge, a moved file,
// directories and permissions, its redo, and a rewind of several turns at every
// step. After the next command all is as before or as after, and the turns say
// the same.
func TestKillRewind(t *testing.T) {
	template := victim{workspace: newWorkspace(t, toFixtures(map[string]string{
		"merge": "one\ntwo\nthree\n", "move": "one\ntwo\nthree\nfour\nfive\n", "mode": "m\n", "dir/in": "d\n",
		"swap": "swap\n", "back/in": "back\n", "keep": "kept\n",
	}))}
	template.shell("mkdir void; ln -s there link")
	template.run(nil, "", "begin")
	template.shell(shellTurn)
	template.run(nil, "", "end")
	template.run(nil, "*** Begin Patch\n*** Update File: keep\n@@\n-kept\n+changed\n*** Add File: dir/applied\n+x\n*** End Patch\n", "apply")
	template.shell(since)
	redo := clone(t, template.dir)
	redo.run(nil, "", "rewind", "1")
	for _, command := range []struct {
		name string
		from victim
		args []string
		turn string
		dies []death
	}{
		{"rewind", template, []string{"rewind", "1"}, "3", deaths[:2]},
		{"redo", redo, []string{"redo"}, "4", deaths[:1]},
		{"to", template, []string{"rewind", "--to", "0"}, "3", []death{deaths[0], deaths[2]}},
	} {
		before := command.from.tree()
		done := clone(t, command.from.dir)
		if out, _ := done.run(nil, "", command.args...); strings.Contains(out, "conflict") {
			t.Fatalf("%s: %s", command.name, out)
		}
		after := done.tree()
		if maps.Equal(before, after) {
			t.Fatalf("%s changes nothing", command.name)
		}
		for _, d := range command.dies {
			t.Run(command.name+" "+d.name, func(t *testing.T) {
				t.Parallel()
				steps := 0
				for k := 1; ; k += killStride() {
					v := clone(t, command.from.dir)
					out, died := v.run(d.at(k), "", command.args...)
					if died == 0 {
						break
					}
					steps = k
					if _, open := v.refs(); d.name == "signal" && (len(open) > 0 || len(v.leftovers()) > 0) {
						t.Fatalf("step %d: after the signal %v and %v are left\n%s", k, open, v.leftovers(), out)
					}
					next, _ := v.run(nil, probePatch, "apply")
					os.Remove(filepath.Join(v.dir, "probe"))
					closed, open := v.refs()
					has := slices.Contains(closed, command.turn) && !strings.Contains(next, "Turn "+command.turn+".")
					now := v.tree()
					switch {
					case len(open) > 0:
						t.Fatalf("step %d: open marks are left: %v\n%s", k, open, next)
					case !has && !maps.Equal(now, before), has && !maps.Equal(now, after):
						t.Fatalf("step %d: turn %s: %v, but there is %q, before %q, after %q\n%s", k, command.turn, has, now, before, after, next)
					}
					if out, _ := v.run(nil, "", "verify"); strings.Contains(out, "failed") {
						t.Fatalf("step %d: %s", k, out)
					}
				}
				if steps < 20 {
					t.Errorf("only %d steps", steps)
				}
			})
		}
	}
}
