package glob

import "errors"

// count is how many alternatives the braces of a pattern come to, without
// making them; more than maxAlternatives may be any number above it.
func count(s string) (int, error) {
	n, rest, err := product(s, 0)
	if err == nil && rest != "" {
		err = errors.New("bad pattern")
	}
	return n, err
}

// product counts up to the end of a pattern or, at a depth, of its alternative.
func product(s string, depth int) (n int, rest string, err error) {
	if depth > maxLength/2 {
		return 0, "", errors.New("bad pattern")
	}
	n = 1
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[' && depth == 0:
			length := classLength(s[i:])
			if length == 0 {
				return 0, "", errors.New("bad pattern")
			}
			i += length - 1
		case s[i] == '{':
			sum := 0
			rest := s[i+1:]
			for {
				k, after, err := product(rest, depth+1)
				if err != nil {
					return 0, "", err
				}
				sum = min(sum+k, maxAlternatives+1)
				rest = after[1:]
				if after[0] == '}' {
					break
				}
			}
			n = min(n*sum, maxAlternatives+1)
			s, i = rest, -1
		case s[i] == '}' && depth == 0:
			return 0, "", errors.New("bad pattern")
		case depth > 0 && (s[i] == '}' || s[i] == ','):
			return n, s[i:], nil
		}
	}
	if depth > 0 {
		return 0, "", errors.New("bad pattern")
	}
	return n, "", nil
}

// expand multiplies the braces of a pattern out, which count has accepted.
func expand(s string) []string {
	open := -1
	for i := 0; i < len(s) && open < 0; i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			i += classLength(s[i:]) - 1
		case '{':
			open = i
		}
	}
	if open < 0 {
		return []string{s}
	}
	parts, tail := alternatives(s[open+1:])
	tails := expand(tail)
	var out []string
	for _, part := range parts {
		for _, inner := range expandInner(part) {
			for _, t := range tails {
				out = append(out, s[:open]+inner+t)
			}
		}
	}
	return out
}

// expandInner multiplies out what stood between braces, where a bracket hides
// none.
func expandInner(s string) []string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			parts, tail := alternatives(s[i+1:])
			var out []string
			for _, part := range parts {
				for _, inner := range expandInner(part) {
					for _, t := range expandInner(tail) {
						out = append(out, s[:i]+inner+t)
					}
				}
			}
			return out
		}
	}
	return []string{s}
}

// alternatives splits what follows an opening brace at its own commas and
// closing brace.
func alternatives(s string) (parts []string, tail string) {
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return append(parts, s[from:i]), s[i+1:]
			}
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, s[from:i]), i+1
			}
		}
	}
	return append(parts, s[from:]), "" // count refuses it
}
