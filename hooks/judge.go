package hooks

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/hooks/internal/glob"
)

// An end is one path of an operation being judged.
type end struct {
	*Policy
	who    Who
	op     Operation
	kind   Kind // Create, Write or Delete
	moving bool // it is an end of a move

	lexical, resolved string
	names             []string // under which it is judged, those two first
	via               string
	contents          []string // what a directory that is moved holds, from the slash on
	findings          []Finding
}

func (p *Policy) end(who Who, op Operation) *end {
	return &end{Policy: p, who: who, op: op, kind: op.Kind}
}

// judge finds the names and judges them.
func (e *end) judge() {
	if !e.place() {
		return
	}
	e.settle()
	e.rules()
	if e.op.Link != "" {
		e.link()
	}
	if e.kind == Delete && e.isDir() {
		e.below()
	}
}

// at judges a path that was found where it is.
func (e *end) at(name string) {
	e.lexical, e.resolved, e.via = name, name, ""
	e.names = aliases(nil, name)
	e.rules()
}

// settle decides what a Put is.
func (e *end) settle() {
	if e.kind != Put {
		return
	}
	e.kind = Create
	if f, err := e.lookup(e.resolved); err != nil {
		e.undecided(err)
	} else if f != nil {
		e.kind = Write
	}
}

// say adds a finding.
func (e *end) say(f Finding) {
	if f.Op, f.Path = e.kind, e.op.Path; f.Op == Put {
		f.Op = Write // nobody knows what is there
	}
	if f.Name == e.resolved && e.resolved != e.lexical {
		f.Via = e.via
	}
	e.findings = append(e.findings, f)
}

func (e *end) refuse(class, name, format string, args ...any) {
	e.say(Finding{Verdict: Deny, Class: class, Name: name, msg: fmt.Sprintf(format, args...)})
}

func (e *end) undecided(err error) {
	e.refuse(ClassUndecided, e.resolved, "cannot decide: %v", err)
}

// link judges where a link leads that is made: into no git directory, and no
// agent's out of the worktree, where others who check it out have something else.
func (e *end) link() {
	refuse := func(class, format string) {
		f := Finding{Verdict: Deny, Class: class, Name: e.resolved, msg: fmt.Sprintf(format, edit.Quote(e.op.Link))}
		if class == ClassOutside && e.who == Person {
			f.Verdict, f.Class = Allow, ClassNote
		}
		e.say(f)
	}
	target, err := e.op.Link, error(nil)
	if isAbsolute(target) {
		target, err = e.relative(target)
	} else {
		target = parent(e.resolved) + "/" + target
	}
	if err == nil {
		target, _, err = e.walk(target, true)
	}
	switch {
	case err == nil && (inGitDir(target) || e.inOwnGitDir(target)), inGitDir(strings.TrimPrefix(e.op.Link, "/")):
		refuse(ClassGit, "a link into a git directory: %s")
	case errors.Is(err, errOutside):
		refuse(ClassOutside, "a link that leaves the repository: %s")
	case err != nil && !errors.Is(err, errLoop): // a circle leads nowhere
		e.undecided(err)
	}
}

// rules judges the names by everything but what lies below them.
func (e *end) rules() {
	e.hard()
	e.soft()
	for i, l := range e.layers {
		tables := []Kind{Put, e.kind}
		if e.moving {
			tables = append(tables, Move)
		}
		for _, kind := range tables {
			e.table(i, l, l.tables[kind])
		}
		if e.who != Person {
			e.permit(i, l)
		}
	}
	if msg := noted(e.resolved); msg != "" {
		e.say(Finding{Verdict: Allow, Class: ClassNote, Name: e.resolved, msg: msg})
	}
}

// hard looks for what no setting allows, and for submodules.
func (e *end) hard() {
	for _, name := range e.names {
		if inGitDir(name) || e.inOwnGitDir(name) {
			e.refuse(ClassGit, name, "inside the git directory")
			break
		}
	}
	for _, name := range e.names {
		if dir, err := e.bare(name); err != nil {
			e.undecided(err)
		} else if dir != "" {
			e.refuse(ClassBare, name, "inside a bare repository (%s)", edit.Quote(dir))
			break
		}
	}
	if e.submodules {
		return
	}
	links, err := e.links()
	if err != nil {
		e.undecided(err)
		return
	}
	for _, link := range links {
		for _, name := range e.names {
			if name == link || strings.HasPrefix(name, link+"/") || e.kind == Delete && strings.HasPrefix(link, name+"/") {
				e.refuse(ClassSubmodule, name, "belongs to submodule %s; policy.submodules: allow lets agents change it", edit.Quote(link))
				return
			}
		}
	}
}

