package gitops

import "testing"

// TestOwnerEvidence is the table of who wrote a path, row by row. The turn is
// that of session S.
func TestOwnerEvidence(t *testing.T) {
	p := map[string]bool{"p": true}
	q := map[string]bool{"q": true}
	call := func(session string, start, end int64, paths map[string]bool) activity {
		return activity{session: session, start: start, end: end, paths: paths}
	}
	other := activity{start: 10, end: 20, paths: p, other: true}
	at := func(n int64) change { return change{at: n, known: true} }
	gone := func(n int64) change { return change{at: n, known: true, gone: true} }
	for name, tt := range map[string]struct {
		acts     []activity
		timeless bool
		change   change
		want     string
	}{
		"older than the turn":                  {[]activity{call("S", 0, 100, nil)}, false, change{at: 5, known: true, early: true}, OwnerOutside},
		"named by S":                           {[]activity{call("S", 10, 20, p)}, false, at(50), OwnerSelf},
		"named by S, a shell of R":             {[]activity{call("S", 10, 20, p), call("R", 10, 20, nil)}, false, at(15), OwnerSelf},
		"named by R":                           {[]activity{call("R", 10, 20, p), call("S", 10, 20, nil)}, false, at(15), "session:R"},
		"named by both":                        {[]activity{call("R", 10, 20, p), call("S", 10, 20, p)}, false, at(15), OwnerAmbiguous},
		"an apply without a session":           {[]activity{other, call("S", 10, 20, nil)}, false, at(15), OwnerOther},
		"that and S":                           {[]activity{other, call("S", 10, 20, p)}, false, at(15), OwnerAmbiguous},
		"in a call of S":                       {[]activity{call("S", 10, 20, nil), call("R", 30, 40, nil)}, false, at(15), OwnerSelf},
		"in a call of R":                       {[]activity{call("S", 10, 20, nil), call("R", 30, 40, nil)}, false, at(35), "session:R"},
		"in calls of both":                     {[]activity{call("S", 10, 20, nil), call("R", 15, 40, nil)}, false, at(17), OwnerAmbiguous},
		"in none":                              {[]activity{call("S", 10, 20, nil), call("R", 30, 40, nil)}, false, at(25), OwnerOutside},
		"in an edit of S that names another":   {[]activity{call("S", 10, 20, q)}, false, at(15), OwnerOutside},
		"at the very end of a call":            {[]activity{call("S", 10, 20, nil)}, false, at(20), OwnerSelf},
		"deleted in a call of S":               {[]activity{call("S", 10, 20, nil)}, false, gone(15), OwnerSelf},
		"deleted, a call of S before":          {[]activity{call("S", 10, 20, nil)}, false, gone(25), OwnerAmbiguous},
		"deleted, a call of S after":           {[]activity{call("S", 10, 20, nil)}, false, gone(5), OwnerOutside},
		"deleted, an edit of another before":   {[]activity{call("S", 10, 20, q)}, false, gone(25), OwnerOutside},
		"deleted, a call of R before":          {[]activity{call("R", 10, 20, nil)}, false, gone(25), OwnerOutside},
		"the clock was set":                    {[]activity{call("S", 10, 20, nil)}, true, at(15), OwnerAmbiguous},
		"the clock was set, early":             {[]activity{call("S", 10, 20, nil)}, true, change{at: 5, known: true, early: true}, OwnerAmbiguous},
		"the clock was set, named":             {[]activity{call("S", 10, 20, p)}, true, at(15), OwnerSelf},
		"a call that may still have run":       {[]activity{{session: "S", start: 10, end: 90, unsure: true}}, false, at(15), OwnerAmbiguous},
		"no time is known, only S was at work": {[]activity{call("S", 10, 20, nil)}, false, change{gone: true}, OwnerSelf},
		"no time is known, two were at work":   {[]activity{call("S", 10, 20, nil), call("R", 30, 40, nil)}, false, change{gone: true}, OwnerAmbiguous},
	} {
		ev := &evidence{acts: tt.acts, timeless: tt.timeless}
		if got := ev.owner("p", "S", tt.change); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
