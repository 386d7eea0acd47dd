// Package patchapply reads the formats in which agents write changes.
//
// It knows syntax only. The result is a list of [edit.Op], the same for every
// format; resolving them against files is the job of [edit.NewPlan]. It opens
// no file, and nothing in a request is ever executed.
//
// There are three tables. formats lists the formats of plain text: how one
// begins, and the function that reads it into operations. tools lists the names
// under which agents call a tool, with the function that reads its arguments.
// shapes lists the JSON that carries calls. A row without a function is
// recognised so that it can be refused by name: a request is never half read.
package patchapply
