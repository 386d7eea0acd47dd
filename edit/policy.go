package edit

// policy asks about every operation.
func (p *planner) policy() (errs Errors) {
	if p.opt.Policy == nil {
		return nil
	}
	for i := range p.ops {
		op, t := &p.ops[i], p.targets[i]
		ask := func(pl place, from string, stays bool) {
			if pl.resolved == "" {
				return // it leads nowhere, which is told by the operation
			}
			before := p.start[pl.resolved]
			c := Change{Path: pl.resolved, From: from, Names: p.names[pl.resolved], Before: before}
			if stays {
				c.After = &File{Mode: 0o644}
				if before != nil {
					c.After.Mode = before.Mode
				}
			}
			if e := p.opt.Policy(op, c); e != nil {
				e.Op, e.Line = i+1, cmpOr(e.Line, op.Line)
				errs = append(errs, e)
			}
		}
		if op.MoveTo == "" {
			ask(t.source, "", op.Kind != Delete)
			continue
		}
		if !op.Copy {
			ask(t.source, "", false)
		}
		ask(t.dest, t.source.resolved, true)
	}
	return errs
}
