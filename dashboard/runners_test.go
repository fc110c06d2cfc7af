package dashboard_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/store"
)

// TestRunnersPage holds that an instance is shown with what matters about it:
// why it takes nothing, its labels and agents, and how far its clock is off.
func TestRunnersPage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r, _, err := d.control.NewRunner(t.Context(), "ann", "pool", map[string]string{"zone": "a"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.control.Hello(t.Context(), store.Instance{
		ID: "i", Runner: r.ID, Boot: "b", Machine: "m", Host: "big.example", OS: "linux", Arch: "arm64", Version: "v1",
		Slots: 4, Labels: map[string]string{"gpu": "yes"}, Agents: []string{"coder"},
		PausedWhy: "less than 1 GB is free", Ahead: -90 * time.Second,
	}); err != nil {
		t.Fatal(err)
	}
	text := d.page("/runners")
	for _, want := range []string{
		"big.example", "linux/arm64", "0 of 4", "less than 1 GB is free", "gpu=yes", "zone=a", "coder", "1m30s behind",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
