package dashboard_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

func TestEndedSession(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	m, err := d.control.Start(t.Context(), "ann", control.Start{Agent: "demo", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	path := "/sessions/" + string(m.ID.Session())
	if text := d.page(path); !strings.Contains(text, "<textarea") || !strings.Contains(text, "<h2>Actions</h2>") {
		t.Error("a live session has no input or no actions")
	}
	if err := d.control.Act(t.Context(), m.ID.Session(), blaise.Event{Kind: blaise.EventEndAsked, By: "ann"}); err != nil {
		t.Fatal(err)
	}
	text := d.page(path)
	if strings.Contains(text, "<textarea") {
		t.Error("an ended session has an input box")
	}
	if strings.Contains(text, "<h2>Actions</h2>") {
		t.Error("an ended session has a card of no actions")
	}
	if !strings.Contains(text, "Go on from its work in a new session") {
		t.Error("an ended session has no way on")
	}
}
