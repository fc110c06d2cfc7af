package blaise_test

import (
	"testing"

	"blaise.dev/blaise"
)

// A forced end gives the work up for a reason that is kept, and outranks an end
// that is on its way; it binds, as every stop, when it is received (X5, A18).
func TestX5_ForcedEnd(t *testing.T) {
	st := begin(t).idles()
	st.refuses(blaise.Event{Kind: blaise.EventEndAsked, Force: true, Reason: " "}, blaise.CodeInvalid, "needs a reason")
	st.event(blaise.EventEndAsked)
	st.do(blaise.Event{Kind: blaise.EventEndAsked, By: "ann", Force: true, Reason: "the disk is broken"})
	if got := st.stop().Stop.Discard; got != "the disk is broken" {
		t.Fatalf("the stop says %q", got)
	}
	if st.s.Environment.Forced {
		t.Error("it holds before it was received")
	}
	st.wantsVerdict(st.hears(), blaise.VerdictGo)
	if e := st.s.Environment; !e.Forced || e.ForcedWhy != "the disk is broken" {
		t.Errorf("environment %+v", e)
	}
}

// What a plug made that no blaise.yml has any more is not called gone by a
// teardown that could not look for it; a person may say that it is (A32).
func TestA32_UnownedOutlivesTheTeardown(t *testing.T) {
	st := begin(t).idles()
	st.s.Environment.Plugs = []blaise.PlugRecord{{ID: "src", Opened: true}, {ID: "db", Unowned: true, HasState: true}}
	st.s.Environment.Resources = []blaise.Resource{
		{Plug: "src", Kind: "worktree", Name: "/w"}, {Plug: "db", Kind: "database", Name: "shop_s1"},
	}
	st.event(blaise.EventEndAsked)
	st.hears()
	st.pauses(st.s.Environment.Plugs...)
	st.event(blaise.EventDestroyed)
	e := st.s.Environment
	if e.State != blaise.EnvDestroyed || !e.Resources[0].Gone || e.Resources[1].Gone || e.LeftBehind() == "" {
		t.Fatalf("environment %+v", e)
	}
	st.do(blaise.Event{Kind: blaise.EventMarkDestroyed, By: "ann", Reason: "dropped it by hand"})
	if e = st.s.Environment; len(e.Plugs) != 1 || !e.Resources[1].Gone || e.LeftBehind() != "" {
		t.Errorf("environment %+v", e)
	}
	st.refuses(blaise.Event{Kind: blaise.EventMarkDestroyed, Reason: "again"}, blaise.CodeRefused, "nothing owns")
}
