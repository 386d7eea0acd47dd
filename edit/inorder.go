package edit

import (
	"fmt"
	"strings"
)

// replaceInOrder applies the replacements one after another, each to the
// result of those before it. A first empty old text makes the file. What fails
// does not stop the others from being looked at, so that one answer names all.
func (r *run) replaceInOrder(n *node) Errors {
	if errs := r.control(); errs != nil {
		return errs
	}
	items := r.op.Replacements
	from := 0
	m := node{}
	var src *source
	switch {
	case items[0].Old == "" && (n == nil || n.size() == 0):
		data, errs := r.whole(items[0].New, nil)
		if len(errs) > 0 {
			return errs
		}
		if n == nil {
			n = r.fresh(data)
		}
		m = *n
		m.same, m.data, from = nil, data, 1
		var err *Error
		if src, err = decode(data); err != nil {
			return Errors{err}
		}
	case n == nil:
		return r.missing()
	default:
		m = *n
		var err *Error
		if src, err = r.text(n); err != nil {
			return Errors{err}
		}
	}
	text := src.text
	failed := make([]*Error, len(items))
	var skipped []string
	var tried []int
	for i := from; i < len(items); i++ {
		if items[i].Old == items[i].New {
			skipped = append(skipped, fmt.Sprint(i))
			continue
		}
		tried = append(tried, i)
		step := *src
		step.text = text
		op := Op{Kind: Replace, Batch: true, Replacements: items[i : i+1]}
		out, errs := r.replace(&op, &step)
		if len(errs) > 0 {
			failed[i] = errs[0]
			failed[i].Msg = strings.TrimPrefix(failed[i].Msg, "edits[0]: ")
			continue
		}
		text = out
	}
	fit, errs := judge(failed, tried, skipped)
	if len(errs) == 0 {
		errs = r.omissions(src.text)
	}
	if len(errs) > 0 {
		return errs
	}
	if len(skipped) > 0 {
		r.note("skipped-edit", nil, "edits %s change nothing and were skipped", strings.Join(skipped, ", "))
	}
	r.outcome.Edits = len(fit) + from
	if len(fit) > 0 {
		if err := r.store(&m, src, text); err != nil {
			return Errors{err}
		}
	}
	r.picture[r.path] = &m
	return nil
}
