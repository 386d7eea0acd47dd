// Package glob reads the globs of a policy and matches names against lists of
// them.
//
// The syntax is doublestar's, anchored at the root: * and ? within a component,
// ** for any number of them, classes, and braces. It is stricter than
// doublestar: what people read in different ways is refused when it is loaded.
package glob

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

const (
	maxLength       = 1024 // bytes of a glob
	maxAlternatives = 256  // that its braces come to
)

// A Glob is a pattern that was checked. The zero Glob matches nothing.
type Glob struct {
	text         string
	alternatives []string // without braces, in NFC, classes without a slash
}

// String is the glob as it was written.
func (g Glob) String() string { return g.text }

// Parse checks a glob. Braces are multiplied out here, once: matched in place,
// they cost time exponential in their number.
func Parse(text string) (Glob, error) {
	if err := form(text); err != nil {
		return Glob{}, err
	}
	s := norm.NFC.String(strings.TrimPrefix(text, "/"))
	if strings.HasSuffix(s, "/") {
		s += "**"
	}
	n, err := count(s)
	if err != nil {
		return Glob{}, fmt.Errorf("%s: %w", quote(text), err)
	}
	if n > maxAlternatives {
		return Glob{}, fmt.Errorf("%s: the braces come to more than %d alternatives", quote(text), maxAlternatives)
	}
	g := Glob{text: text}
	seen := map[string]bool{}
	for _, alt := range expand(s) {
		if err := check(alt); err != nil {
			return Glob{}, fmt.Errorf("%s: %w", quote(text), err)
		}
		if alt, err = classes(alt, false); err != nil {
			return Glob{}, fmt.Errorf("%s: %w", quote(text), err)
		}
		if !seen[alt] {
			seen[alt] = true
			g.alternatives = append(g.alternatives, alt)
		}
	}
	return g, nil
}

// form refuses what can be told from the text alone.
func form(text string) error {
	switch {
	case len(text) > maxLength:
		return fmt.Errorf("the glob has %d bytes, %d are allowed", len(text), maxLength)
	case !utf8.ValidString(text):
		return errors.New("the glob is not valid UTF-8")
	case strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("%s: a glob cannot hold control characters", quote(text))
	case strings.HasPrefix(text, "!"):
		return fmt.Errorf("%s: negation is not supported; write a narrower deny", quote(text))
	case strings.HasPrefix(text, "~"):
		return fmt.Errorf("%s: globs are relative to the repository", quote(text))
	}
	path := strings.TrimPrefix(text, "/")
	odd := path == "" || text != strings.TrimSpace(text)
	components := strings.Split(path, "/")
	for i, c := range components {
		odd = odd || c == "" && i < len(components)-1 || c == "." || c == ".."
	}
	if odd {
		return fmt.Errorf("%s: write the path as git ls-files prints it", quote(text))
	}
	return nil
}

// check refuses what an alternative cannot hold.
func check(alt string) error {
	if !doublestar.ValidatePattern(alt) {
		return errors.New("bad pattern")
	}
	for i := 0; i < len(alt); i++ {
		switch alt[i] {
		case '\\':
			i++
			if c := alt[i]; c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
				return errors.New("use / between components")
			}
			if alt[i] == '/' {
				return errors.New("bad pattern")
			}
		case '[':
			i += classLength(alt[i:]) - 1
		case '*':
			if strings.HasPrefix(alt[i:], "**") {
				head, rest := alt[:i], alt[i+2:]
				if head != "" && !strings.HasSuffix(head, "/") || rest != "" && rest[0] != '/' {
					return fmt.Errorf("** must be a whole component; write %s", apart(head, rest))
				}
				i++
			}
		}
	}
	return nil
}

// apart proposes a pattern in which ** stands by itself.
func apart(head, rest string) string {
	head, rest = strings.TrimRight(head, "*/"), strings.TrimLeft(rest, "*/")
	if head != "" {
		head += "/"
	}
	if rest != "" {
		rest = "/" + rest
	}
	return head + "**" + rest
}

// Wild reports whether some alternative consists of wildcards alone.
func (g Glob) Wild() bool {
	for _, alt := range g.alternatives {
		if strings.Trim(alt, "*?/") == "" {
			return true
		}
	}
	return false
}

// Literals are the alternatives that name one path each.
func (g Glob) Literals() (names []string) {
	for _, alt := range g.alternatives {
		if name, ok := literal(alt); ok {
			names = append(names, name)
		}
	}
	return names
}

// literal is the name that an alternative without wildcards stands for.
func literal(alt string) (string, bool) {
	if strings.ContainsAny(alt, "*?[") && !strings.Contains(alt, `\`) {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(alt); i++ {
		switch alt[i] {
		case '*', '?', '[':
			return "", false
		case '\\':
			i++
		}
		b.WriteByte(alt[i])
	}
	return b.String(), true
}

func quote(s string) string { return strconv.Quote(s) }
