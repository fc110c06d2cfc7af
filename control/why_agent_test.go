package control_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// X7, X10: what `runner probe` found on a machine is kept, and cited where the
// agent of a session is one with a known fault there.
func TestX7WhyCitesWhatTheProbeFound(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	err := h.Hello(t.Context(), store.Instance{
		ID: "i1", Runner: h.runner.ID, Machine: "m1", Host: "desk", Slots: 1, Boot: "b",
		Probed: []blaise.Probed{
			{Name: "gemini", Agent: "gemini-cli", Version: "0.56", Faults: []string{"load_broken"}},
			{Name: "codex", Agent: "codex", Version: "1.6", OK: true},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := h.start("one")
	run := h.take(id)
	h.report(run, blaise.Event{Kind: blaise.EventConversation, Conversation: &blaise.Conversation{
		ACP: "a", Agent: "gemini-cli", AgentVersion: "0.56",
	}})
	lines, err := h.Why(t.Context(), string(id))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(lines, "\n")
	if !strings.Contains(all, "gemini-cli 0.56 on desk") || !strings.Contains(all, "known faults: load_broken") ||
		strings.Contains(all, "codex") {
		t.Errorf("why the session:\n%s", all)
	}
	lines, err = h.WhyRunner(t.Context(), "laptop")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gemini 0.56", "codex 1.6", ": works"} {
		if all := strings.Join(lines, "\n"); !strings.Contains(all, want) {
			t.Errorf("why laptop: no %q in\n%s", want, all)
		}
	}
}
