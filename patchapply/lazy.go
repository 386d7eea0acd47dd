package patchapply

import (
	"regexp"
	"sync"
)

// lazyRegexp compiles a pattern when it is first needed: compiled at start, the
// patterns would cost every command more than a millisecond.
func lazyRegexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
