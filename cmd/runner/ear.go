package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/internal/check"

	"golang.org/x/sys/unix"
)

// againWithin is how soon after the first Ctrl-C a second one means it.
const againWithin = 10 * time.Second

// An ear hears the signals that the daemon is sent (A20).
type ear struct {
	daemon *daemon.Daemon
	log    *slog.Logger
	say    io.Writer          // to who sits at the terminal
	drain  string             // the command that drains this daemon
	leave  context.CancelFunc // has the daemon exit and leave its runs alone

	asked       time.Time // Ctrl-C was answered with a question
	interrupted bool
}

func (a *app) ear(d *daemon.Daemon, log *slog.Logger, leave context.CancelFunc) *ear {
	drain := "runner drain"
	if a.state != defaultState() {
		drain += " --state " + a.state
	}
	return &ear{daemon: d, log: log, say: a.err, drain: drain, leave: leave}
}

// hear obeys until the function that it returns is called.
func (e *ear) hear() (stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP,
		syscall.SIGUSR1, syscall.SIGUSR2)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := range signals {
			e.obey(s)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}

// obey does what s tells, and says what that is.
func (e *ear) obey(s os.Signal) {
	log := e.log.With("signal", s.String(), "runs", e.daemon.Live())
	switch {
	case s == syscall.SIGHUP:
		log.Info("told to read the token and blaise.yml again")
		e.daemon.Reload()
	case s == syscall.SIGUSR1:
		log.Info("told to drain: the runs are paused")
		e.daemon.Drain(daemon.DrainTimeout)
	case s == syscall.SIGUSR2:
		log.Info("told to leave: the runs go on")
		e.leave()
	case e.interrupted:
		log.Info("told to leave at once: the runs end by themselves")
		e.leave()
	case s == syscall.SIGINT && e.asks():
	default:
		e.interrupted = true
		log.Info("told to stop: the runs end, their work is saved")
		e.daemon.Interrupt()
	}
}

// asks puts a first Ctrl-C to whoever pressed it: it would end sessions that
// could have been paused.
func (e *ear) asks() bool {
	n := e.daemon.Live()
	if n == 0 || !foreground() || time.Since(e.asked) < againWithin {
		return false
	}
	e.asked = time.Now()
	fmt.Fprintf(e.say, "Ctrl-C again within %.0f s ends %s (the work is saved); `%s` pauses instead.\n",
		againWithin.Seconds(), check.Plural(n, "session"), e.drain)
	return true
}

// foreground says that a terminal's Ctrl-C goes to this process: a service, a
// pipe and a job in the background have none.
func foreground() bool {
	group, err := unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
