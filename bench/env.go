package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// peerPackage is the release that the targets were measured with.
const peerPackage = "@openai/codex@0.171.0"

// prepare finds a disk, builds the binaries and looks for the peer.
func (b *bench) prepare(install bool) error {
	if err := b.place(); err != nil {
		return err
	}
	home := filepath.Join(b.dir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	b.env = environment(home)
	if err := b.build(); err != nil {
		return err
	}
	if install {
		fmt.Fprintln(b.log, "npm install", peerPackage)
		if err := b.tool(b.dir, "npm", "install", "--no-save", "--no-audit", "--no-fund", peerPackage); err != nil {
			return err
		}
	}
	return b.findPeer()
}

// place settles the work directory: what -dir says, or the first of two usual
// places that is on a disk.
func (b *bench) place() error {
	dirs := []string{b.dir}
	if b.dir == "" {
		dirs = []string{filepath.Join(os.TempDir(), "chordgit-bench")}
		if cache, err := os.UserCacheDir(); err == nil {
			dirs = append([]string{filepath.Join(cache, "chordgit-bench")}, dirs...)
		}
	}
	var errs []error
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err == nil {
			err = os.MkdirAll(dir, 0o755)
		}
		var name string
		if err == nil {
			name, err = fileSystem(dir)
		}
		if err == nil && (name == "tmpfs" || name == "ramfs") {
			err = fmt.Errorf("%s lies on %s: name a directory on a disk with -dir", dir, name)
		}
		if err == nil {
			b.dir = dir
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// environment is that of all programs that are run or measured: nobody's
// settings, and no agent's.
func environment(home string) []string {
	var env []string
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); {
		case strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "CODEX"), strings.HasPrefix(name, "CHORDGIT"):
		default:
			env = append(env, v)
		}
	}
	return append(env, "CODEX_HOME="+home, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@localhost", "GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@localhost")
}

const helloSource = `package main

import "fmt"

func main() { fmt.Println("hello, world") }
`

// build makes chordgit and a program that does nothing, both as the README says:
// without cgo a process starts sooner.
func (b *bench) build() error {
	source := filepath.Join(b.dir, "hello.go")
	if err := os.WriteFile(source, []byte(helloSource), 0o644); err != nil {
		return err
	}
	b.chordgit, b.hello = filepath.Join(b.dir, "chordgit.exe"), filepath.Join(b.dir, "hello.exe")
	for out, what := range map[string]string{b.chordgit: "./cmd/chordgit", b.hello: source} {
		cmd := exec.Command("go", "build", "-trimpath", "-o", out, what)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s, in the project's root: %w\n%s", what, err, text)
		}
	}
	return nil
}

// findPeer looks for the native binary of Codex, whatever the package for this
// platform is called, and links it under the name that makes it apply_patch.
func (b *bench) findPeer() error {
	native := ""
	err := filepath.WalkDir(filepath.Join(b.dir, "node_modules"), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.Type().IsRegular() && (name == "codex" || name == "codex.exe") {
			if info, err := d.Info(); err == nil && info.Size() > 1<<20 { // not the script that starts it
				native = p
				return filepath.SkipAll
			}
		}
		return nil
	})
	if native == "" {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	b.peer = filepath.Join(b.dir, "apply_patch"+filepath.Ext(native))
	if err := os.Remove(b.peer); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(native, b.peer)
}

// tool runs a program that is not measured.
func (b *bench) tool(dir, name string, args ...string) error {
	_, err := b.ask(dir, name, args...)
	return err
}

// ask is tool, with what the program prints.
func (b *bench) ask(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, b.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}
