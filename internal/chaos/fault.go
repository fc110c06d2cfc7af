package main

import (
	"fmt"
	"syscall"
	"time"

	"blaise.dev/blaise"
)

// A faultKind is one way in which things go wrong.
type faultKind string

const (
	faultAgent    faultKind = "agent"    // kill -9 of the agent
	faultRun      faultKind = "run"      // kill -9 of the process of a run
	faultStop     faultKind = "stop"     // SIGSTOP of it, for longer than the fence or not
	faultCut      faultKind = "cut"      // nothing of one run comes through, for a while
	faultDaemon   faultKind = "daemon"   // kill -9 of the daemon, and a new one
	faultPlane    faultKind = "plane"    // kill -9 of the control plane, and a new one
	faultTerm     faultKind = "term"     // TERM of a run, a daemon, the control plane; detach and drain
	faultFreeze   faultKind = "freeze"   // SIGSTOP of a daemon, of the control plane
	faultSleep    faultKind = "sleep"    // SIGSTOP of all that a runner has on its machine
	faultClock    faultKind = "clock"    // the wall clock of the control plane, or of a daemon, is set
	faultWire     faultKind = "wire"     // requests and answers dropped, late, doubled
	faultDisk     faultKind = "disk"     // no space for a state directory; needs root
	faultDatabase faultKind = "database" // PostgreSQL crashes, where it is the store
)

var faultKinds = []faultKind{
	faultAgent, faultRun, faultStop, faultCut, faultDaemon, faultPlane, faultTerm, faultFreeze, faultSleep,
	faultClock, faultWire, faultDisk, faultDatabase,
}

// victimWithin is how long a fault waits for whom it is to hurt: a session that
// is paused, or whose run only starts, has no agent.
const victimWithin = 1500 * time.Millisecond

// fault does something to the life, a moment from now and beside it.
func (l *life) fault() {
	kinds := []faultKind{}
	for _, k := range []faultKind{faultAgent, faultRun, faultStop, faultCut, faultTerm} {
		if l.w.o.faults[k] {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		return
	}
	kind := kinds[l.chance.IntN(len(kinds))]
	after := time.Duration(l.chance.IntN(600)) * time.Millisecond
	// From well inside the fence (2 s) to far after the lost deadline (2.4 s).
	length := time.Duration(300+l.chance.IntN(4000)) * time.Millisecond
	l.faults.Go(func() {
		time.Sleep(after)
		what := ""
		for end := time.Now().Add(victimWithin); what == "" && time.Now().Before(end); {
			if what = l.hurt(kind, length); what == "" {
				time.Sleep(100 * time.Millisecond)
			}
		}
		if what != "" {
			l.w.f.count("fault: "+string(kind), 1)
			l.say("FAULT %s", what)
		}
	})
}

// hurt does it, and says what it did: "" if there was nothing to do it to.
func (l *life) hurt(kind faultKind, length time.Duration) string {
	switch kind {
	case faultAgent:
		for _, p := range l.w.agents(l.id) {
			p.kill()
			return fmt.Sprintf("kill -9 of agent %d", p.pid)
		}
	case faultRun:
		if p, ok := l.w.runProcess(l.id); ok {
			p.kill()
			return fmt.Sprintf("kill -9 of run process %d", p.pid)
		}
	case faultStop:
		if p, ok := l.w.runProcess(l.id); ok && p.signal(syscall.SIGSTOP) == nil {
			l.say("FAULT run process %d is stopped for %s", p.pid, length)
			time.Sleep(length)
			_ = p.signal(syscall.SIGCONT) // killed meanwhile is as good
			return fmt.Sprintf("run process %d goes on", p.pid)
		}
	case faultTerm:
		if p, ok := l.w.runProcess(l.id); ok && p.signal(syscall.SIGTERM) == nil {
			return fmt.Sprintf("TERM of run process %d", p.pid)
		}
	case faultCut:
		l.say("FAULT its runs are cut off for %s", length)
		l.w.wire.cut(l.id, length)
		time.Sleep(length)
		return "its runs are connected again"
	}
	return ""
}

// owner is the session of an environment.
func owner(environment string) blaise.SessionID {
	return blaise.SessionID(environment[:min(8, len(environment))])
}
