package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// holding runs a transaction. A signal that comes meanwhile ends its context:
// before the first change that rolls it back, later it is finished. The signal
// itself is kept until the report is printed; see end.
func (a *app) holding(ctx context.Context, transaction func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ch := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // nohup's wish stands
			signal.Notify(ch, s)
		}
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case a.signal = <-ch:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := transaction(ctx)
	cancel()
	<-watched
	if a.signal == nil {
		select {
		case a.signal = <-ch:
		default:
		}
	}
	signal.Stop(ch)
	return err
}

// end ends the process: by the signal that was kept, if one was.
func (a *app) end(code int) {
	if s, ok := a.signal.(syscall.Signal); ok {
		signal.Reset(s)
		if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
			time.Sleep(time.Second) // until it is delivered
		}
	}
	os.Exit(code)
}
