package dashboard_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// What a button will do is said beforehand, as the session is: a pause that a
// queued message would end at once is no rest, and a hold stops the clocks (B11).
func TestWhatActsDoIsSaidBeforehand(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	if _, err := d.control.Claim(t.Context(), d.run, d.id.Message(1)); err != nil {
		t.Fatal(err)
	}
	path, warning := "/sessions/"+string(d.id), "1 queued message will wake it at once"
	if strings.Contains(d.page(path), warning) {
		t.Error("a pause that lasts is warned of")
	}
	if _, err := d.control.Post(t.Context(), "ann", d.id, control.Post{Text: "more"}); err != nil {
		t.Fatal(err)
	}
	if text := d.page(path); !strings.Contains(text, warning) || !strings.Contains(text, "cancels the turn if one is open") {
		t.Error("the page does not say what a pause does")
	}
	if strings.Contains(d.page(path), "held, ") {
		t.Error("a clock that runs is shown to stand still")
	}
	if _, err := d.control.Apply(t.Context(), d.id, blaise.Event{Kind: blaise.EventHeld, By: "ann"}); err != nil {
		t.Fatal(err)
	}
	if text := d.page(path); !strings.Contains(text, " left: the run is declared lost") || strings.Contains(text, "data-due") {
		t.Error("the clocks of a held session are shown to run")
	}
}
