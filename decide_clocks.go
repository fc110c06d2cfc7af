package blaise

import (
	"fmt"
	"time"
)

// refire is how long a clock waits that has fired in vain: the run could not
// be told.
const refire = time.Minute

// settleClocks leaves exactly the clocks that run in the present state. One
// that ran before keeps its times; one that is new begins now, or when what it
// measures began.
func (d *decision) settleClocks() {
	var clocks []Clock
	for _, w := range d.wanted() {
		c := d.find(w.Kind, w.Subject)
		if c == nil {
			w.DueAt = w.Since.Add(d.length(w.Kind))
			w.Setting = d.settingOf(w.Kind)
			c = &w
		}
		clocks = append(clocks, *c)
	}
	d.next.Clocks = clocks
}

// A clockList gathers the clocks of a state.
type clockList struct {
	d    *decision
	list []Clock
}

// want adds a clock that begins at since if it does not run yet.
func (l *clockList) want(ok bool, kind ClockKind, subject string, since time.Time) {
	if ok && l.d.length(kind) >= 0 {
		l.list = append(l.list, Clock{Kind: kind, Subject: subject, Since: since})
	}
}

// keep leaves a clock running that only an event can start: a retry, the watch
// over a turn, the limit of a hook.
func (l *clockList) keep(ok bool, kind ClockKind) {
	if c := l.d.next.clock(kind); ok && c != nil {
		l.list = append(l.list, *c)
	}
}

// wanted lists the clocks of the state.
func (d *decision) wanted() []Clock {
	s := &d.next
	l := &clockList{d: d}
	d.wantedOfRun(l)
	env, id := s.Environment.State, string(s.Environment.ID)
	alone := s.Run == nil && (env == EnvPaused || env == EnvUnattended)
	l.want(alone && s.clock(ClockRetry) == nil, ClockMaxPaused, id, d.e.At)
	l.keep(env == EnvPausing || env == EnvTearingDown, ClockHook)
	l.keep(env == EnvTeardownWaiting && s.Run == nil, ClockTeardown)
	l.keep(!s.ended() && s.Run == nil, ClockRetry)
	for _, q := range s.Questions {
		l.want(q.State == QuestionOpen, ClockQuestion, string(q.ID), q.AskedAt)
	}
	l.want(!s.ended(), ClockExpires, "", s.Session.CreatedAt)
	return l.list
}

func (d *decision) wantedOfRun(l *clockList) {
	s := &d.next
	run := s.live()
	if run == nil {
		return
	}
	id, env, stop := string(run.ID), s.Environment.State, s.stop()
	opening := env == EnvCreating || env == EnvResuming
	turn := run.State == RunConnected && run.Turn != "" && !s.asked()
	l.want(run.State == RunAccepted, ClockConnect, id, run.AcceptedAt)
	l.want(run.State != RunAccepted, ClockLost, id, d.e.At)
	l.want(opening && stop == nil && !s.asked(), ClockOpen, id, d.e.At)
	l.want(d.idle(), ClockIdle, "", d.e.At)
	l.keep(run.State != RunStopping, ClockDrain)
	l.keep(turn, ClockSilenceWarn)
	l.keep(turn, ClockStalled)
	if stop != nil {
		l.want(true, ClockReceipt, id, stop.IssuedAt)
	}
}

// idle says that the session is idle: a run is ready, and nothing waits, least
// of all a turn (A11).
func (d *decision) idle() bool {
	return d.ready() && !d.next.open() && !d.next.asked()
}

// find is the running clock of that kind and subject, nil if there is none.
func (d *decision) find(kind ClockKind, subject string) *Clock {
	for i := range d.next.Clocks {
		if c := &d.next.Clocks[i]; c.Kind == kind && c.Subject == subject {
			return c
		}
	}
	return nil
}

// arm starts a clock anew, unless the policy has it off.
func (d *decision) arm(kind ClockKind, subject string, since time.Time) {
	length := d.length(kind)
	if length < 0 {
		d.drop(kind)
		return
	}
	d.run(Clock{
		Kind: kind, Subject: subject, Since: since, DueAt: since.Add(length),
		Setting: d.settingOf(kind),
	})
}

// run puts a clock in the place of the one of its kind and subject.
func (d *decision) run(c Clock) {
	if old := d.find(c.Kind, c.Subject); old != nil {
		*old = c
		return
	}
	d.next.Clocks = append(d.next.Clocks, c)
}

// drop takes all clocks of that kind out.
func (d *decision) drop(kind ClockKind) {
	clocks := d.next.Clocks[:0]
	for _, c := range d.next.Clocks {
		if c.Kind != kind {
			clocks = append(clocks, c)
		}
	}
	d.next.Clocks = clocks
}

// off is the length of a clock that the policy has switched off.
const off = time.Duration(-1)

// length is how long a clock of that kind runs, off if it does not run at all.
func (d *decision) length(kind ClockKind) time.Duration {
	p := d.next.Policy
	switch kind {
	case ClockIdle:
		if p.Archived {
			return 0 // A27: idle runs are stopped now
		}
		return positive(p.IdleAfter)
	case ClockMaxPaused:
		return positive(p.MaxPaused)
	case ClockConnect:
		return positive(p.ConnectTimeout)
	case ClockLost:
		return p.LostAfter()
	case ClockOpen:
		return positive(p.Limits.Open)
	case ClockHook:
		return positive(p.Limits.Hook)
	case ClockReceipt:
		return StopReceipt
	case ClockSilenceWarn:
		return positive(p.SilenceWarn)
	case ClockStalled:
		return positive(p.SilenceStalled)
	case ClockQuestion:
		return positive(p.QuestionsAfter)
	case ClockExpires:
		return positive(p.ExpiresAfter)
	}
	return off
}

func positive(length time.Duration) time.Duration {
	if length <= 0 {
		return off
	}
	return length
}

var clockSettings = map[ClockKind]string{
	ClockIdle: "policy.idle.after", ClockMaxPaused: "policy.maxPaused",
	ClockConnect: "policy.connectTimeout", ClockOpen: "limits.open", ClockHook: "limits.hook",
	ClockSilenceWarn: "policy.silence.warn", ClockStalled: "policy.silence.stalled",
	ClockQuestion: "policy.questions.after", ClockExpires: "budget.expiresAfter",
}

// settingOf says in words which setting gives a clock its length.
func (d *decision) settingOf(kind ClockKind) string {
	p, length, agent := d.next.Policy, d.length(kind), d.next.Session.Agent
	switch {
	case kind == ClockIdle && p.Archived:
		return "the agent is archived " + p.origin(agent, SettingState)
	case kind == ClockLost:
		return fmt.Sprintf("policy.lease = %s x %d: silent, it stops itself after %s and is lost after %s, %d beats %s",
			p.Beat, p.Misses, p.StopAfter(), length, length/p.Beat, p.origin(agent, "policy.lease"))
	case kind == ClockReceipt:
		return fmt.Sprintf("receipt of a stop = %s (fixed)", length)
	}
	return fmt.Sprintf("%s = %s %s", clockSettings[kind], Days(length), p.origin(agent, clockSettings[kind]))
}
