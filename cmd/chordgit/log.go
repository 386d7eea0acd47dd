package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/spf13/cobra"
)

// A turnReport is one turn as log and show tell it.
type turnReport struct {
	Turn     int        `json:"turn"`
	Clone    string     `json:"clone,omitempty"` // the id of another clone whose turn it is
	Kind     string     `json:"kind"`
	Status   string     `json:"status"`
	Subject  string     `json:"subject"`
	Agent    string     `json:"agent,omitempty"`
	Session  string     `json:"session,omitempty"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended"` // null: still open
	Parent   int        `json:"parent,omitempty"`
	Overlaps []int      `json:"overlaps,omitempty"` // later turns of other sessions that began in it
	Late     bool       `json:"late,omitempty"`
	Worktree string     `json:"worktree"`
	Head     string     `json:"head"`
	Undoes   []int      `json:"undoes,omitempty"`
	UndoneBy int        `json:"undone_by,omitempty"`
	Partial  bool       `json:"partial,omitempty"`
	Paths    paths      `json:"paths"`
	Stored   int64      `json:"stored_bytes"`

	Move *gitops.HeadMove `json:"head_move,omitempty"` // other than by the turn's own commits

	lost error // why the paths of a captured turn are not known
}

func newTurnReport(t *gitops.Turn, undoneBy int) turnReport {
	r := turnReport{
		Turn: t.N, Clone: t.Clone, Kind: t.Kind, Status: t.Status, Subject: t.Subject(), Agent: t.Agent, Session: t.Session,
		Started: t.Started, Parent: t.Parent, Late: t.Late, Worktree: t.Worktree, Head: t.Head,
		Undoes: t.Undoes, UndoneBy: undoneBy, Partial: t.Partial, Paths: t.Paths, Stored: t.StoredBytes,
		Move: t.HeadMove(),
	}
	if !t.Ended.IsZero() {
		r.Ended = &t.Ended
	}
	return r
}

