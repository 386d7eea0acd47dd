package edit

const defaultFileLimit = 512 << 20

// NewPlan plans a request: every operation is applied in order to one picture
// of the tree in memory. Operations that fail take their file group with them
// (all operations on the same file and what builds on them); the plan holds
// what the surviving groups come to, and the failures.
//
// A request that must not be applied even in part returns [Errors], all
// reasons at once: a bad path, operations that overlap, something that is no
// regular file, a file that cannot be read, any failure under Options.Atomic.
//
// Under Options.Compat [Codex] the operations are carried out one after another
// up to the first that fails, as Codex does; nothing counts as overlapping.
func NewPlan(tree Tree, ops []Op, opt Options) (*Plan, error) {
	if opt.FileLimit == 0 {
		opt.FileLimit = defaultFileLimit
	}
	p := &planner{resolver: newResolver(tree, opt), ops: ops, start: map[string]*File{}, names: map[string][]string{}, sparse: map[string]bool{}, differs: map[string]bool{}, first: map[string]int{}, others: map[string]*Meanwhile{}, work: closestCells, tries: closestTries, searches: elsewhereMost, listings: closestTries}
	work := p.byGroups
	if opt.Compat == Codex {
		work = p.inSequence
	}
	if errs := work(); len(errs) > 0 {
		return nil, errs
	}
	plan, errs := p.result()
	if len(errs) > 0 {
		return nil, errs
	}
	if opt.Atomic && len(plan.Failures) > 0 {
		return nil, Errors(plan.Failures)
	}
	return plan, nil
}

// byGroups carries the operations out, file group by file group.
func (p *planner) byGroups() Errors {
	if errs := p.survey(); len(errs) > 0 {
		return errs
	}
	if errs := p.policy(); len(errs) > 0 {
		return errs
	}
	p.group()
	return p.perform()
}

// inSequence carries them out one after another. Where the names lead is known
// only then, but nothing is written yet.
func (p *planner) inSequence() Errors {
	if errs := p.sequence(); len(errs) > 0 {
		return errs
	}
	return p.policy()
}

// A planner carries one request from operations to a plan.
type planner struct {
	*resolver
	ops     []Op
	targets []target              // one an operation
	start   map[string]*File      // the snapshot: what stood at each touched path
	names   map[string][]string   // the spellings of each touched path
	sparse  map[string]bool       // paths outside the sparse checkout
	differs map[string]bool       // paths that are not as their index entry says, where that counts
	notes   []Note                // of the survey
	touched []string              // the touched paths, sorted
	others  map[string]*Meanwhile // what somebody else did to each path, where that was asked
	first   map[string]int        // the first operation that touches each path

	groups   []string            // each operation's group, named by its source path
	members  map[string][]int    // the operations of each group
	needs    []map[string]bool   // groups that each operation builds on
	builders map[string][]int    // the operations that build on each group
	dead     map[string]*failure // groups that dropped out
	fallen   map[string]*failure // the first of those that touch each path

	picture map[string]*node // what stands at each touched path now
	runs    []*run           // each operation's last run, nil if it did not run

	// What messages may still cost.
	work     int   // cells of comparisons
	tries    int   // texts that are compared
	searches int64 // bytes of other files
	listings int   // missing paths for which names are compared
}
