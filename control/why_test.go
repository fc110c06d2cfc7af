package control_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

func (h *house) whySays(id string, words ...string) {
	h.t.Helper()
	lines, err := h.Why(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	all := strings.Join(lines, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			h.t.Errorf("why %s has no %q:\n%s", id, w, all)
		}
	}
}

// Why tells of sessions, runs and messages which clock runs and who set it; of
// what a clock has ended, the same (X7).
func TestX7WhyTellsClocksAndWhoSetThem(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	h.apply(withSpec("{policy: {lease: {beat: 10s, misses: 50}, silence: {warn: 7m}}}"))
	id := h.start("work")
	run := h.take(id)
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	if _, err := h.Claim(t.Context(), run, id.Message(1)); err != nil {
		t.Fatal(err)
	}
	const lease = "policy.lease = 10s x 50: silent, it stops itself after 8m20s and is lost after 10m0s, 60 beats (agent demo, revision 2; set by test in revision 2)"
	const warn = "policy.silence.warn = 7m0s (agent demo, revision 2; set by test in revision 2)"
	h.whySays(string(id), "clock lost fires at", lease, warn)
	h.whySays(string(run.ID), "clock lost fires at", lease)
	h.whySays(string(id.Message(1)), "clock silence_warn fires at", warn)
	h.pass(w, 11*60*1e9)
	h.whySays(string(run.ID), "ended lost", "by clock, from "+lease)
}

func TestX7WhyAMessageWaitsSaysWhoDisabledItsAgent(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.paused()
	if err := h.SetAgentState(t.Context(), "bob", "demo", control.AgentDisabled); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Post(t.Context(), "ann", id, control.Post{Text: "more"}); err != nil {
		t.Fatal(err)
	}
	h.whySays(string(id), "disabled (agent demo, revision 2; disabled by bob in revision 2): blaise agent enable demo")
	h.whySays(string(id.Message(2)), "disabled by bob")
}

// A question that waits outlasts a restart of Blaise: it is there, can be
// answered, and the run is told (P25, P26).
func TestP25AQuestionOutlastsARestart(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.start("work")
	run := h.take(id)
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	if _, err := h.Claim(t.Context(), run, id.Message(1)); err != nil {
		t.Fatal(err)
	}
	h.report(run, blaise.Event{Kind: blaise.EventQuestionAsked, Key: "k1", Ask: &blaise.Question{
		Kind: "permission", Key: "k1", Title: "Write a file", Turn: id.Message(1),
		Options: []blaise.Option{{ID: "yes", Name: "Yes", Kind: "allow_once"}, {ID: "no", Name: "No", Kind: "reject_once"}},
	}})
	h.reopen()
	h.want(id, blaise.SessionParked, blaise.EnvOpen)
	v, err := h.View(t.Context(), id)
	if err != nil || len(v.Questions) != 1 {
		t.Fatalf("questions %+v, %v", v.Questions, err)
	}
	allow := true
	if err := h.Answer(t.Context(), "ann", v.Questions[0].ID, control.Decision{Allow: &allow}); err != nil {
		t.Fatal(err)
	}
	ds, _, err := h.Directives(t.Context(), run, 0, 0)
	if err != nil || len(ds) == 0 || ds[len(ds)-1].Kind != blaise.DirectiveAnswer || ds[len(ds)-1].Choice != "yes" {
		t.Errorf("directives %+v, %v", ds, err)
	}
}

// What Blaise has not heard since it began, maybe from a backup, it does not
// say to report (X7).
func TestX7WhySaysThatARunWasNotHeardYet(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.start("work")
	run := h.take(id)
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	const words = "was not heard since Blaise listens"
	if lines, err := h.Why(t.Context(), string(id)); err != nil || strings.Contains(strings.Join(lines, "\n"), words) {
		t.Errorf("a run that was heard: %q, %v", lines, err)
	}
	h.Control = control.New(control.Options{DB: h.db, Secret: make([]byte, 32)})
	h.whySays(string(id), "run "+string(run.ID)+" "+words, "blaise lost "+string(run.ID)+" --yes")
}
