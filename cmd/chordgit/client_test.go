//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// agentsSDK is the package whose runner drives chordgit.
const agentsSDK = "@openai/agents@0.20.0"

// TestNodeClients runs the programs in testdata/node, each in a repository of
// its own: real clients that know nothing of chordgit but its command line.
func TestNodeClients(t *testing.T) {
	node := program(t, "node")
	t.Run("messages", func(t *testing.T) {
		runNode(t, node, "messages.mjs", "", map[string]string{
			"a.txt": "one\ntwo\n", "b.txt": "same\n", "c.txt": "alpha\nbeta\nbeta\n", "d.txt": "first\nlast\n",
		})
	})
	t.Run("agents", func(t *testing.T) {
		runNode(t, node, "agents.mjs", installed(t, agentsSDK), map[string]string{
			"main.py": "import old\n\ndef main():\n    return old.area(2)\n", "old.py": "def area(r):\n    return r\n", "notes.txt": "draft\n",
		})
	})
}

// program finds a program that not every machine has.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is missing: the clients that need it do not run", name)
	}
	return path
}

// runNode runs one of the programs; its assertions are the test.
func runNode(t *testing.T, node, name, modules string, files map[string]string) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "node", name))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t, toFixtures(files))
	cmd := exec.Command(node, script)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "CHORDGIT_TEST_MODULES="+modules, "OPENAI_AGENTS_DISABLE_TRACING=1", "OPENAI_API_KEY=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

// unreachable is how npm says that it has no network.
var unreachable = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENOTCACHED`)

// installed is the directory below which an npm package is installed, in the
// user's cache once it is.
func installed(t *testing.T, pkg string) string {
	t.Helper()
	if testing.Short() {
		t.Skipf("%s is not installed in short tests", pkg)
	}
	npm := program(t, "npm")
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	dir := filepath.Join(cache, "chordgit-test", regexp.MustCompile(`[^\w.]+`).ReplaceAllString(pkg, "-"))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(parent, "new-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	cmd := exec.Command(npm, "install", "--prefix", fresh, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--fetch-retries=1", pkg)
	cmd.Dir = fresh
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	switch err := cmd.Run(); {
	case err != nil && unreachable.Match(out.Bytes()):
		t.Skipf("%s cannot be installed without a network:\n%s", pkg, &out)
	case err != nil:
		t.Fatalf("npm install %s: %v\n%s", pkg, err, &out)
	}
	if err := os.Rename(fresh, dir); err != nil && !errors.Is(err, os.ErrExist) { // somebody else was faster
		t.Fatal(err)
	}
	return dir
}
