package gitstate

import "slices"

// Missing names what is as a rewind found it and should be as it recorded it: what of
// its plan was not carried out. Nil: nothing. Errors: Damaged if HEAD, the refs or an
// object of the turn, Unreadable if the stashes or the index cannot be read.
func (st *State) Missing(t *Turn) (list []string, err error) {
	refs, err := st.UserRefs()
	if err != nil {
		return nil, err
	}
	for _, x := range t.Record.Refs {
		if refs[x.Name] == x.Before {
			list = append(list, shortRef(x.Name))
		}
	}
	if m := t.Record.Stash; m != nil {
		now, err := st.stashes()
		if err != nil {
			return nil, err
		}
		if m.between(now) && !sameStashes(now, m.After) {
			list = append(list, "the stashes")
		}
	}
	head, err := st.Head()
	if err != nil {
		return nil, err
	}
	if was, will := t.Head.Before, t.Head.After; was.at() != will.at() && head.at() == was.at() {
		list = append(list, "HEAD")
	}
	if t.Record.Index != IndexChanged {
		return list, nil
	}
	changes, err := st.indexChanges(t)
	if err != nil {
		return nil, t.damaged(err)
	}
	wanted := map[string]bool{}
	for _, c := range changes {
		wanted[c.path] = true
	}
	now, _, err := st.indexNow(wanted)
	if slices.ContainsFunc(changes, func(c indexChange) bool { return now[c.path].equal(c.before) && !c.before.equal(c.after) }) {
		list = append(list, "the index")
	}
	return list, err
}
