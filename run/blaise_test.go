package run_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// A control plays Blaise for one run, over real HTTP. It decides nothing: the
// test says what it answers.
type control struct {
	t      *testing.T
	server *httptest.Server

	mu         sync.Mutex // guards what follows
	changed    chan struct{}
	stale      bool
	down       bool
	refuse     bool             // takes no more of the record
	withdrawn  blaise.MessageID // refuses to give this one away
	directives []blaise.Directive
	received   map[int64]bool
	void       map[int64]bool
	claims     []blaise.MessageID
	acked      int64
	events     []transcript.Event
	reports    []api.Report
	answers    map[int64]json.RawMessage
	states     map[string][]byte
	files      map[string][]byte        // by their SHA-256
	lose       map[blaise.EventKind]int // answers to lose on the way
	beats      int
	// verdict answers a report.
	verdict func(api.Report) api.Answer
}

func newControl(t *testing.T) *control {
	c := &control{
		t: t, changed: make(chan struct{}),
		received: map[int64]bool{}, void: map[int64]bool{},
		answers: map[int64]json.RawMessage{}, states: map[string][]byte{},
		lose:    map[blaise.EventKind]int{},
		verdict: func(api.Report) api.Answer { return api.Answer{Verdict: blaise.VerdictDone} },
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/run/connect", c.connect)
	mux.HandleFunc("POST /api/run/beat", c.beat)
	mux.HandleFunc("GET /api/run/directives", c.poll)
	mux.HandleFunc("GET /api/run/directives/stream", c.stream)
	mux.HandleFunc("POST /api/run/directives/{n}/received", c.receipt)
	mux.HandleFunc("POST /api/run/outbox", c.outbox)
	mux.HandleFunc("POST /api/run/messages/{m}/claim", c.claim)
	mux.HandleFunc("GET /api/run/plugs/{p}/state", c.plugState)
	mux.HandleFunc("GET /api/run/files/{sha256}", c.file)
	c.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		stale, down := c.stale, c.down
		c.mu.Unlock()
		switch {
		case down:
			w.WriteHeader(http.StatusServiceUnavailable)
		case stale:
			problem(w, http.StatusConflict, blaise.CodeStale)
		default:
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		c.server.CloseClientConnections()
		c.server.Close()
	})
	return c
}

