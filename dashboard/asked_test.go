package dashboard_test

import (
	"regexp"
	"strings"
	"testing"

	"blaise.dev/blaise/transcript"
)

// TestB6_WhatBecameOfAQuestion holds that each question stands in the conversation
// once, with all that became of it.
func TestB6_WhatBecameOfAQuestion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	ask := func(key string) transcript.Event {
		return transcript.New(transcript.KindAsked, map[string]any{
			"question": key, "title": "Write " + key,
			"options": []map[string]any{{"id": "y", "name": "Allow"}},
		})
	}
	decide := func(key, choice, by, reason string) transcript.Event {
		return transcript.New(transcript.KindDecided, map[string]any{
			"question": key, "choice": choice, "by": by, "reason": reason,
		})
	}
	d.record(
		ask("r/1"), decide("r/1", "y", "ann", ""),
		ask("r/2"), decide("r/2", "", "the run", "expired: the agent died"),
		ask("r/3"), decide("r/3", "y", "ann", "answered, not applied: its turn ended first"),
		decide("r/0", "y", "bob", ""), // asked before the window begins
	)
	got := d.page("/sessions/" + string(d.id))
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(got, "")), " ")
	for _, want := range []string{
		"? Write r/1 → Allow by ann ?",
		"? Write r/2 → no answer by the run, expired: the agent died",
		"? Write r/3 → Allow by ann, answered, not applied: its turn ended first",
		"? a question from before → y by bob",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the conversation does not have once: %s\n%s", want, text)
		}
	}
}
