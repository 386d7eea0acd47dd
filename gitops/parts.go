package gitops

import (
	"errors"
	"runtime"
	"sync"
)

// fewParts are done by one goroutine: to start others costs more.
const fewParts = 64

// inParts calls f for all of 0 to n-1 in stretches, by several goroutines where
// there are many.
func inParts(n int, f func(from, to int) error) error {
	workers := min(max(runtime.NumCPU(), 2), 4)
	if n < fewParts {
		workers = 1
	}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() { errs[k] = f(k*n/workers, (k+1)*n/workers) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
