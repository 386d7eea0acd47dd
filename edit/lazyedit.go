package edit

// lazy refuses an edit whose text may have left code out, unless it is all of
// a file that is missing: filling code in takes judgement.
func (r *run) lazy(n *node) Errors {
	const way = "send the change as hunks, as old and new text, or as the whole file"
	for i, l := range textLines(string(r.op.Content)) {
		if isPlaceholder(l) {
			return fail(LazyEdit, "line %d of the text stands for code that was left out, which is not filled in: %s; %s", i+1, quoted(l), way)
		}
	}
	if n != nil {
		return fail(LazyEdit, "the file exists, and the text does not say what of it stays: %s", way)
	}
	return nil
}
