package main

import (
	"io"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
)

func (a *app) preReceive() error {
	stdin, err := io.ReadAll(a.stdin)
	if err != nil {
		return &edit.Error{Code: edit.Unreadable, Msg: "what git says about the push cannot be read", Err: err}
	}
	updates, err := hooks.ParsePreReceive(string(stdin))
	if err != nil {
		return err
	}
	return a.receive(updates)
}

func (a *app) update(args []string) error {
	updates, err := hooks.ParsePreReceive(args[1] + " " + args[2] + " " + args[0])
	if err != nil {
		return err
	}
	return a.receive(updates)
}

// receive judges what a server is sent: all commits that no ref of it has yet,
// whoever made them. Turns come in only as another clone's.
func (a *app) receive(updates []hooks.RefUpdate) error {
	if refused := hooks.GuardedHere(updates); len(refused) > 0 {
		a.guarded("push", refused)
		return errRefused
	}
	history, err := gitops.OpenHistory(a.hookDir(), a.inHook())
	if err != nil {
		return err
	}
	defer history.Close()
	k := &commitCheck{history: history, scope: "all", decoded: map[string]decoded{}, site: hooks.Site{FoldCase: history.FoldCase()}}
	for _, u := range updates {
		if u.Deletes() {
			continue
		}
		tip, err := history.Commit(u.New)
		if err != nil {
			return err
		}
		if tip == nil {
			continue
		}
		ids, err := history.Commits(tip.ID, "--not", "--all")
		if err != nil {
			return err
		}
		if k.base, err = base(history, u); err != nil {
			return err
		}
		if err := k.made(ids); err != nil {
			return a.verdict(k, err, "push", receiveWay)
		}
	}
	return a.verdict(k, nil, "push", receiveWay)
}

const receiveWay = "Take them out of these commits, or have the policy changed by a commit of its own."

// base is the commit whose policy binds all that is pushed to a ref: what the ref
// named before, or the default branch's. Nil: there is none.
func base(h *gitops.History, u hooks.RefUpdate) (*gitops.Commit, error) {
	id := u.Old
	if hooks.IsZeroID(id) {
		id = h.Resolve("HEAD")
	}
	if id == "" {
		return nil, nil
	}
	return h.Commit(id)
}
