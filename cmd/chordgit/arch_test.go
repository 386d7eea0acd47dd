package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the import path of the project.
const module = "github.com/chordgit/chordgit"

// rules say what the non-test files of a package may import of ours, and what
// they may not import at all. Packages below one of these follow its rules.
var rules = map[string]struct{ ours, never []string }{
	"edit":         {nil, []string{"os", "time", "net", "github.com/go-git"}},
	"patchapply":   {[]string{"edit"}, []string{"os", "time", "github.com/go-git"}},
	"hooks":        {[]string{"patchapply", "edit"}, []string{"github.com/go-git"}},
	"snapshot":     {[]string{"edit"}, []string{"github.com/go-git"}},
	"gitops":       {[]string{"snapshot", "edit"}, nil},
	"cmd/chordgit": {[]string{"hooks", "patchapply", "gitops", "snapshot", "edit"}, []string{"github.com/go-git"}},
	"bench":        {nil, []string{"github.com/go-git"}},
}

// TestArchitecture pins the direction of imports.
func TestArchitecture(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel, _ := filepath.Rel(root, file)
		dir := path.Dir(filepath.ToSlash(rel))
		pkg := dir
		for rules[pkg].ours == nil && rules[pkg].never == nil && pkg != "." {
			pkg = path.Dir(pkg)
		}
		rule, ok := rules[pkg]
		if !ok {
			t.Errorf("%s lies in no package that the architecture knows", rel)
			return nil
		}
		seen[pkg] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if rest, ours := strings.CutPrefix(imported, module+"/"); ours {
				top := rest
				if i := strings.Index(rest, "/internal"); i >= 0 {
					top = rest[:i]
				}
				if top != pkg && !slices.Contains(rule.ours, top) {
					t.Errorf("%s imports %s", rel, rest)
				}
			}
			for _, never := range rule.never {
				if imported == never || strings.HasPrefix(imported, never+"/") {
					t.Errorf("%s imports %s", rel, imported)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range rules {
		if !seen[pkg] {
			t.Errorf("package %s has no files", pkg)
		}
	}
}