func problem(w http.ResponseWriter, status int, code blaise.Code) {
	w.Header().Set("Content-Type", api.ProblemType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(api.Problem{Status: status, Code: code, Detail: string(code)})
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// set changes something under the lock and wakes who waits.
func (c *control) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

// await waits until f, under the lock, says true.
func (c *control) await(what string, f func() bool) {
	c.t.Helper()
	limit := time.After(30 * time.Second)
	for {
		c.mu.Lock()
		ok, changed := f(), c.changed
		c.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-limit:
			c.mu.Lock()
			defer c.mu.Unlock()
			c.t.Fatalf("no %s; reports: %s\nevents: %s", what, dump(c.reports), dump(c.events))
		}
	}
}

func dump(v any) string {
	b, _ := json.MarshalIndent(v, "", " ")
	return string(b)
}

func (c *control) report(kind blaise.EventKind) api.Report { return c.reportN(kind, 1) }

// reportN waits for the nth report of a kind.
func (c *control) reportN(kind blaise.EventKind, n int) (found api.Report) {
	c.t.Helper()
	c.await(fmt.Sprintf("report %s, %d", kind, n), func() bool {
		left := n
		for _, r := range c.reports {
			if r.Event == kind {
				if left--; left == 0 {
					found = r
					return true
				}
			}
		}
		return false
	})
	return found
}

// kinds are the reports in their order, without those of the plugs.
func (c *control) kinds() []blaise.EventKind {
	c.mu.Lock()
	defer c.mu.Unlock()
	var kinds []blaise.EventKind
	for _, r := range c.reports {
		switch r.Event {
		case blaise.EventPlugRecorded, blaise.EventResourceIntended, blaise.EventResourceGone,
			api.EventConfigKept, api.EventStateSaved, api.EventStatusTold, blaise.EventWorkSaved:
		default:
			kinds = append(kinds, r.Event)
		}
	}
	return kinds
}

func (c *control) event(what string, f func(transcript.Event) bool) (found transcript.Event) {
	c.t.Helper()
	c.await("event "+what, func() bool {
		for _, e := range c.events {
			if f(e) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

func (c *control) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, e := range c.events {
		b.WriteString(string(e.Kind) + " " + string(e.Data) + "\n")
	}
	return b.String()
}

func (c *control) tell(d blaise.Directive) int64 {
	c.set(func() {
		d.N = int64(len(c.directives) + 1)
		c.directives = append(c.directives, d)
	})
	return d.N
}

func (c *control) prompt(m blaise.MessageID, text string) {
	c.tell(blaise.Directive{Kind: blaise.DirectivePrompt, Message: m, Text: text})
}

func (c *control) stop(mayResume bool) int64 {
	return c.tell(blaise.Directive{Kind: blaise.DirectiveStop,
		Stop: &blaise.Stop{Reason: "a test says so", MayResume: mayResume, By: "test"}})
}

func (c *control) allow(q *blaise.Question) {
	for _, o := range q.Options {
		if o.Kind == "allow_once" {
			c.tell(blaise.Directive{Kind: blaise.DirectiveAnswer, Key: q.Key, Choice: o.ID})
			return
		}
	}
	c.t.Errorf("nothing to allow in %s", dump(q))
}

func (c *control) pending(after int64) (d api.Directives) {
	for _, x := range c.directives {
		if x.N > after && !c.received[x.N] && !c.void[x.N] {
			d.Directives = append(d.Directives, x)
		}
	}
	for n := range c.void {
		d.Void = append(d.Void, n)
	}
	return d
}

func (c *control) connect(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	reply(w, api.Connected{Directives: c.pending(0).Directives, Time: time.Now()})
}

func (c *control) beat(w http.ResponseWriter, _ *http.Request) {
	c.set(func() { c.beats++ })
	c.mu.Lock()
	defer c.mu.Unlock()
	reply(w, api.Beaten{Directive: int64(len(c.directives)), Time: time.Now()})
}

func (c *control) poll(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	c.mu.Lock()
	defer c.mu.Unlock()
	reply(w, c.pending(after))
}

func (c *control) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for sent := int64(0); ; {
		c.mu.Lock()
		d, changed := c.pending(sent), c.changed
		c.mu.Unlock()
		b, _ := json.Marshal(d)
		fmt.Fprintf(w, "event: directives\ndata: %s\n\n", b)
		w.(http.Flusher).Flush()
		for _, x := range d.Directives {
			sent = x.N
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (c *control) receipt(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.ParseInt(r.PathValue("n"), 10, 64)
	verdict := blaise.VerdictGo
	c.set(func() {
		if c.void[n] {
			verdict = blaise.VerdictVoid
			return
		}
		c.received[n] = true
	})
	reply(w, api.Received{Verdict: verdict})
}

func (c *control) claim(w http.ResponseWriter, r *http.Request) {
	if blaise.MessageID(r.PathValue("m")) == c.withdrawn {
		problem(w, http.StatusConflict, blaise.CodeRefused)
		return
	}
	c.set(func() { c.claims = append(c.claims, blaise.MessageID(r.PathValue("m"))) })
	reply(w, api.Claimed{Turn: len(c.claims)})
}

func (c *control) plugState(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	reply(w, api.PlugState{State: c.states[r.PathValue("p")]})
}

// outbox keeps entries once and gives the same answer to the same report.
func (c *control) outbox(w http.ResponseWriter, r *http.Request) {
	var in api.Outbox
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		problem(w, http.StatusBadRequest, blaise.CodeInvalid)
		return
	}
	c.mu.Lock()
	refuse := c.refuse
	c.mu.Unlock()
	if refuse {
		problem(w, http.StatusConflict, blaise.CodeRefused)
		return
	}
	receipt := transcript.Receipt{Answers: map[int64]json.RawMessage{}}
	lost := false
	c.set(func() {
		for _, e := range in.Entries {
			lost = c.take(e) || lost
			receipt.Acked = c.acked
			if a, ok := c.answers[e.N]; ok {
				receipt.Answers[e.N] = a
			}
		}
	})
	if lost {
		panic(http.ErrAbortHandler) // the answer is lost on the way
	}
	reply(w, receipt)
}

func (c *control) take(e transcript.Entry) (lost bool) {
	var rep api.Report
	if e.Kind == transcript.EntryReport {
		_ = json.Unmarshal(e.Data, &rep)
		if c.lose[rep.Event] > 0 {
			c.lose[rep.Event]--
			lost = true
		}
	}
	if e.N <= c.acked {
		return lost
	}
	c.acked = e.N
	if e.Kind == transcript.EntryReport {
		c.reports = append(c.reports, rep)
		c.answers[e.N], _ = json.Marshal(c.verdict(rep))
		return lost
	}
	var ev transcript.Event
	if json.Unmarshal(e.Data, &ev) == nil {
		c.events = append(c.events, ev)
	}
	return lost
}
