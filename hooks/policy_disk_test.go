//go:build linux

package hooks_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks"
)

// A diskTree is a directory as it is.
type diskTree struct {
	siteTree
	root string
}

func (d *diskTree) Lookup(name string) (*edit.File, error) {
	info, err := os.Lstat(filepath.Join(d.root, name))
	if err != nil {
		return nil, nil
	}
	f := &edit.File{Mode: info.Mode()}
	if f.IsLink() {
		target, err := os.Readlink(filepath.Join(d.root, name))
		if err != nil {
			return nil, err
		}
		f.Data = []byte(target)
	}
	return f, nil
}

// FuzzPolicyDisk: wherever the system would write for a name, that place is
// judged. Where it lies in a denied directory, in .git or outside, the operation
// is denied.
func FuzzPolicyDisk(f *testing.F) {
	root, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	root = filepath.Join(root, "r")
	for _, dir := range []string{"secret/deep", ".git/hooks", "pub/deep", "s/p"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			f.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"l": "secret", "m": "pub/deep/../../secret/deep", "n": "x", "x": "s/p", "o": "..", "pub/up": "../secret/new",
		"pub/g": "../.git", "abs": root + "/secret", "out": "/", "self": "self", "pub/deep/back": "../../l", "dangling": "secret/none/../k",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			f.Fatal(err)
		}
	}
	for _, c := range policyCases(f) {
		op := c.op(f)
		f.Add(op.Path)
	}
	for _, name := range []string{"l/a", "m/k", "n/../a", "o/r/secret/k", "pub/up", "pub/g/hooks/x", "abs/x", "pub/deep/back/deep/y", "x/../../secret/a", "./l/./deep/../z", "dangling", root + "/l/x", root + "/x/../../l/k", "self/a", "out/etc/x"} {
		f.Add(name)
	}
	config, err := hooks.DecodeConfig("P", []byte("policy: {deny: [secret], create: {deny: [\"s/**\"]}, write: {deny: [\"s/**\"]}}\n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsRune(name, 0) || len(name) > 300 || strings.HasPrefix(name, "file:") {
			return
		}
		abs := name
		if !strings.HasPrefix(name, "/") {
			abs = root + "/" + name
		}
		place, ok := written(abs, 0)
		if !ok {
			return
		}
		rel, err := filepath.Rel(root, place)
		forbidden := err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, "../")
		for _, dir := range []string{"secret", ".git", "s"} {
			forbidden = forbidden || strings.HasPrefix(rel+"/", dir+"/")
		}
		p := hooks.NewPolicy(hooks.Site{Tree: &diskTree{root: root}, Roots: []string{root}}, hooks.Layer{Name: "HEAD", Place: "P", Config: config})
		found := p.Judge(hooks.Agent, hooks.Operation{Path: name, Tool: "write"})
		if forbidden && hooks.Strictest(found) != hooks.Deny {
			t.Errorf("%q is written to %s: %+v", name, place, found)
		}
	})
}

// written is where the system writes for an absolute name: the directory is
// opened and asked for its own name.
func written(name string, links int) (string, bool) {
	i := strings.LastIndexByte(name, '/')
	dir, base := name[:i+1], name[i+1:]
	if base == "" || base == "." || base == ".." || links > 10 {
		return "", false
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", false
	}
	defer d.Close()
	real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", d.Fd()))
	if err != nil {
		return "", false
	}
	info, err := os.Lstat(filepath.Join(real, base))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return filepath.Join(real, base), true
	}
	target, err := os.Readlink(filepath.Join(real, base))
	if err != nil {
		return "", false
	}
	if !strings.HasPrefix(target, "/") {
		target = real + "/" + target
	}
	return written(target, links+1)
}

// TestPolicyAgainstGit: what git refuses as a path, because some system takes it
// for .git, is denied.
func TestPolicyAgainstGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	git := func(stdin string, args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "core.protectNTFS=true", "-c", "core.protectHFS=true"}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := git("", "init", "-q"); err != nil {
		t.Fatal(out)
	}
	blob, err := git("x", "hash-object", "-w", "--stdin")
	if err != nil {
		t.Fatal(blob)
	}
	refused, tried := 0, 0
	for _, stem := range []string{".git", ".GIT", ".gIt", ".g\u200cit", ".git\u200d", "\ufeff.git", "git~1", "GIT~1", "git~2", ".git\u2060", ".gitx", "git", ".g\u00a0it"} {
		for _, end := range []string{"", " . .", "::$INDEX_ALLOCATION", " :x", "\u206a."} {
			for _, place := range []string{"%d/%s", "%d/%s/config", `%d\%s\x`} {
				tried++
				name := fmt.Sprintf(place, tried, stem+end)
				if _, err := git("", "update-index", "--add", "--cacheinfo", "100644,"+strings.TrimSpace(blob)+","+name); err == nil {
					continue
				}
				refused++
				for _, found := range []bool{true, false} {
					if v := hooks.Strictest(hooks.NewPolicy(hooks.Site{}).Judge(hooks.Agent, hooks.Operation{Path: name, Found: found})); v != hooks.Deny {
						t.Errorf("git refuses %q, policy says %v (found: %v)", name, v, found)
					}
				}
			}
		}
	}
	if refused < 50 {
		t.Errorf("git refused %d names only", refused)
	}
}
