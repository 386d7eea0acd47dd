package hooks

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chordgit/chordgit/edit"
	"github.com/goccy/go-yaml/ast"
)

// A value decodes the value of the key at path ("match.ambiguous") and reports
// to d what is wrong with it.
type value func(d *decoder, path string, n ast.Node)

// A section is a map whose keys are known.
type section map[string]value

func (s section) decode(d *decoder, path string, n ast.Node) {
	entries(d, path, n, func(key string, k, v ast.Node) {
		if decode, known := s[key]; known {
			decode(d, join(path, key), v)
			return
		}
		msg := "unknown key " + quote(key)
		if path != "" {
			msg += " in " + path
		}
		if near := suggest(key, slices.Sorted(maps.Keys(s))); near != "" {
			msg += fmt.Sprintf(" (did you mean %q?)", near)
		}
		d.errorf(start(k), "%s", msg)
	})
}

// named accepts a map whose keys are names of the author's choice; what stands
// below each goes into an entry of its own.
func named[T any](dst *map[string]*T, schema func(*T) section) value {
	return func(d *decoder, path string, n ast.Node) {
		*dst = map[string]*T{}
		entries(d, path, n, func(key string, _, v ast.Node) {
			entry := new(T)
			(*dst)[key] = entry
			schema(entry).decode(d, join(path, shorten(key)), v)
		})
	}
}

// entries goes through a map and reports keys that are no words or that stand
// twice; the others are visited.
func entries(d *decoder, path string, n ast.Node, visit func(key string, k, v ast.Node)) {
	m, ok := n.(ast.MapNode)
	if !ok {
		d.want(n, path, "a map", kind(n))
		return
	}
	first := map[string]int{} // line of each key
	for it := m.MapRange(); it.Next(); {
		key, ok := text(it.Key())
		if !ok {
			if !unsupported(it.Key()) {
				d.errorf(start(it.Key()), "a key is a single word")
			}
			continue
		}
		if line := first[key]; line > 0 {
			d.errorf(start(it.Key()), "%s is set twice (first at line %d)", quote(key), line)
			continue
		}
		first[key] = it.Key().GetToken().Position.Line
		visit(key, it.Key(), it.Value())
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// version accepts the only version there is, as it is always written.
func version(d *decoder, path string, n ast.Node) {
	if i, ok := n.(*ast.IntegerNode); !ok || i.Token.Value != "1" {
		d.want(n, path, "1", "")
	}
}

// word accepts one of a few words.
func word(dst *string, words ...string) value {
	return func(d *decoder, path string, n ast.Node) {
		s, ok := text(n)
		if !ok || !slices.Contains(words, s) {
			last := len(words) - 1
			d.want(n, path, strings.Join(words[:last], ", ")+" or "+words[last], found(n))
			return
		}
		*dst = s
	}
}

// boolean accepts true and false, not the words for them of older YAML.
func boolean(dst **bool) value {
	return func(d *decoder, path string, n ast.Node) {
		b, ok := n.(*ast.BoolNode)
		if !ok {
			d.want(n, path, "true or false", found(n))
			return
		}
		*dst = &b.Value
	}
}

// units are the suffixes of a size.
var units = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"", 1}}

// size accepts a positive number of bytes in decimal, or one with a unit.
func size(dst *int64) value {
	return func(d *decoder, path string, n ast.Node) {
		s, _ := text(n)
		switch bytes, err := ParseSize(s); {
		case err == nil:
			*dst = bytes
		case errors.Is(err, errTooLarge):
			d.errorf(start(n), "%s: %s is too large", path, shorten(s))
		default:
			d.want(n, path, sizeForm, found(n))
		}
	}
}

const sizeForm = "a size like 1048576 or 64MiB (KiB, MiB, GiB)"

var errTooLarge = errors.New("too large")

// ParseSize reads a size as configuration files have it: a positive number of
// bytes in decimal, or one with the unit KiB, MiB or GiB.
func ParseSize(s string) (int64, error) {
	for _, u := range units {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		n, ok := decimal(digits)
		if !ok {
			break
		}
		if n > math.MaxInt64/2/u.bytes { // a reader may add to it
			return 0, errTooLarge
		}
		return n * u.bytes, nil
	}
	return 0, errors.New("want " + sizeForm)
}

// decimal reads a positive number, too large a one as the largest. Neither sign
// nor leading zero nor underscore: YAML's readers disagree about these.
func decimal(digits string) (int64, bool) {
	if digits == "" || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	return n, true
}

// count accepts a number of things, at least one.
func count(dst *int) value {
	const most = 1_000_000
	return func(d *decoder, path string, n ast.Node) {
		s, _ := text(n)
		i, ok := decimal(s)
		if !ok || i > most || n.Type() != ast.IntegerType {
			d.want(n, path, fmt.Sprintf("a number from 1 to %d", most), found(n))
			return
		}
		*dst = int(i)
	}
}

// directory accepts a directory inside the worktree.
func directory(dst *string) value {
	return func(d *decoder, name string, n ast.Node) {
		s, _ := text(n)
		clean := path.Clean(s)
		if s == "" || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || path.IsAbs(clean) || strings.ContainsAny(s, `\:`) || edit.CheckName(s, nil) != nil {
			d.want(n, name, "a directory inside the worktree, such as docs/memories", found(n))
			return
		}
		*dst = clean
	}
}

// want reports that the value of a key is not of the wanted form. What is not
// supported at all was reported before.
func (d *decoder) want(n ast.Node, path, form, found string) {
	if unsupported(n) {
		return
	}
	msg := "want " + form
	if path != "" {
		msg = path + ": " + msg
	}
	if found != "" {
		msg += ", found " + found
	}
	d.errorf(start(n), "%s", msg)
}

// unsupported reports whether n is one of the nodes that [decoder.scan]
// reports.
func unsupported(n ast.Node) bool {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode, *ast.DirectiveNode:
		return true
	}
	return false
}

// text is the text of a scalar, if n is one: a number's as it was written.
func text(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.MappingKeyNode: // "? key"
		return text(n.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// kind names the type of a value.
func kind(n ast.Node) string {
	switch n.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "a map"
	case ast.SequenceType:
		return "a list"
	case ast.StringType, ast.LiteralType:
		return "a string"
	case ast.BoolType:
		return "a bool"
	case ast.NullType:
		return "null"
	}
	return "a number"
}

// found shows a scalar, a string in quotes, and names what is none.
func found(n ast.Node) string {
	s, ok := text(n)
	switch {
	case !ok:
		return kind(n)
	case n.Type() == ast.StringType || n.Type() == ast.LiteralType:
		return quote(s)
	}
	return shorten(s)
}

// quote is for text of any length and content.
func quote(s string) string { return strconv.Quote(shorten(s)) }

// shorten cuts what would fill a screen.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// suggest returns the word that is nearest to s, if at most two characters need
// to be added, removed or replaced.
func suggest(s string, words []string) string {
	best, near := 3, ""
	for _, w := range words {
		if n := distance(s, w); n < best {
			best, near = n, w
		}
	}
	return near
}

// distance is the edit distance of two words. Words that differ by more than
// two in length are simply far: a key may be as long as the file.
func distance(a, b string) int {
	if d := len(a) - len(b); d < -2 || d > 2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
