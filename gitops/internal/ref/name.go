package ref

import "strings"

// validName is git's check_refname_format with one level allowed, for what
// lies beside refs/: HEAD, MERGE_HEAD.
func validName(name string) bool {
	if name == "" || name == "@" || len(name) > 4096 || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c < 0x20 || c == 0x7f || strings.IndexByte(" ~^:?*[\\", c) >= 0 {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	if strings.HasPrefix(name, "refs/") {
		return true
	}
	// Anything else in a git directory is no ref: config, objects/...
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// ValidName reports whether a ref of this name can be made: below refs/, and
// as git's check-ref-format demands.
func ValidName(name string) bool { return strings.HasPrefix(name, "refs/") && validName(name) }
