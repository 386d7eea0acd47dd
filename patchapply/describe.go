package patchapply

import (
	"slices"
	"strings"
)

// both is what the descriptions of both editors say.
const both = "Paths are relative to the root of the worktree. " +
	"Nothing has to be read first, but look at the place (read, search) unless its text is known, and again after a failure. " +
	"Name a place by the smallest block that occurs once, two to four lines. " +
	"Give the file's own text only: exact, with its blanks and indentation, without a line that a reading tool put around it (READ_RESULT ...) and without line numbers. " +
	"Make small changes instead of rewriting."

// describe is what a model is told about a tool. It speaks of tools that the
// model sees only.
func (o Offer) describe(name string) string {
	switch name {
	case "apply_patch":
		form := "Hand the patch over in patch. "
		if o.Custom && o.Endpoint == "responses" {
			form = "The input is the patch itself, not wrapped in JSON. "
		}
		return "Change files by a patch: several files in a call, new, deleted and moved ones too. " + form +
			"It begins with the line *** Begin Patch and ends with *** End Patch. Between them stands a section for each file: " +
			"*** Add File: PATH with the lines of the new file, each behind a +; *** Delete File: PATH; " +
			"or *** Update File: PATH, then *** Move to: PATH if it moves, then its hunks from top to bottom. " +
			"A hunk begins with @@ and has lines behind a space (context, which stays), - (goes) or + (comes). " +
			"Context lines place a hunk; after @@ and a space only a line that is known to stand in the file above it, such as the head of a function. " + both
	case "edit":
		return "Replace text in one file: old_string, which must occur exactly once, by new_string. " +
			"Set replace_all to rename something throughout the file. Change several places in one call by edits, each against the original text. " + both
	case "write":
		return "Write a file as a whole, for new files. The path is relative to the root of the worktree."
	}
	return "Remove a file. The path is relative to the root of the worktree."
}

// Instructions is a paragraph for a system prompt about the tools.
func (o Offer) Instructions() string {
	has := func(name string) bool { return slices.Contains(o.Tools, name) }
	var says []string
	say := func(s string) { says = append(says, s) }
	switch {
	case len(o.Tools) == 1 && has("apply_patch"):
		say("Change files with apply_patch alone, which also adds, moves and removes them.")
	case has("apply_patch"):
		say("Change files with apply_patch.")
	case has("edit"):
		say("Change files with edit.")
	case len(o.Tools) == 0:
		say("No tool here changes files.")
	}
	if has("write") {
		say("Make new files with write.")
	}
	if has("delete") {
		say("Remove files with delete.")
	}
	if len(o.Tools) > 0 {
		say("Make small changes, each from text that is known to stand in the file.")
	}
	say("Put the same replacement in many files into the shell (sed, sd), and rename a symbol across files there with the language's own tool.")
	say("Run tests and linters after a series of changes, not after each.")
	return strings.Join(says, " ")
}
