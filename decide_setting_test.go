package blaise_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
)

// setBy is a policy in which ann has set everything that a clock may come from.
func setBy(p *blaise.Policy) {
	p.SilenceStalled, p.ExpiresAfter = 20*time.Minute, 48*time.Hour
	p.SetBy = map[string]string{}
	for _, name := range []string{
		"policy.idle.after", "policy.maxPaused", "policy.connectTimeout", "policy.lease", "limits.open", "limits.hook",
		"policy.silence.warn", "policy.silence.stalled", "policy.questions.after", "budget.expiresAfter",
		"policy.teardownRetry",
	} {
		p.SetBy[name] = "set by ann in revision 3"
	}
}

// Every clock that fires leaves a line that names the setting, its value, the
// agent and its revision, and who set it last (X7, P40).
func TestX7_EveryClockDecisionNamesItsSettingAndWhoSetIt(t *testing.T) {
	const ann = "(agent demo, revision 3; set by ann in revision 3)"
	for kind, c := range map[blaise.ClockKind]struct {
		to   func(st *story)
		want string
	}{
		blaise.ClockIdle:      {func(st *story) { st.idles() }, "policy.idle.after = 15m0s " + ann},
		blaise.ClockMaxPaused: {func(st *story) { st.paused() }, "policy.maxPaused = 7d " + ann},
		blaise.ClockConnect:   {func(st *story) { st.accept() }, "policy.connectTimeout = 2m0s " + ann},
		blaise.ClockLost:      {func(st *story) { st.idles() }, "policy.lease = 20s x 90: silent, it stops itself after 30m0s and is lost after 36m0s, 108 beats " + ann},
		blaise.ClockOpen:      {func(st *story) { st.connect() }, "limits.open = 30m0s " + ann},
		blaise.ClockHook: {func(st *story) {
			st.idles().event(blaise.EventPauseAsked)
			st.hears()
		}, "limits.hook = 5m0s " + ann},
		blaise.ClockReceipt:     {func(st *story) { st.idles().event(blaise.EventEndAsked) }, "receipt of a stop = 10s (fixed)"},
		blaise.ClockSilenceWarn: {func(st *story) { st.opens().claim() }, "policy.silence.warn = 10m0s " + ann},
		blaise.ClockStalled:     {func(st *story) { st.opens().claim() }, "policy.silence.stalled = 20m0s " + ann},
		blaise.ClockQuestion: {func(st *story) {
			st.opens().claim()
			st.do(ask("k1"))
		}, "policy.questions.after = 1d " + ann},
		blaise.ClockExpires: {func(st *story) { st.paused() }, "budget.expiresAfter = 2d " + ann},
		blaise.ClockTeardown: {func(st *story) {
			st.paused().event(blaise.EventEndAsked)
			st.connect().event(blaise.EventTeardownFailed)
		}, "policy.teardownRetry: try 2 of 5, after 30s " + ann},
		blaise.ClockRetry: {func(st *story) {
			st.accept()
			st.event(blaise.EventSpawnFailed)
		}, "retry of a run whose process did not start = 5s (fixed)"},
		blaise.ClockDrain: {func(st *story) {
			st.opens().claim()
			st.do(blaise.Event{Kind: blaise.EventDrainAsked, Until: st.now.Add(time.Hour), By: "runner laptop"})
		}, "runner drain --timeout = 1h0m0s (asked by runner laptop)"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			st := begin(t, setBy)
			c.to(st)
			why := strings.Join(blaise.Why(st.s, st.now, nil), "\n")
			if !strings.Contains(why, "clock "+string(kind)+" fires at") || !strings.Contains(why, c.want) {
				t.Errorf("why has no clock %s from %q:\n%s", kind, c.want, why)
			}
			st.fires(kind)
			for _, h := range st.last.History {
				if h.Setting != c.want || h.By != "clock" {
					t.Errorf("%s %s -> %s is from %q by %q, want %q", h.Subject, h.From, h.To, h.Setting, h.By, c.want)
				}
			}
			if len(st.last.History) == 0 || st.last.History[0].Subject != "clock:"+string(kind) {
				t.Errorf("the history does not begin with the clock: %+v", st.last.History)
			}
		})
	}
}

func TestX7_ArchivedAgentSaysWhoArchivedIt(t *testing.T) {
	st := begin(t).idles()
	st.change(func(p *blaise.Policy) {
		p.Archived, p.SetBy = true, map[string]string{blaise.SettingState: "archived by bob in revision 4"}
	})
	st.fires(blaise.ClockIdle)
	st.recorded("clock:idle", "the agent is archived (agent demo, revision 4; archived by bob in revision 4)")
}
