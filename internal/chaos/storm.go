package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// A blow hurts what all lives share, and has mended it when it returns.
type blow func(chance *rand.Rand)

// storm deals blows, one at a time, until ctx ends.
func (w *world) storm(ctx context.Context) {
	chance := rand.New(rand.NewPCG(w.o.seed, 0))
	blows := w.blows()
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

// blows are those that were asked for and can be dealt here; what stands twice
// is dealt twice as often.
func (w *world) blows() []blow {
	all := map[faultKind][]blow{
		faultDaemon: {w.killDaemon, w.killDaemon}, faultPlane: {w.killPlane},
		faultTerm:   {w.endDaemon, w.endPlane},
		faultFreeze: {w.freeze}, faultSleep: {w.sleepMachine},
	}
	if w.small != "" {
		all[faultDisk] = []blow{w.fillDisk}
	}
	if w.clock != nil {
		all[faultClock] = []blow{w.jump}
	}
	if w.database != nil {
		all[faultDatabase] = []blow{w.crashDatabase}
	}
	var chosen []blow
	for _, k := range faultKinds { // in order: the seed decides
		if w.o.faults[k] {
			chosen = append(chosen, all[k]...)
		}
	}
	return chosen
}

func (w *world) killDaemon(chance *rand.Rand) {
	p := w.runner[chance.IntN(len(w.runner))]
	away := time.Duration(chance.IntN(1500)) * time.Millisecond
	p.kill()
	w.startAgain(faultDaemon, "kill -9", p, away)
}

func (w *world) killPlane(chance *rand.Rand) {
	w.plane.kill()
	w.startAgain(faultPlane, "kill -9", w.plane, planeAway(chance))
}

// planeAway is now and then longer than the lost deadline of every run.
func planeAway(chance *rand.Rand) time.Duration {
	away := time.Duration(chance.IntN(1000)) * time.Millisecond
	if chance.IntN(8) == 0 {
		away += 2500 * time.Millisecond
	}
	return away
}

// endDaemon ends one as people do: mostly so that its runs go on or pause, for
// TERM cancels every session that it works on.
func (w *world) endDaemon(chance *rand.Rand) {
	p := w.runner[chance.IntN(len(w.runner))]
	s := []syscall.Signal{
		syscall.SIGUSR2, syscall.SIGUSR2, syscall.SIGUSR2, syscall.SIGUSR1, syscall.SIGUSR1, syscall.SIGTERM,
	}[chance.IntN(6)]
	w.endAndStart(p, s, time.Duration(chance.IntN(1500))*time.Millisecond)
}

func (w *world) endPlane(chance *rand.Rand) {
	w.endAndStart(w.plane, syscall.SIGTERM, planeAway(chance))
}

func (w *world) endAndStart(p *program, s syscall.Signal, away time.Duration) {
	w.diary.write(0, "FAULT %v of %s", s, p.name)
	if err := p.end(s, patience); err != nil {
		w.f.violation(err.Error())
	}
	w.startAgain(faultTerm, s.String(), p, away)
}

func (w *world) startAgain(kind faultKind, how string, p *program, away time.Duration) {
	w.diary.write(0, "FAULT %s of %s, away for %s", how, p.name, away)
	w.f.count("fault: "+string(kind), 1)
	time.Sleep(away)
	if err := p.start(); err != nil {
		w.f.violation("restart: " + err.Error())
	}
	w.diary.write(0, "%s is started again", p.name)
}

// freeze stops a daemon or the control plane, alone, for up to twice the lost
// deadline of a run.
func (w *world) freeze(chance *rand.Rand) {
	p := append(w.runner[:], w.plane)[chance.IntN(len(w.runner)+1)]
	length := time.Duration(500+chance.IntN(4500)) * time.Millisecond
	w.diary.write(0, "FAULT %s is stopped for %s", p.name, length)
	w.f.count("fault: "+string(faultFreeze), 1)
	p.signal(syscall.SIGSTOP)
	time.Sleep(length)
	p.signal(syscall.SIGCONT)
	w.diary.write(0, "%s goes on", p.name)
}

// sleepMachine stops everything of one runner at once, as the lid of a laptop
// does: its clocks count on, nobody is there to look at them.
func (w *world) sleepMachine(chance *rand.Rand) {
	i := chance.IntN(len(w.runner))
	length := time.Duration(500+chance.IntN(4500)) * time.Millisecond
	w.diary.write(0, "FAULT all of runner%d sleeps for %s", i, length)
	w.f.count("fault: "+string(faultSleep), 1)
	asleep := w.fallAsleep(i)
	time.Sleep(length)
	for _, p := range asleep {
		_ = p.signal(syscall.SIGCONT) // killed meanwhile is as good
	}
	w.diary.write(0, "all of runner%d is awake, %d processes", i, len(asleep))
}

// fallAsleep stops all processes of a runner, those too that were started while
// it looked.
func (w *world) fallAsleep(i int) []process {
	var asleep []process
	stopped := map[int]bool{}
	for more := true; more; {
		more = false
		for _, p := range w.machine(i) {
			if !stopped[p.pid] && p.signal(syscall.SIGSTOP) == nil {
				stopped[p.pid], more = true, true
				asleep = append(asleep, p)
			}
		}
	}
	return asleep
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
