package dashboard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// pause answers the message, and pauses the session.
func (d *desk) pause() {
	d.t.Helper()
	ctx := d.t.Context()
	m := d.id.Message(1)
	if _, err := d.control.Claim(ctx, d.run, m); err != nil {
		d.t.Fatal(err)
	}
	d.report(2, blaise.Event{Kind: blaise.EventTurnEnded, Message: m, Result: blaise.MessageAnswered})
	plan, err := d.control.Apply(ctx, d.id, blaise.Event{Kind: blaise.EventPauseAsked, By: "ann"})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, x := range plan.Next.Directives {
		if _, err := d.control.Received(ctx, d.run, x.N); err != nil {
			d.t.Fatal(err)
		}
	}
	d.report(3, blaise.Event{Kind: blaise.EventPauseReported, Clean: true, Plugs: []blaise.PlugRecord{
		{ID: "src", Use: "worktree", Opened: true, Resumable: true},
	}})
}

// What paused environments hold is seen where their runner is: since when, what
// it takes there, and when it is given up.
func TestPausedEnvironments(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("tidy up")
	box := blaise.Resource{Plug: "box", Kind: "container", Name: "the-box", Where: "engine"}
	home := blaise.Resource{Plug: "box", Kind: "volume", Name: "the-home", Where: "engine"}
	for i, r := range []blaise.Resource{box, home} {
		d.report(int64(20+i), blaise.Event{Kind: blaise.EventResourceIntended, Resource: &r})
	}
	d.pause()
	env := d.id.Environment(1)
	if text := d.page("/runners"); !strings.Contains(text, string(env)) || !strings.Contains(text, "1 paused, not measured yet") {
		t.Errorf("the page does not show %s:\n%s", env, text)
	}
	s, err := d.control.View(t.Context(), d.id)
	if err != nil {
		t.Fatal(err)
	}
	r := store.Runner{ID: s.Session.Runner}
	if err := d.control.Hello(t.Context(), store.Instance{ID: "i", Runner: r.ID, Boot: "b", Machine: "m", Slots: 1}); err != nil {
		t.Fatal(err)
	}
	look := func(things ...api.Thing) string {
		t.Helper()
		for i := range things {
			things[i].Environment = env
		}
		found, err := json.Marshal(api.Inventory{Instance: "i", Things: things})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.control.KeepInventory(t.Context(), r, "i", found); err != nil {
			t.Fatal(err)
		}
		return d.page("/runners")
	}
	dir := api.Thing{Resource: blaise.Resource{Kind: "directory"}, Class: api.ClassOurs, Bytes: 5 << 19}
	weighed := api.Thing{Resource: box, Bytes: 1 << 19, WeighedAt: time.Now()}
	text := look(dir, weighed)
	for _, want := range []string{"1 paused, 3 MB on disk, 1 not wholly measured", "not known: <bdi>volume the-home"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	text = look(dir, weighed, api.Thing{Resource: home, WeighedAt: time.Now()})
	if !strings.Contains(text, "1 paused, 3 MB on disk</") || strings.Contains(text, "not known") || strings.Contains(text, "not by a clock") {
		t.Errorf("the page does not say what it takes, and when it is given up:\n%s", text)
	}
}

// A session that has failed is among what needs a person, for a day, however many
// have begun since; a tab has all that failed.
func TestFailedNeedsAPerson(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("tidy up")
	d.report(2, blaise.Event{Kind: blaise.EventRunFailed, Reason: "its agent cannot start"})
	for range 101 { // more than a page
		if _, err := d.control.Start(t.Context(), "ann", control.Start{Agent: "demo", Text: "later"}); err != nil {
			t.Fatal(err)
		}
	}
	needs, rest, _ := strings.Cut(d.page("/"), "All others")
	if strings.Contains(rest, string(d.id)) || !strings.Contains(needs, `state=failed`) {
		t.Errorf("it is listed twice, or no tab has it:\n%s", needs)
	}
	_, tab, _ := strings.Cut(needs, `<a href="/?state=failed"`)
	if !strings.HasPrefix(tab, ` title="Of those`) {
		t.Errorf("the link of the tab: %.60s", tab)
	}
	if failed := d.page("/?state=failed"); !strings.Contains(failed, string(d.id)) || strings.Contains(failed, "later") {
		t.Errorf("the tab of what failed:\n%s", failed)
	}
	if _, next, ok := strings.Cut(rest, `<a href="/?before=`); !ok || !strings.Contains(next, "Older sessions") {
		t.Error("no link leads to the next page")
	}
	if _, after, ok := strings.Cut(needs, "Needs a person"); !ok || !strings.Contains(after, string(d.id)) {
		t.Errorf("session %s is not among what needs a person:\n%s", d.id, needs)
	}
}
