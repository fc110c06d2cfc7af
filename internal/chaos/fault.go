package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"time"

	"blaise.dev/blaise"
)

// A faultKind is one way in which things go wrong.
type faultKind string

const (
	faultAgent  faultKind = "agent"  // kill -9 of the agent
	faultRun    faultKind = "run"    // kill -9 of the process of a run
	faultStop   faultKind = "stop"   // SIGSTOP of it, for longer than the fence or not
	faultCut    faultKind = "cut"    // nothing of one run comes through, for a while
	faultDaemon faultKind = "daemon" // kill -9 of the daemon, and a new one
	faultPlane  faultKind = "plane"  // kill -9 of the control plane, and a new one
	faultWire   faultKind = "wire"   // requests and answers dropped, late, doubled
	faultDisk   faultKind = "disk"   // no space for a state directory; needs root
)

var faultKinds = []faultKind{
	faultAgent, faultRun, faultStop, faultCut, faultDaemon, faultPlane, faultWire, faultDisk,
}

// fault does something to the life, a moment from now and beside it.
func (l *life) fault() {
	kinds := []faultKind{}
	for _, k := range []faultKind{faultAgent, faultRun, faultStop, faultCut} {
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
		if what := l.hurt(kind, length); what != "" {
			l.hurts.Add(1)
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
	case faultCut:
		l.say("FAULT its runs are cut off for %s", length)
		l.w.wire.cut(l.id, length)
		time.Sleep(length)
		return "its runs are connected again"
	}
	return ""
}

// storm kills what all lives share, until ctx ends.
func (w *world) storm(ctx context.Context) {
	chance := rand.New(rand.NewPCG(w.o.seed, 0))
	var blows []func(*rand.Rand)
	if w.o.faults[faultDaemon] {
		blows = append(blows, w.killDaemon, w.killDaemon)
	}
	if w.o.faults[faultPlane] {
		blows = append(blows, w.killPlane)
	}
	if w.small != "" {
		blows = append(blows, w.fillDisk)
	}
	for len(blows) > 0 {
		wait := time.Duration(float64(w.o.every) * (0.3 + 1.4*chance.Float64()))
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		blows[chance.IntN(len(blows))](chance)
		w.alive()
	}
}

func (w *world) killDaemon(chance *rand.Rand) {
	i := chance.IntN(len(w.runner))
	w.restart(faultDaemon, w.runner[i], time.Duration(chance.IntN(1500))*time.Millisecond)
}

func (w *world) killPlane(chance *rand.Rand) {
	// Now and then for longer than the lost deadline of every run.
	away := time.Duration(chance.IntN(1000)) * time.Millisecond
	if chance.IntN(8) == 0 {
		away += 2500 * time.Millisecond
	}
	w.restart(faultPlane, w.plane, away)
}

func (w *world) restart(kind faultKind, p *program, away time.Duration) {
	p.kill()
	w.diary.write(0, "FAULT kill -9 of %s, away for %s", p.name, away)
	w.f.count("fault: "+string(kind), 1)
	time.Sleep(away)
	if err := p.start(); err != nil {
		w.f.violation("restart: " + err.Error())
	}
	w.diary.write(0, "%s is started again", p.name)
}

// alive looks whether a program has ended that nobody has killed.
func (w *world) alive() {
	for _, p := range append(w.runner[:], w.plane) {
		if gone, how := p.ended(); gone {
			w.f.violation(fmt.Sprintf("%s ended by itself: %v; see %s", p.name, how, p.log))
			if err := p.start(); err != nil {
				w.f.violation("restart: " + err.Error())
			}
		}
	}
}

// mount gives the first runner a small disk for its state, where root may.
func (w *world) mount() {
	if !w.o.faults[faultDisk] {
		return
	}
	if err := syscall.Mount("none", w.state(0), "tmpfs", 0, "size=96m"); err != nil {
		w.o.out("no full disk: a small file system cannot be mounted: %v", err)
		return
	}
	w.small = w.state(0)
}

func (w *world) unmount() {
	if w.small != "" {
		_ = syscall.Unmount(w.small, syscall.MNT_DETACH) // the directory is temporary
	}
}

// fillDisk takes all the space there is, for a while.
func (w *world) fillDisk(chance *rand.Rand) {
	length := time.Duration(300+chance.IntN(2500)) * time.Millisecond
	path := w.small + "/ballast"
	f, err := os.Create(path)
	if err != nil {
		return
	}
	for block := make([]byte, 64<<10); ; {
		if _, err := f.Write(block); err != nil {
			break
		}
	}
	_ = f.Close() // it is full
	w.diary.write(0, "FAULT the disk of runner0 is full for %s", length)
	w.f.count("fault: disk", 1)
	time.Sleep(length)
	_ = os.Remove(path)
	w.diary.write(0, "the disk of runner0 has space again")
}

// owner is the session of an environment.
func owner(environment string) blaise.SessionID {
	return blaise.SessionID(environment[:min(8, len(environment))])
}
