package control_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// A receiver takes what a webhook is told, and verifies it with the library of
// the specification's authors.
type receiver struct {
	id  blaise.WebhookID
	url string

	mu     sync.Mutex // guards the rest
	verify *standardwebhooks.Webhook
	status int
	got    []letter
}

// A letter is what came.
type letter struct {
	ID   string          `json:"-"`
	Type blaise.NewsKind `json:"type"`
	Data struct {
		Session  blaise.SessionID
		State    blaise.SessionState
		URL      string
		Turn     blaise.TurnNews
		Question blaise.AskedNews
	}
	raw string
}

// receiver makes a webhook that is told of events, and its other end.
func (h *house) receiver(events ...blaise.NewsKind) *receiver {
	h.t.Helper()
	r := &receiver{status: http.StatusNoContent}
	s := httptest.NewServer(r)
	h.t.Cleanup(s.Close)
	var names []string
	for _, e := range events {
		names = append(names, string(e))
	}
	w, secret, err := h.CreateWebhook(h.t.Context(), "ann", control.NewWebhook{URL: s.URL, Events: names})
	if err != nil {
		h.t.Fatal(err)
	}
	r.id, r.url = w.ID, s.URL
	if r.verify, err = standardwebhooks.NewWebhook(secret.Shown()); err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, err := io.ReadAll(req.Body)
	if err == nil {
		err = r.verify.VerifyIgnoringTimestamp(body, req.Header) // the clock is the test's
	}
	l := letter{ID: req.Header.Get("webhook-id"), raw: string(body)}
	if err == nil {
		err = json.Unmarshal(body, &l)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	r.got = append(r.got, l)
	w.WriteHeader(r.status)
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) letters() []letter {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *receiver) kinds() (kinds []blaise.NewsKind) {
	for _, l := range r.letters() {
		kinds = append(kinds, l.Type)
	}
	slices.Sort(kinds)
	return kinds
}

// deliver sends what is due now.
func (h *house) deliver() {
	h.t.Helper()
	if err := h.PostDue(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// delivery is the last thing that a webhook was told.
func (h *house) delivery(r *receiver) store.Delivery {
	h.t.Helper()
	all, err := h.Deliveries(h.t.Context(), r.id, "", 10)
	if err != nil || len(all) == 0 {
		h.t.Fatalf("%d deliveries, %v", len(all), err)
	}
	return all[0]
}

func (h *house) webhook(r *receiver) store.Webhook {
	h.t.Helper()
	all, err := h.Webhooks(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	for _, w := range all {
		if w.ID == r.id {
			return w
		}
	}
	h.t.Fatalf("no webhook %s", r.id)
	return store.Webhook{}
}

// A session from its beginning to its end is told, and nothing of what was said
// in it but a question's title.
func TestWebhookIsToldOfASession(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	all, some := h.receiver(), h.receiver(blaise.NewsQuestionOpened, blaise.NewsSessionEnded)
	h.clocks()
	id := h.start("a private matter")
	run := h.take(id)
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	if _, err := h.Claim(t.Context(), run, id.Message(1)); err != nil {
		t.Fatal(err)
	}
	h.report(run, blaise.Event{Kind: blaise.EventQuestionAsked, Key: "k1", Ask: &blaise.Question{
		Kind: blaise.QuestionElicitation, Title: "Which colour?", Detail: []byte(`{"message":"a private matter"}`),
	}})
	if err := h.Answer(t.Context(), "bob", id.Question(1), control.Decision{Choice: "decline"}); err != nil {
		t.Fatal(err)
	}
	h.report(run, blaise.Event{
		Kind: blaise.EventTurnEnded, Message: id.Message(1), Result: blaise.MessageAnswered, Text: "a private matter",
	})
	h.report(run, blaise.Event{Kind: blaise.EventRunFailed, Reason: "a private matter"})
	want := []blaise.NewsKind{
		blaise.NewsQuestionAnswered, blaise.NewsQuestionOpened, blaise.NewsSessionCreated, blaise.NewsSessionEnded,
		blaise.NewsSessionState, blaise.NewsSessionState, blaise.NewsSessionState, blaise.NewsSessionState,
		blaise.NewsTurnFinished,
	}
	h.eventually(func() bool { return len(all.kinds()) == len(want) && len(some.kinds()) == 2 })
	if got := all.kinds(); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	for _, l := range all.letters() {
		if l.Data.Session != id || l.Data.URL != "https://blaise.example.org/sessions/"+string(id) {
			t.Errorf("told %s", l.raw)
		}
		if strings.Contains(l.raw, "private matter") {
			t.Errorf("what was said is told: %s", l.raw)
		}
		switch q := l.Data.Question; l.Type {
		case blaise.NewsQuestionOpened:
			if q.Title != "Which colour?" || q.State != blaise.QuestionOpen || l.Data.State != blaise.SessionParked {
				t.Errorf("told %s", l.raw)
			}
		case blaise.NewsQuestionAnswered:
			if q.By != "bob" || q.Choice != "decline" {
				t.Errorf("told %s", l.raw)
			}
		case blaise.NewsTurnFinished:
			if l.Data.Turn.Message != id.Message(1) || l.Data.Turn.Result != blaise.MessageAnswered {
				t.Errorf("told %s", l.raw)
			}
		}
	}
}

func (h *house) eventually(done func() bool) {
	h.t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatal("it never came")
		}
	}
}

// A webhook that fails is told the same again, later and later, until it takes
// it; each attempt is listed.
func TestWebhookIsToldAgain(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	r := h.receiver(blaise.NewsSessionCreated)
	r.answer(http.StatusInternalServerError)
	h.start("hello")
	for n, wait := range []time.Duration{0, 7 * time.Second, 7 * time.Minute, 40 * time.Minute} {
		w.step(wait)
		h.deliver()
		h.deliver() // nothing more is due
		if got := len(r.letters()); got != n+1 {
			t.Fatalf("%d letters after try %d", got, n+1)
		}
	}
	if h.webhook(r).FailingSince.IsZero() {
		t.Error("it does not say that it fails")
	}
	r.answer(http.StatusOK)
	w.step(3 * time.Hour)
	h.deliver()
	d, letters := h.delivery(r), r.letters()
	if d.DeliveredAt.IsZero() || !d.DueAt.IsZero() || len(d.Attempts) != 5 ||
		d.Attempts[3].Status != 500 || d.Attempts[4].Status != 200 || d.Attempts[4].Took == 0 {
		t.Errorf("delivery %+v", d)
	}
	for _, l := range letters {
		if l.ID != string(d.ID) || l.raw != letters[0].raw {
			t.Errorf("told %s, then %+v", letters[0].raw, l)
		}
	}
	if !h.webhook(r).FailingSince.IsZero() {
		t.Error("it fails still")
	}
}

// A delivery that nobody takes is given up; a webhook that takes nothing for
// days is disabled, says why, and is told again when a person has enabled it.
func TestWebhookIsDisabled(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	r, gone, well := h.receiver(blaise.NewsSessionCreated), h.receiver(blaise.NewsSessionCreated), h.receiver(blaise.NewsSessionCreated)
	r.answer(http.StatusBadGateway)
	gone.answer(http.StatusGone)
	h.start("hello")
	for range 4 * 24 { // more than all tries take
		h.deliver()
		w.step(time.Hour)
	}
	if d := h.delivery(r); d.Tries != 10 || !d.DueAt.IsZero() || len(r.letters()) != 10 {
		t.Errorf("tried %d times, sent %d: %+v", d.Tries, len(r.letters()), d)
	}
	if got := h.webhook(gone); got.DisabledWhy != "it answered 410 Gone" || len(gone.letters()) != 1 {
		t.Errorf("gone: %+v after %d letters", got, len(gone.letters()))
	}
	h.start("hello again")
	w.step(2 * 24 * time.Hour)
	h.deliver()
	got := h.webhook(r)
	if got.DisabledAt.IsZero() || !strings.Contains(got.DisabledWhy, "no attempt has succeeded since 2030-01-01") {
		t.Fatalf("after six days: %+v", got)
	}
	if d := h.delivery(r); !d.DueAt.IsZero() {
		t.Errorf("it is still due at %s", d.DueAt)
	}
	h.start("to nobody")
	err := h.Redeliver(t.Context(), "ann", h.delivery(r).ID)
	if blaise.CodeOf(err) != blaise.CodeRefused || !strings.Contains(err.Error(), "is disabled: no attempt") {
		t.Errorf("redeliver to a disabled one: %v", err)
	}
	r.answer(http.StatusOK)
	if err := h.EnableWebhook(t.Context(), "ann", r.id); err != nil {
		t.Fatal(err)
	}
	before := len(r.letters())
	h.start("welcome back")
	h.deliver()
	if n := len(r.letters()) - before; n != 1 {
		t.Errorf("told %d things since it was enabled, want 1", n)
	}
	if n := len(well.letters()); n != 4 {
		t.Errorf("another was told %d things, want 4", n)
	}
}

// What was delivered is sent again when a person asks, under the same id.
func TestWebhookRedeliver(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	r := h.receiver(blaise.NewsSessionCreated)
	h.start("hello")
	h.deliver()
	if err := h.Redeliver(t.Context(), "ann", h.delivery(r).ID); err != nil {
		t.Fatal(err)
	}
	h.deliver()
	if l := r.letters(); len(l) != 2 || l[0].ID != l[1].ID || len(h.delivery(r).Attempts) != 2 {
		t.Errorf("got %+v", l)
	}
	if err := h.Redeliver(t.Context(), "ann", "msg_0"); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("got %v", err)
	}
}

// Blaise dies between an attempt and its line in the log: it is sent again under
// the same id, and the log says what happened. What nobody has claimed is sent
// by the next process.
func TestWebhookRestartDuringAnAttempt(t *testing.T) {
	t.Parallel()
	w := newWall()
	h := newHouseAt(t, manifest, w.now)
	r := h.receiver(blaise.NewsSessionCreated)
	h.start("hello")
	h.reopen()
	h.deliver()
	d := h.delivery(r)
	d.DeliveredAt, d.DueAt, d.Attempts[0].Status = time.Time{}, w.now().Add(time.Minute), 0 // as it was then
	if err := h.db.Tx(t.Context(), func(tx *store.Tx) error { return tx.PutDelivery(d) }); err != nil {
		t.Fatal(err)
	}
	h.reopen()
	h.deliver()
	if n := len(r.letters()); n != 1 {
		t.Fatalf("%d letters while another may be sending", n)
	}
	w.step(61 * time.Second)
	h.deliver()
	d = h.delivery(r)
	if l := r.letters(); len(l) != 2 || l[0].ID != l[1].ID {
		t.Errorf("letters %+v", l)
	}
	if len(d.Attempts) != 2 || d.Attempts[0].Error != "Blaise ended before it wrote down an answer" || d.DeliveredAt.IsZero() {
		t.Errorf("delivery %+v", d)
	}
}

// What the gate settles is put to nobody, and so no news; a question whose run
// dies has expired; an environment that nobody can tear down is told.
func TestWebhookNewsOfAttention(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	r := h.receiver(blaise.NewsQuestionOpened, blaise.NewsQuestionAnswered, blaise.NewsQuestionExpired)
	id := h.start("hello")
	run := h.take(id)
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	if _, err := h.Claim(t.Context(), run, id.Message(1)); err != nil {
		t.Fatal(err)
	}
	options := []blaise.Option{{ID: "y", Kind: "allow_once"}, {ID: "n", Kind: "reject_once"}}
	for _, tool := range []string{"read", "execute"} {
		h.report(run, blaise.Event{Kind: blaise.EventQuestionAsked, Key: tool, Ask: &blaise.Question{
			Kind: blaise.QuestionPermission, Title: tool, Options: options, Asks: &blaise.Action{Tool: tool},
		}})
	}
	h.report(run, blaise.Event{Kind: blaise.EventRunFailed, Reason: "broken"})
	h.deliver()
	if got := r.kinds(); !slices.Equal(got, []blaise.NewsKind{blaise.NewsQuestionExpired, blaise.NewsQuestionOpened}) {
		t.Errorf("told %q", got)
	}
	for _, l := range r.letters() {
		if l.Data.Question.Title != "execute" {
			t.Errorf("told %s", l.raw)
		}
	}
}

func TestWebhookMistakes(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	for _, c := range []struct{ url, event, want string }{
		{"https://example.org", "session.end", `no event is called "session.end"; did you mean "session.ended"?`},
		{"example.org", "", "it is no https:// address"},
		{"https://a:b@example.org", "", "would stand in every list"},
	} {
		n := control.NewWebhook{URL: c.url}
		if c.event != "" {
			n.Events = []string{c.event}
		}
		_, _, err := h.CreateWebhook(t.Context(), "ann", n)
		if blaise.CodeOf(err) != blaise.CodeInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
	for _, err := range []error{
		h.DeleteWebhook(t.Context(), "ann", "wh_0"), h.EnableWebhook(t.Context(), "ann", "wh_0"),
	} {
		if blaise.CodeOf(err) != blaise.CodeNotFound {
			t.Errorf("got %v", err)
		}
	}
	if _, err := h.Deliveries(t.Context(), "wh_0", "", 1); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("got %v", err)
	}
}
