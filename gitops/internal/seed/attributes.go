package seed

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/chordgit/chordgit/gitops/internal/repo"
)

// attributes answers for which paths a conversion may be asked for.
type attributes struct {
	top     string
	fold    bool
	always  bool                // whatever the path: something decisive cannot be read
	numbers map[string]int      // of the attributes that matter: those that convert, then macros
	macros  [][]effect          // by number
	info    []rule              // the strongest source
	user    []rule              // core.attributesFile, then the system's: the weakest
	indexed map[string]struct{} // directories whose attributes the index has
	dirs    map[string]*dir
}

// A rule is a line that says something that matters.
type rule struct {
	glob    glob
	byName  bool
	unsure  bool
	effects []effect
}

// An effect is a mention of an attribute that matters.
type effect struct {
	number int
	value  value
}

// A dir is one directory's own attributes on top of its parent's.
type dir struct {
	parent *dir
	base   int    // bytes of a path up to what rules match
	rules  []rule // in the order of their weight
	doubt  bool   // here and below
	silent bool   // no rule at all: neither here, above, nor of another source
}

func newAttributes(l *repo.Layout, s *repo.Settings, indexed map[string]struct{}) *attributes {
	a := &attributes{top: l.Top, fold: s.IgnoreCase, indexed: indexed, numbers: map[string]int{}, dirs: map[string]*dir{}}
	// Strongest first. The names of macros must be known before rules can be
	// told from those that do not matter.
	type source struct {
		lines  []line
		macros []macro
	}
	read := func(name string, follow bool) (src source) {
		data, ok := readFile(name, follow)
		if ok {
			src.lines, src.macros, ok = parse(data)
		}
		a.always = a.always || !ok
		return src
	}
	info := read(filepath.Join(l.CommonDir, "info", "attributes"), true)
	root := read(filepath.Join(l.Top, ".gitattributes"), false)
	var user, system source
	if s.AttributesFile != "" {
		user = read(s.AttributesFile, true)
	}
	found := 0
	for _, name := range s.SystemAttributes {
		if src := read(name, true); src.lines != nil || src.macros != nil {
			system = src
			found++
		}
	}
	a.always = a.always || found > 1 // git reads one of them

	for i, name := range converting {
		a.numbers[name] = i
	}
	builtin := []macro{{name: "binary", mentions: []mention{{"diff", unset}, {"merge", unset}, {"text", unset}}}}
	a.define(info.macros, root.macros, user.macros, system.macros, builtin)
	a.info = a.rules(info.lines)
	a.user = append(a.rules(user.lines), a.rules(system.lines)...)
	a.dirs[""] = a.settle(&dir{rules: a.rules(root.lines)}, "")
	return a
}

// define numbers the macros and gives them their effects. The strongest
// definition counts, and the last of a file.
func (a *attributes) define(sources ...[]macro) {
	var all []macro
	for _, macros := range sources {
		for _, m := range slices.Backward(macros) {
			a.always = a.always || m.unsure
			if _, known := a.numbers[m.name]; !known {
				a.numbers[m.name] = len(a.numbers)
				all = append(all, m)
			} else if slices.Contains(converting[:], m.name) {
				a.always = true // a macro with the name of what converts: let git deal with it
			}
		}
	}
	if len(a.numbers) > 64 { // the bits of a set
		a.always = true
		return
	}
	a.macros = make([][]effect, len(a.numbers))
	for _, m := range all {
		a.macros[a.numbers[m.name]] = a.effects(m.mentions)
	}
}

// effects are the mentions that matter, the last one first: it counts.
func (a *attributes) effects(mentions []mention) (effects []effect) {
	for _, m := range slices.Backward(mentions) {
		if n, ok := a.numbers[m.name]; ok {
			effects = append(effects, effect{n, m.value})
		}
	}
	return effects
}

// rules are the lines that matter, the last one first.
func (a *attributes) rules(lines []line) (rules []rule) {
	for _, l := range slices.Backward(lines) {
		if e := a.effects(l.mentions); e != nil {
			r := rule{byName: l.byName, unsure: l.unsure, effects: e}
			if !l.unsure || l.pattern != "" {
				r.glob = compile(l.pattern, a.fold)
			} else {
				r.glob = glob{steps: []step{{kind: unknown}}}
			}
			rules = append(rules, r)
		}
	}
	return rules
}

// dir returns the attributes of a directory, "" or one that ends in a slash.
func (a *attributes) dir(name []byte) *dir {
	if d, ok := a.dirs[string(name)]; ok {
		return d
	}
	above := name[:len(name)-1]
	for len(above) > 0 && above[len(above)-1] != '/' {
		above = above[:len(above)-1]
	}
	d := &dir{parent: a.dir(above), base: len(name)}
	path := string(name)
	if !d.parent.doubt {
		data, ok := readFile(filepath.Join(a.top, filepath.FromSlash(path), ".gitattributes"), false)
		lines, _, ok2 := parse(data) // macros count in the root alone
		d.doubt = !ok || !ok2
		d.rules = a.rules(lines)
	}
	a.dirs[path] = a.settle(d, path)
	return d
}

// settle finds out what can be said of a directory as a whole.
func (a *attributes) settle(d *dir, name string) *dir {
	if _, indexed := a.indexed[name]; indexed {
		// git takes what the index has if the file is gone.
		_, err := os.Lstat(filepath.Join(a.top, filepath.FromSlash(name), ".gitattributes"))
		d.doubt = d.doubt || err != nil
	}
	if d.parent != nil {
		d.doubt = d.doubt || d.parent.doubt
		d.silent = d.parent.silent && len(d.rules) == 0
	} else {
		d.silent = len(d.rules) == 0 && len(a.info) == 0 && len(a.user) == 0
	}
	return d
}

// convert reports whether an attribute may ask for the conversion of a file in
// d.
func (a *attributes) convert(path []byte, name int, d *dir) bool {
	if a.always || d.doubt {
		return true
	}
	if d.silent {
		return false
	}
	j := judge{a: a, path: path, name: path[name:]}
	doubt := j.apply(a.info, 0)
	for ; d != nil && !doubt; d = d.parent {
		doubt = j.apply(d.rules, d.base)
	}
	return doubt || j.apply(a.user, 0)
}

// A judge goes through the rules for one path, the strongest first.
type judge struct {
	a          *attributes
	path, name []byte
	known      uint64 // attributes that a rule has spoken of
}

// apply reports whether one of the rules leaves the path in doubt.
func (j *judge) apply(rules []rule, base int) bool {
	for i := range rules {
		r := &rules[i]
		text := j.path[base:]
		if r.byName {
			text = j.name
		}
		switch v := r.glob.match(text); {
		case v == no:
		case v == perhaps || r.unsure:
			return true
		case j.take(r.effects):
			return true
		}
	}
	return false
}

func (j *judge) take(effects []effect) bool {
	for _, e := range effects {
		if j.known>>e.number&1 != 0 {
			continue
		}
		j.known |= 1 << e.number
		isSet := e.value == set || e.value == given
		if e.number < len(converting) && isSet || e.value == set && j.take(j.a.macros[e.number]) {
			return true
		}
	}
	return false
}

// readFile reads an attribute file; an absent one is empty. It is not ok if it
// is no regular file, or one that cannot be read.
func readFile(name string, follow bool) (data []byte, ok bool) {
	if name == os.DevNull {
		return nil, true
	}
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	info, err := stat(name)
	if err != nil {
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, false
	}
	data, err = os.ReadFile(name)
	return data, err == nil
}
