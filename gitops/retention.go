package gitops

import "time"

// A Retention says how much of the past is kept, in all worktrees together. A
// zero field limits nothing.
type Retention struct {
	Turns int           // so many closed turns
	Age   time.Duration // those that ended since
	Size  int64         // bytes, the sum of what the turns stored
}

// Exceeds tells which limit the store is over, "" for none, without reading more
// than one turn. Over a limit that nothing can be taken for, because the oldest
// turn is young, counts as none.
func (r *Repo) Exceeds(keep Retention) (string, error) {
	l, err := r.readList()
	if err != nil || len(l) == 0 {
		return "", err
	}
	var size int64
	for _, at := range l {
		size += at.bytes
	}
	over := keep.exceeded(len(l), size)
	if over == "" && keep.Age == 0 {
		return "", nil
	}
	for _, n := range l.numbers() {
		t, err := r.load(n, l[n].tag)
		if err != nil {
			continue // verify tells of it
		}
		switch age := time.Since(t.Ended); {
		case age < Young:
			return "", nil
		case over == "" && keep.Age > 0 && age > keep.Age:
			return "age", nil
		}
		break
	}
	return over, nil
}

// exceeded names the limit that so many turns of that size are over.
func (k Retention) exceeded(turns int, size int64) string {
	switch {
	case k.Turns > 0 && turns > k.Turns:
		return "turns"
	case k.Size > 0 && size > k.Size:
		return "size"
	}
	return ""
}
