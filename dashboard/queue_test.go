package dashboard_test

import (
	"net/url"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// Where a session stands that waits for its agent is on its page, in the list and
// on the agent's page, where the limit is set by a form; a dry run says what
// another one means.
func TestConcurrencyIsShownAndSet(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	form := url.Values{"concurrency": {"1"}}
	if _, text := d.do("POST", "/agents/demo/policy", form); !strings.Contains(text, "concurrency off -&gt; 1: 0 runs at work, 0 waiting") {
		t.Fatalf("the form does not say what it did:\n%s", text)
	}
	var ids []blaise.SessionID
	for range 3 {
		m, err := d.control.Start(t.Context(), "ann", control.Start{Agent: "demo", Text: "hello"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.ID.Session())
	}
	r, _, err := d.control.NewRunner(t.Context(), "ann", "laptop", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.control.Hello(t.Context(), store.Instance{ID: "i1", Runner: r.ID, Machine: "m1", Host: "box", Slots: 4}); err != nil {
		t.Fatal(err)
	}
	accept := control.Accept{Instance: "i1", Machine: "m1", Boot: "b", Nonce: "n"}
	if _, err := d.control.Accept(t.Context(), r, ids[0].Run(1), accept); err != nil {
		t.Fatal(err)
	}
	has := func(path string, words ...string) {
		t.Helper()
		text := d.page(path)
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q:\n%s", path, w, text)
			}
		}
	}
	has("/sessions/"+string(ids[2]), "waiting, 2nd of 2 for agent demo: 1 of 1 run is at work",
		"it waits for a run of the agent to end", "concurrency = 1 (agent demo, revision 2; set by ann in revision 2)")
	has("/", "1st of 2 waiting", "2nd of 2 waiting", "waiting, 2nd of 2 for agent demo: 1 of 1 run is at work")
	has("/agents", "1 of 1 at work, 2 waiting")
	has("/agents/demo", "1 of 1 at work, 2 waiting", "1. <a href=\"/sessions/"+string(ids[1]), "concurrency: 1")
	form = url.Values{"concurrency": {"3"}, "dry": {"1"}}
	if _, text := d.do("POST", "/agents/demo/policy", form); !strings.Contains(text, "concurrency 1 -&gt; 3: 1 run at work, 2 waiting; 2 of those that wait may begin") {
		t.Errorf("the dry run does not say what would be:\n%s", text)
	}
	form = url.Values{"concurrency": {"0"}}
	if resp, text := d.do("POST", "/agents/demo/policy", form); resp.StatusCode < 400 || !strings.Contains(text, "is no limit: write 1 or more, or off") {
		t.Errorf("no runs at all were taken: %s", resp.Status)
	}
	if strings.Contains(d.page("/sessions/"+string(ids[0])), "waiting, ") {
		t.Error("one that is at work is shown to wait")
	}
}

// One that no runner may take says so in the list, on its agent's page, and first
// on its own, with the reason.
func TestARunWithoutARunnerIsShown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	m, err := d.control.Start(t.Context(), "ann", control.Start{Agent: "demo", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	id := string(m.ID.Session())
	for path, want := range map[string]string{
		"/":               ">no runner</span>",
		"/agents":         "0 at work, 1 waiting (no runner)",
		"/agents/demo":    "by <bdi>ann</bdi> (no runner)",
		"/sessions/" + id: "<strong>waiting, no runner is here that may take it</strong></p>\n<p class=\"meaning\"><bdi>no runner matches: no runner has connected",
	} {
		if text := d.page(path); !strings.Contains(text, want) {
			t.Errorf("%s has no %q:\n%s", path, want, text)
		}
	}
	if text := d.page("/"); !strings.Contains(text, `1 of these waits for a runner, and none is here that may take it: <a href="/sessions/`+id) {
		t.Errorf("the list does not say that it is stuck:\n%s", text)
	}
}
