package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// patience is how long a command works before it shows how far it is.
const patience = 500 * time.Millisecond

// A progress is a bar on a terminal's standard error, shown once something has
// taken longer than patience.
type progress struct {
	mu    sync.Mutex
	out   *os.File // nil: nobody looks
	what  string
	begun time.Time
	last  time.Time
	shown bool
}

func (a *app) progress(what string) *progress {
	p := &progress{what: what}
	if f, ok := a.stderr.(*os.File); ok && !a.quiet && isTerminal(f) {
		p.out = f
	}
	p.start()
	return p
}

// start begins to measure anew, for another piece of work.
func (p *progress) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun, p.shown = time.Now(), false
}

// set shows how many of how many are done. It may be called from several
// goroutines.
func (p *progress) set(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.out == nil || total == 0 || now.Sub(p.begun) < patience || now.Sub(p.last) < patience/5 {
		return
	}
	p.last, p.shown = now, true
	const width = 30
	full := min(done*width/total, width)
	fmt.Fprintf(p.out, "\r%s [%s%s] %d of %d files", p.what, strings.Repeat("=", full), strings.Repeat(" ", width-full), done, total)
}

// done takes the bar away.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	p.shown = false
}
