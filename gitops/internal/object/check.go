package object

// CheckOrder reports entries out of git's order and names given twice, for which
// git rejects a tree. Errors have the cause ErrDamaged.
func CheckOrder(entries []Entry) error {
	seen := make(map[string]bool, len(entries))
	for i, e := range entries {
		if i > 0 && compareEntries(entries[i-1], e) >= 0 {
			return damaged("%q is out of order in its tree", e.Name)
		}
		if seen[e.Name] { // as a file and as a directory, they are no neighbours
			return damaged("%q is there twice", e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}

// Check reports a name or mode that no new entry may have; see EncodeTree. Errors
// have the cause ErrDamaged.
func (e Entry) Check() error {
	if err := checkEntry(e); err != nil {
		return damaged("%v", err)
	}
	return nil
}
