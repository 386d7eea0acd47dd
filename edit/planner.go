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

func NewPlan(tree Tree, ops []Op, opt Options) (*Plan, error) {
	if opt.FileLimit == 0 {
		opt.FileLimit = defaultFileLimit
	}
	p := &planner{resolver: newResolver(tree, opt), ops: ops, start: map[string]*File{}, names: map[string][]string{}, sparse: map[string]bool{}, work: closestCells}
	if errs := p.survey(); len(errs) > 0 {
		return nil, errs
	}
	p.group()
	if errs := p.perform(); len(errs) > 0 {
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

// A planner carries one request from operations to a plan.

type planner struct {
	*resolver
	ops     []Op
	targets []target            // one an operation
	start   map[string]*File    // the snapshot: what stood at each touched path
	names   map[string][]string // the spellings of each touched path
	sparse  map[string]bool     // paths outside the sparse checkout
	notes   []Note              // of the survey

	groups []string            // each operation's group, named by its source path
	needs  []map[string]bool   // groups that each operation builds on
	dead   map[string]*failure // groups that dropped out

	work    int              // cells of comparison that messages may still cost
	picture map[string]*node // what stands at each touched path now
	runs    []*run           // each operation's last run, nil if it did not run
}

// A target is where an operation's names lead.

// paths are the resolved paths that an operation touches.

// survey places all names, takes the snapshot and finds what refuses the whole

// request.

// entries asks the index about the paths where it matters: those that are not

// on disk, and all of them while a merge or the like is in progress. A plain

// edit does not read it.

// find places one name and keeps the note that says how it was read.

// see adds a path to the snapshot and refuses what is no regular file.

// same reports whether two paths are one directory entry under two spellings.

// overlap refuses requests in which one touched path is a directory above

// another, unless every operation on the upper one comes first and the last of

// them takes it away; and those in which two names lead to one file.

// moved reports whether one of two paths is the other's Move target.

// first returns the first operation that touches a path.

// gone reports whether the operations on a path all come before operation i

// and leave nothing there.

// touched returns the touched paths, sorted.

// group finds each operation's group and the groups it builds on.

// A failure is why a group dropped out.

// perform runs the operations until none of those that are left fails. A group

// that dropped out never comes back in. Only what is unreadable returns errors

// here.

// blocked tells why an operation cannot run: a group it builds on dropped out,

// or one of its paths belongs to such a group since an earlier failure.

// drop takes a group out. It reports whether the picture must be made again,

// because an operation of the group has left its mark in it.

// result is the net change of the picture and the story of every operation.

// failures tells why an operation was not carried out.

// net compares first and last state of every touched path.

// unchanged compares a path's first and last state. Only bytes that may be

// equal are read.

// mkdir lists the directories that the created files lack.

// A node is what stands at a path in the picture.

// A run is one operation being carried out in the picture.

// do changes the picture by one operation, or says why not.

// create puts a new file into the picture. One that takes the place of a file

// of the snapshot keeps its mode.

// control refuses NULs in new text.

// text returns the text of a file that will be edited.

// content returns the bytes of a regular file in the picture.
