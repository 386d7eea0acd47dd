package patchapply

import (
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
)

// listings reads the fences of a text in which nothing else begins as listings
// of whole files. It reports false if none of them is one.
func (t *text) listings() bool {
	if t.only != nil && t.only.name != "whole" {
		return false
	}
	names := make([]string, len(t.fences))
	found := false
	for i, f := range t.fences {
		if t.only == nil && slices.ContainsFunc(t.lines[f.at:f.end], nearMiss().MatchString) {
			return false // meant for another format
		}
		names[i] = t.listed(f)
		found = found || names[i] != ""
	}
	if !found {
		found = t.guessed(names)
	}
	if !found {
		return false
	}
	t.base("", 1)
	contents := map[string]string{}
	at := map[string]int{}
	for i, f := range t.fences {
		name := names[i]
		if name == "" {
			if f.at > 0 && !f.shell && t.speaks(f.at-1) {
				t.fail(edit.BadInput, f.at+1, "a fence without a path stands beside listings that have one, and line %d directly above it is no path: %s", f.at, quote(t.lines[f.at-1]))
			}
			continue
		}
		if f.open {
			t.fail(edit.Truncated, f.at+1, "the listing of %s that begins here is not closed", quote(name))
			continue
		}
		content, ok := t.listing(f)
		if !ok {
			break // nor can it be told where the next one begins
		}
		switch before, twice := contents[name]; {
		case twice && before != content:
			t.fail(edit.BadInput, f.at+1, "%s is listed twice with different contents, in lines %d and %d", quote(name), at[name], f.at+1)
		case !twice:
			contents[name], at[name] = content, f.at+1
			t.add("whole", edit.Op{Kind: edit.Write, Tool: "write", Path: name, Content: []byte(content), Listing: true, Line: f.at + 1})
		}
	}
	t.leftOut(names)
	return true
}

// speaks reports whether a line above a fence is one that could name its file.
func (t *text) speaks(i int) bool {
	return !isBlank(t.lines[i]) && !fence().MatchString(t.lines[i]) && !tagEnd().MatchString(t.lines[i])
}

// listed returns the path that a fence or the line directly above it gives.
func (t *text) listed(f *fenced) string {
	if f.title != "" && t.isPath(f.title) && !f.shell {
		return bareName(f.title)
	}
	if f.at > 0 && t.speaks(f.at-1) && t.isPath(t.lines[f.at-1]) {
		t.used[f.at-1] = true
		return bareName(t.lines[f.at-1])
	}
	return ""
}

// guessed finds paths where no fence has one: that of the request for its only
// fence, or by Aider's rules the last that is named above.
func (t *text) guessed(names []string) bool {
	only, count := 0, 0
	for i, f := range t.fences {
		if !f.shell {
			only, count = i, count+1
		}
	}
	if count == 1 && t.opt.Path != "" {
		names[only] = t.opt.Path
		return true
	}
	found, last, from := false, "", 0
	for i, f := range t.fences {
		if !t.opt.Aider {
			break
		}
		for ; from < f.at; from++ {
			for _, name := range ticked(t.lines[from]) {
				if t.exists(name) {
					last = name
				}
			}
		}
		from = f.end
		if !f.shell && last != "" {
			names[i], found, last = last, true, ""
		}
	}
	return found
}

// listing returns the content of a fence.
func (t *text) listing(f *fenced) (string, bool) {
	lines := make([]string, 0, f.end-f.at-1)
	for i := f.at + 1; i < f.end; i++ {
		l := strings.TrimPrefix(t.lines[i], f.indent)
		if m := fence().FindStringSubmatch(l); m != nil && m[2] == f.ticks && strings.TrimSpace(m[3]) != "" {
			t.fail(edit.BadInput, i+1, "a fence as wide as that of the listing around it begins here (%s), so where the listing of line %d ends cannot be told: use a wider fence around it", quote(t.lines[i]), f.at+1)
			return "", false
		}
		lines = append(lines, l)
	}
	return terminated(lines), true
}

// leftOut notes what is no part of a listing: prose, and fences that are
// illustration.
func (t *text) leftOut(names []string) {
	shell := map[int]bool{} // heads of shell blocks that are listings after all
	for i, f := range t.fences {
		if names[i] == "" {
			continue
		}
		for l := f.at; l <= f.end; l++ {
			t.used[l] = true
		}
		shell[f.at+1] = f.shell
	}
	t.req.Notes = slices.DeleteFunc(t.req.Notes, func(n edit.Note) bool { return n.Code == "shell-block" && shell[n.Line] })
	if prose := t.prosaic(); len(prose) > 0 {
		t.note("prose", prose[0]+1, "text around the listings was left out (%s)", lineList(prose))
	}
}

// ticked returns what stands between backticks in a line.
func ticked(line string) (out []string) {
	parts := strings.Split(line, "`")
	for i := 1; i+1 < len(parts); i += 2 {
		if parts[i] != "" {
			out = append(out, parts[i])
		}
	}
	return out
}

// mentioned is a path that the prose names in backticks, for messages.
func (t *text) mentioned() string {
	if len(t.fences) == 0 {
		return ""
	}
	for _, i := range t.prose {
		for _, name := range ticked(t.lines[i]) {
			if t.exists(name) || t.isPath(name) {
				return name
			}
		}
	}
	return ""
}
