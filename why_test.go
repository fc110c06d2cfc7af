package blaise_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
)

func TestX7_WhyNamesClockTimeSettingAndEffect(t *testing.T) {
	st := begin(t).idles()
	why := strings.Join(blaise.Why(st.s, st.now, nil), "\n")
	ends := begin(t, func(p *blaise.Policy) { p.IdleThen = blaise.ThenEnd }).idles()
	if why := strings.Join(blaise.Why(ends.s, ends.now, nil), "\n"); !strings.Contains(why, "): the session ends: policy.idle.then = end") {
		t.Errorf("why says not that it ends:\n%s", why)
	}
	for _, want := range []string{
		"session abcd1234 is idle", "run abcd1234.1 (start) is connected",
		"clock idle fires at 2030-01-01T12:15:00Z (in 15m0s), from policy.idle.after = 15m0s (agent demo, revision 3; the default)",
		"(agent demo, revision 3; the default): the session pauses",
	} {
		if !strings.Contains(why, want) {
			t.Errorf("why has no %q:\n%s", want, why)
		}
	}
}

// What holds a session up is the first line; how it stands and its clocks follow.
func TestX7_WhyBeginsWithTheReason(t *testing.T) {
	first := func(st *story, want string) {
		t.Helper()
		if why := blaise.Why(st.s, st.now, []string{"no runner matches: x"}); !strings.HasPrefix(why[0], want) {
			t.Errorf("why begins with %q, want %q\n%s", why[0], want, strings.Join(why, "\n"))
		}
	}
	first(begin(t), "no runner matches: x")
	first(begin(t).idles(), "session abcd1234 is idle")
	turn := begin(t).opens()
	turn.claim()
	first(turn, "message abcd1234.m1 is in its turn since")
	first(begin(t).paused(), "session abcd1234 is paused")

	refused := begin(t).connect()
	refused.do(blaise.Event{Kind: blaise.EventRefused, Reason: "program missing"})
	first(refused, "message abcd1234.m1 is queued: run refused: program missing")

	chosen := begin(t).connect()
	chosen.do(blaise.Event{Kind: blaise.EventRefused, Reason: "no input base", Chosen: true})
	first(chosen, "message abcd1234.m1 is queued: run refused for what the session asks: no input base: `blaise start --again abcd1234")
	if s := chosen.s.Session; s.Blocked != chosen.s.Messages[0].Reason || refused.s.Session.Blocked == "" {
		t.Errorf("a refused run leaves the session blocked by %q", s.Blocked)
	}
	chosen.event(blaise.EventRetryAsked)
	if chosen.s.Session.Blocked != "" {
		t.Error("a session with a run on offer is blocked")
	}

	ended := begin(t).paused()
	ended.event(blaise.EventEndAsked)
	first(ended, "no runner matches: x")

	held := begin(t).paused()
	held.event(blaise.EventHeld)
	first(held, "it is held since")

	archived := begin(t).paused()
	archived.s.Policy.Archived = true
	first(archived, "its agent is archived (agent demo, revision 3; the default), and takes no messages until: blaise agent enable demo")
}

// A hold stops a clock where it is: what is told is what it has left (B11).
func TestB11_WhyOfAHeldSessionSaysWhatItsClocksHaveLeft(t *testing.T) {
	st := begin(t, func(p *blaise.Policy) { p.MaxPaused = 7 * 24 * time.Hour }).paused()
	st.now = st.now.Add(30 * time.Hour)
	st.event(blaise.EventHeld)
	st.now = st.now.Add(100 * time.Hour)
	why := strings.Join(blaise.Why(st.s, st.now, nil), "\n")
	if want := "clock max_paused stands still, 5d18h before it fires"; !strings.Contains(why, want) {
		t.Errorf("why has no %q:\n%s", want, why)
	}
}

func TestX7_WhyAMessageWaits(t *testing.T) {
	st := begin(t)
	first := blaise.MessageID("abcd1234.m1")
	want := func(words string) {
		t.Helper()
		if got := st.s.Waits(first); !strings.Contains(got, words) {
			t.Errorf("waits: %q, want %q", got, words)
		}
	}
	want("run abcd1234.1 waits for a runner")
	st.accept()
	want("run abcd1234.1 connects")
	st.do(blaise.Event{Kind: blaise.EventSpawnFailed, Reason: "no memory"})
	want("after a delay")
	st.event(blaise.EventRetryAsked)
	st.connect()
	want("opens the environment")
	st.do(blaise.Event{Kind: blaise.EventRefused, Reason: "no agent program"})
	want("no agent program")
	why := strings.Join(blaise.Why(st.s, st.now, nil), "\n")
	if !strings.Contains(why, "2 runs in a row lost or refused; at 3 the session fails, and at once if what it works in cannot be made") {
		t.Errorf("why:\n%s", why)
	}
}