func (a *app) logCommand() *cobra.Command {
	var most int
	var sizes, clones bool
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List the turns of this worktree, newest first",
		Long: `Log lists the turns of this worktree, newest first. A turn that ran inside
another one of its session stands below it, indented. With --clones it lists the
turns that "chordgit sync fetch" brought from other clones, as CLONE/N: show, diff
and verify take such a name.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			repo, err := a.open()
			if err != nil {
				a.report(newFailure("log", err))
				return nil
			}
			defer repo.Close()
			l, err := newHistory(repo)
			if clones {
				l, err = cloneHistory(repo)
			}
			if err != nil {
				a.report(newFailure("log", err))
				return nil
			}
			a.log(l, most, sizes)
			return nil
		},
	}
	cmd.Flags().IntVarP(&most, "max-count", "n", 0, "show at most `N` turns, and what ran inside them (0: all)")
	cmd.Flags().BoolVar(&sizes, "sizes", false, "show how many bytes each turn added to the store, before compression")
	cmd.Flags().BoolVar(&clones, "clones", false, "list the turns that were fetched of other clones")
	return cmd
}

func (a *app) log(l *history, most int, sizes bool) {
	if a.json {
		a.logJSON(l, most)
		return
	}
	out := bufio.NewWriter(a.stdout)
	type parent struct {
		clone string
		turn  int
	}
	inside := map[parent][]turnReport{} // by the turn that is still to come
	shown := 0
	for r := range l.all {
		if r.Parent > 0 {
			above := parent{r.Clone, r.Parent}
			inside[above] = append(inside[above], r)
			continue
		}
		if most > 0 && shown == most {
			break
		}
		shown++
		fmt.Fprintln(out, l.name(r).line("", sizes))
		self := parent{r.Clone, r.Turn}
		for _, n := range inside[self] {
			fmt.Fprintln(out, n.line("  ", sizes))
		}
		delete(inside, self)
	}
	if most == 0 || shown < most { // the turns in which these ran are no more
		above := slices.SortedFunc(maps.Keys(inside), func(x, y parent) int { return cmp.Or(strings.Compare(x.clone, y.clone), y.turn-x.turn) })
		for _, p := range above {
			for _, r := range inside[p] {
				shown++
				fmt.Fprintln(out, r.line("", sizes))
			}
		}
	}
	if err := out.Flush(); err != nil {
		l.errs = append(l.errs, err)
	}
	if shown == 0 && len(l.errs) == 0 && !a.quiet {
		fmt.Fprintln(a.stdout, "No turns yet.")
	}
	for _, err := range l.errs {
		fmt.Fprintln(a.stderr, "chordgit: "+edit.Quote(err.Error()))
		a.code = 1
	}
}

// logJSON writes its one value as it goes, so that no number of turns needs
// memory.
func (a *app) logJSON(l *history, most int) {
	out := bufio.NewWriter(a.stdout)
	put := func(v any) error {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		err := enc.Encode(v)
		out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n"))) // Flush tells what went wrong
		return err
	}
	out.WriteString(`{"command":"log","turns":[`)
	n := 0
	for r := range l.all {
		if most > 0 && n == most {
			break
		}
		if n++; n > 1 {
			out.WriteString(",")
		}
		r = l.name(r)
		if r.Paths == nil {
			r.Paths = []string{}
		}
		if err := put(r); err != nil {
			l.errs = append(l.errs, err)
			break
		}
	}
	rep := &report{}
	status := "ok"
	if len(l.errs) > 0 {
		status, a.code = "partial", 1
		rep.fail(toErrors(errors.Join(l.errs...)))
	}
	out.WriteString(`],"status":"` + status + `","failures":`)
	if err := put(rep.complete().Failures); err != nil {
		fmt.Fprintln(a.stderr, "chordgit:", err)
		a.code = 1
	}
	out.WriteString("}\n")
	if err := out.Flush(); err != nil {
		fmt.Fprintln(a.stderr, "chordgit:", err)
		a.code = 1
	}
}

// line is a turn in one line.
func (r turnReport) line(indent string, sizes bool) string {
	what := r.Kind
	if len(r.Undoes) > 0 {
		what += " of " + turnNumbers(r.Undoes)
	}
	if r.Partial {
		what += " (partial)"
	}
	when := "open"
	if r.Ended != nil {
		when = ago(*r.Ended)
	}
	parts := []string{fmt.Sprintf("%s%4s  %-14s  %-12s", indent, r.name(), when, what)}
	if sizes {
		parts = append(parts, fmt.Sprintf("%10s", byteSize(r.Stored)))
	}
	if r.Subject != fmt.Sprintf("turn %d", r.Turn) {
		parts = append(parts, edit.Quote(r.Subject))
	}
	if len(r.Paths) > 0 {
		parts = append(parts, pathList(r.Paths))
	}
	if r.Move != nil && r.Move.Files > 0 {
		parts = append(parts, edit.Quote(r.Move.Came()))
	}
	if r.Agent != "" {
		parts = append(parts, "by "+edit.Quote(r.Agent))
	}
	if r.UndoneBy > 0 {
		parts = append(parts, fmt.Sprintf("taken back by turn %d", r.UndoneBy))
	}
	parts = append(parts, r.state()...)
	if len(r.Overlaps) > 0 {
		parts = append(parts, "overlapped by "+turns(r.Overlaps))
	}
	if r.lost != nil {
		parts = append(parts, edit.Quote(r.lost.Error()))
	}
	return strings.TrimRight(strings.Join(parts, "  "), " ")
}

// name is how the turn is called.
func (r *turnReport) name() string { return (&gitops.Turn{N: r.Turn, Clone: r.Clone}).Name() }

// state says what is out of the ordinary.
func (r turnReport) state() (parts []string) {
	switch {
	case r.Status == gitops.StatusOpen:
		parts = append(parts, "open since "+ago(r.Started))
	case r.Status != gitops.StatusComplete:
		parts = append(parts, r.Status)
	}
	if r.Late {
		parts = append(parts, "closed late, may hold your own changes")
	}
	return parts
}

// pathList names the first three paths and counts the rest.
func pathList(paths []string) string {
	shown := make([]string, 0, 3)
	for _, p := range paths[:min(3, len(paths))] {
		shown = append(shown, edit.Quote(p))
	}
	s := strings.Join(shown, ", ")
	if len(paths) > 3 {
		s += fmt.Sprintf(" and %d more", len(paths)-3)
	}
	return s
}

// ago is a time relative to now.
func ago(t time.Time) string {
	d := time.Since(t)
	switch {
	case d < 10*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// turn opens the repository and reads the turn that the arguments name, by
// default the newest that is closed.
func (a *app) turn(args []string) (*gitops.Repo, *gitops.Turn, error) {
	clone, n := "", 0
	if len(args) == 1 {
		var err error
		if clone, n, err = parseName(args[0]); err != nil {
			return nil, nil, err
		}
	}
	repo, err := a.open()
	if err != nil {
		return nil, nil, err
	}
	var t *gitops.Turn
	if clone != "" {
		t, err = repo.CloneTurn(clone, n)
	} else {
		t, err = ownTurn(repo, n)
	}
	if err != nil {
		repo.Close()
		return nil, nil, err
	}
	return repo, t, nil
}

// ownTurn is turn n of this clone, closed or open.
func ownTurn(repo *gitops.Repo, n int) (*gitops.Turn, error) {
	t, err := repo.Turn(n)
	if n != 0 && errors.Is(err, &edit.Error{Code: edit.NoTurn}) {
		open, openErr := repo.OpenTurns()
		if at := slices.IndexFunc(open, func(t *gitops.Turn) bool { return t.N == n }); openErr == nil && at >= 0 {
			return open[at], nil
		}
	}
	return t, err
}

// parseName reads the name of a turn: N, or CLONE/N of another clone's.
func parseName(arg string) (clone string, n int, err error) {
	clone, n, ok := gitops.ParseName(arg)
	if !ok {
		return "", 0, &edit.Error{Code: edit.Usage, Msg: fmt.Sprintf("%q is no turn number", arg)}
	}
	return clone, n, nil
}

// parseTurn reads the number of a turn of this clone.
func parseTurn(arg string) (int, error) {
	clone, n, err := parseName(arg)
	if clone != "" {
		return 0, &edit.Error{Code: edit.NoTurn, Msg: fmt.Sprintf("turn %s is another clone's: it is about the files of a worktree over there, what is here is not known to come from it; take it back there, or undo its change in the files here: chordgit diff %[1]s | git apply -R", arg)}
	}
	return n, err
}
