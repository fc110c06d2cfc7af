package api_test

import (
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// What is a mark for programs is words for people; a reason in words stays.
func TestWhyOfAMessage(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		blaise.ReasonSessionEnded: "the session ended", "the agent died": "the agent died", "": "",
	} {
		if got := (api.Message{Reason: reason}).Why(); got != want {
			t.Errorf("%q is told as %q, want %q", reason, got, want)
		}
	}
}