// inOwnGitDir reports whether a name is the repository's git directory or lies
// in it, under whatever name it has.
func (e *end) inOwnGitDir(name string) bool {
	for _, dir := range e.site.GitDirs {
		if rel, err := e.relative(dir); err == nil && rel != "." && within(settingName(name), settingName(rel)) {
			return true
		}
	}
	return false
}

// within reports whether a name is dir or lies below it.
func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// bare finds the bare repository that holds a name.
func (e *end) bare(name string) (string, error) {
	for dir := parent(name); dir != "."; dir = parent(dir) {
		all := true
		for _, part := range []string{"HEAD", "objects", "refs"} {
			at := dir + "/" + part
			f, err := e.lookup(at)
			if err != nil {
				return "", err
			}
			if all = f != nil || e.made[at]; !all {
				break
			}
		}
		if all {
			return dir, nil
		}
	}
	return "", nil
}

// soft looks for what is protected until it is unprotected.
func (e *end) soft() {
	isLink := func(name string) bool {
		f, err := e.lookup(name)
		return err != nil || f.IsLink()
	}
	hooks := settingName(e.site.HooksPath)
	for _, name := range e.names {
		policyFile := isPolicyFile(name)
		hook := hooks != "" && within(settingName(name), hooks) && (settingName(name) != hooks || isLink(name))
		if !policyFile && !hook && !isProtected(name, isLink) {
			continue
		}
		unprotects := func(l *layer) bool {
			return l.unprotect.Match(name) != glob.None && (l.Name == "user" || !policyFile)
		}
		if e.lifted(unprotects) {
			continue
		}
		f := Finding{Verdict: Deny, Class: ClassProtected, Name: name, msg: "hook and agent settings are protected; policy.unprotect can lift it"}
		if policyFile {
			f.Class, f.msg = ClassPolicyFile, "the policy file"
		}
		switch {
		case e.who == Person:
			f.Verdict = Allow
		case e.who == Attended && f.Class == ClassProtected:
			f.Verdict = Ask
		}
		e.say(f)
		return
	}
}

// table judges the names by one set of lists.
func (e *end) table(i int, l *layer, t *table) {
	match := func(verdict Verdict, class, key string, list *glob.List, rules []Rule) {
		for _, name := range e.names {
			if n := list.Match(name); n != glob.None {
				e.say(l.finding(i, verdict, class, t.name+"."+key, name, rules[n], list.By(name, n)))
				return
			}
		}
	}
	match(Deny, ClassRule, "deny", t.deny, t.rules.Deny)
	match(Ask, ClassAsk, "ask", t.ask, t.rules.Ask)
	if t.allow != nil && t.allow.Match(e.resolved) == glob.None {
		f := l.finding(i, Deny, ClassNotAllowed, t.name+".allow", e.resolved, t.rules.Allow[0], "")
		f.Glob, f.Reason = "", ""
		e.say(f)
	}
}

func (l *layer) finding(rank int, v Verdict, class, key, name string, r Rule, by string) Finding {
	return Finding{Verdict: v, Class: class, Name: name, Rule: key, Glob: r.Glob, By: by, Reason: r.Reason,
		Layer: l.Name, Source: l.Place, Line: r.Line, Column: r.Column, rank: rank}
}

// lookup is Tree.Lookup, remembered.
func (p *Policy) lookup(name string) (*edit.File, error) {
	if p.site.Tree == nil {
		return nil, nil
	}
	f, known := p.files[name]
	if known {
		return f, nil
	}
	f, err := p.site.Tree.Lookup(name)
	if err == nil {
		p.files[name] = f
	}
	return f, err
}

// links are the submodules, asked for once.
func (p *Policy) links() ([]string, error) {
	if !p.asked && p.site.Tree != nil {
		p.gitlinks, p.gitlinksErr = p.site.Tree.Gitlinks()
	}
	p.asked = true
	return p.gitlinks, p.gitlinksErr
}

// parent is path.Dir without its cleaning.
func parent(name string) string {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "."
	}
	return path.Clean(name[:i])
}
