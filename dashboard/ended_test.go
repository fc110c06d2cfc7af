package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
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
	if !strings.Contains(text, `<section class="acts for-admin"><h2>Actions</h2>`) || strings.Count(text, `class="deed`) != 1 {
		t.Error("an ended session can be more than deleted, by administrators")
	}
	if strings.Contains(text, "Go on from its work") || !strings.Contains(text, "Begin another session") {
		t.Error("an ended session without saved work offers to go on from it, or nothing")
	}
	_, err = d.control.Start(t.Context(), "ann", control.Start{Agent: "demo", Text: "on", From: m.ID.Session()})
	if err == nil || !strings.Contains(err.Error(), "blaise start --again") {
		t.Errorf("a start from it says %v", err)
	}
	resp, text := d.do("POST", path+"/act/delete", url.Values{})
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(text, "tick that you are sure") {
		t.Errorf("deleted without being sure: %s", resp.Status)
	}
	err = d.db.Tx(t.Context(), func(tx *store.Tx) error { // work that Blaise alone may have
		return tx.KeepSave(m.ID.Session(), blaise.SavedWork{N: 1, Ref: "refs/blaise/x/1", Bundle: "sum"})
	})
	if text = d.page(path); err != nil || !strings.Contains(text, `name="drop-work"`) {
		t.Errorf("nobody is told that saved work goes too: %v", err)
	}
	if !strings.Contains(text, "Go on from its work in a new session") {
		t.Error("an ended session with saved work has no way on")
	}
	sure := url.Values{"sure": {"1"}, "reason": {"asked to"}}
	if resp, text = d.do("POST", path+"/act/delete", sure); resp.StatusCode != http.StatusConflict {
		t.Errorf("deleted with the only copy of its work: %s: %s", resp.Status, text)
	}
	sure.Set("drop-work", "1")
	d.do("POST", path+"/act/delete", sure)
	if resp, text = d.do("GET", path, nil); resp.StatusCode != http.StatusNotFound || !strings.Contains(text, "was deleted at") {
		t.Errorf("a deleted session's page: %s", resp.Status)
	}
}
