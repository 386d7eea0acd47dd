package edit

import "io/fs"

// A Kind says what an operation wishes for its path.
type Kind uint8

// The kinds of operation.
const (
	Add     Kind = iota + 1 // make a file that must not exist: Content
	Update                  // change an existing file by Hunks, move it to MoveTo, or both
	Delete                  // remove a file
	Replace                 // put new text for old: Replacements
	Write                   // make or replace a file as a whole: Content
	Block                   // put whole lines for whole lines: Replacements, one
	Insert                  // put text behind a line: Content, At
	Diff                    // change a file by the hunks of a unified diff: Hunks
	Cell                    // change a cell of a notebook
)

// An Op is one operation of a request, as written: paths are not cleaned, texts
// not matched against anything.
type Op struct {
	Kind Kind
	// Tool is the name under which policy judges the operation: apply_patch,
	// edit, write, delete or move.
	Tool   string
	Path   string
	MoveTo string // Update, Diff: the new path; empty means stay
	Copy   bool   // Diff: what stands at Path stays there, too

	Hunks        []Hunk        // Update, Diff; Delete with Verify
	Replacements []Replacement // Replace, Block (one, of whole lines); empty old texts create
	// Readings are other ways to read a Block's texts, tried in this order if
	// the old text stands nowhere as it was sent.
	Readings []Reading
	// Batch makes every replacement match the original text and all of them
	// stand or fall together; without it there is exactly one replacement.
	Batch bool
	// InOrder makes every replacement match the result of those before it; like
	// a Batch they are found by the exact steps and stand or fall together.
	InOrder bool
	Content []byte // Add, Write, Insert; Cell: the source
	At      int    // Insert: the line behind which Content goes; 0 is the top, AtEnd the end
	Cell    CellEdit
	// Listing makes the Content of a Write whole lines: the last one lacks its
	// line break if the file's last line does and did not change.
	Listing bool
	// Lazy says that an Add may have left code out: it makes a missing file from
	// complete text, and is refused otherwise.
	Lazy bool

	// Verify makes a Delete hold only if the file has the lines of Hunks (or the
	// content that PreImage names) and nothing else.
	Verify bool
	Mode   fs.FileMode // Add, Diff: 0755 sets the exec bits, 0644 clears them; 0 means not said
	// PreImage is the git object id of the content that a Diff or Delete was made
	// from, or the beginning of one; empty means not said.
	PreImage string
	Binary   *BinaryPatch // Add, Diff, Delete: the change of the bytes, instead of Hunks
	// Unsupported is why an operation that was read cannot be carried out: it
	// fails with this reason.
	Unsupported string

	Line int // where the request says so, 1-based; 0 means unknown
	Call int // index of the transport's call that asked for it
}

// AtEnd is the line behind which text is appended: at the end of the file, as
// it was sent.
const AtEnd = -1

// A Hunk is one block of an Update. Its old lines are the context and removed
// ones, its new lines the context and added ones.
type Hunk struct {
	Anchors []string // lines after @@, outermost first; bare ones are left out
	Lines   []Line
	EOF     bool // the hunk is pinned to the end of the file
	Line    int  // where in the request, 1-based

	// At is where a Diff says that the hunk begins in the file, 1-based: the line
	// of its first old line, or the one its new lines go before. 0: not said.
	At int
	// OldBare and NewBare: the last old, the last new line has no line break, says
	// a Diff's no-newline marker.
	OldBare, NewBare bool
}

// A LineKind is the first character of a hunk line.
type LineKind byte

// The kinds of hunk line.
const (
	Context LineKind = ' '
	Added   LineKind = '+'
	Removed LineKind = '-'
)

// A Line is one line of a hunk, without its line ending.
type Line struct {
	Kind LineKind
	Text string
}

// A Replacement puts New in the place of Old.
type Replacement struct {
	Old, New string
	All      bool // every place; without it there must be exactly one
	Count    int  // exactly so many places, all replaced; 0 means not said
	// From and To are the lines, 1-based, that Old lies within; 0 means not said.
	// They choose among places that the text allows, never another one.
	From, To int
	// Hint is the line, from 1, on which a Block's Old is said to start. It
	// chooses among equal places and finds none. 0 means not said.
	Hint int
}

// A Reading is another way to read a Block's texts. Code and Msg are the note
// that it leaves if it is the one that fits.
type Reading struct {
	Old, New string
	Code     Code
	Msg      string
}

// A CellEdit says what an operation of kind Cell does to a notebook.
type CellEdit struct {
	Mode CellMode
	// ID names the cell, the one before for InsertCell: by its id, or, if no
	// cell has that id, as cell-N by its index from 0. Empty with InsertCell
	// means the top of the notebook.
	ID   string
	Type string // code or markdown; ReplaceCell: empty means as it is
}

// A CellMode is what is done to a cell.
type CellMode uint8

// The modes.
const (
	ReplaceCell CellMode = iota // the source, and the type if one is given
	InsertCell
	DeleteCell
)

// A BinaryPatch is git's binary patch of one file.
type BinaryPatch struct {
	Delta bool   // Data are git's instructions on the old content; false: the new content
	Size  int64  // of Data, uncompressed
	Data  []byte // compressed with zlib
}
