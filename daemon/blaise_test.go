package daemon_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

const token = "the-runner-token"

// A control plays Blaise for one runner with at most one run, over real HTTP.
type control struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex // guards what follows
	changed  chan struct{}
	down     bool
	stale    bool // the lease is
	beats    int
	offer    bool // the run is offered
	taken    bool // the run, by another instance
	nonces   []string
	waits    []time.Duration // of the polls for offers
	onAccept func()          // called before the accept is answered
	onBeat   func()          // called once, before a beat is answered

	onConnect func() // called, locked, when a run connects
	lease     api.Lease
	hellos    []api.Hello
	connects  int
	dead      []api.RunEnd
	unborn    []api.RunEnd
	stop      bool // a stop that may resume was issued
	got       bool // and received
	acked     int64
	answers   map[int64]json.RawMessage
	reports   []api.Report
	events    int64
}

func newControl(t *testing.T) *control {
	c := &control{t: t, changed: make(chan struct{}), answers: map[int64]json.RawMessage{}}
	c.lease = api.Lease{
		Run: "stestone.1", Session: "stestone", Environment: "stestone", Kind: blaise.RunStart,
		Attempt: 1, Agent: "demo", Token: "lease-token", Clean: true, NextSave: 1,
		Beat: 200 * time.Millisecond, Misses: 200,
		Limits: blaise.Limits{
			AgentStart: 20 * time.Second, Load: 20 * time.Second, Open: 20 * time.Second,
			Hook: 20 * time.Second, StopGrace: time.Second,
		},
		OnContextLoss: blaise.ReactContinue,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/runner/hello", c.hello)
	mux.HandleFunc("GET /api/runner/offers", c.offers)
	mux.HandleFunc("POST /api/runner/runs/{run}/accept", c.accept)
	mux.HandleFunc("POST /api/runner/runs/{run}/dead", c.ended(&c.dead))
	mux.HandleFunc("POST /api/runner/runs/{run}/spawn-failed", c.ended(&c.unborn))
	mux.HandleFunc("POST /api/run/connect", c.connect)
	mux.HandleFunc("POST /api/run/beat", c.beat)
	mux.HandleFunc("GET /api/run/directives/stream", c.stream)
	mux.HandleFunc("POST /api/run/directives/{n}/received", c.receipt)
	mux.HandleFunc("POST /api/run/outbox", c.outbox)
	mux.HandleFunc("GET /api/run/plugs/{p}/state", c.state)
	c.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		c.mu.Lock()
		down, stale := c.down, c.stale
		c.mu.Unlock()
		switch {
		case down:
			w.WriteHeader(http.StatusServiceUnavailable)
		case stale && auth == "Bearer lease-token":
			refuse(w, http.StatusConflict, blaise.CodeStale, "stop now")
		case auth != "Bearer "+token && auth != "Bearer lease-token":
			refuse(w, http.StatusUnauthorized, blaise.CodeDenied, "this token is not known")
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

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

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
			c.t.Fatalf("no %s; nonces %v, connects %d, dead %v, unborn %v, reports %v",
				what, c.nonces, c.connects, c.dead, c.unborn, c.reports)
		}
	}
}

func (c *control) reported(kind blaise.EventKind) {
	c.t.Helper()
	c.await("report "+string(kind), func() bool { return c.has(kind) })
}

func (c *control) has(kind blaise.EventKind) bool {
	for _, r := range c.reports {
		if r.Event == kind {
			return true
		}
	}
	return false
}

func (c *control) hello(w http.ResponseWriter, r *http.Request) {
	var h api.Hello
	_ = json.NewDecoder(r.Body).Decode(&h)
	c.set(func() { c.hellos = append(c.hellos, h) })
	reply(w, api.Welcome{Name: "tester", Time: time.Now(), Protocol: api.Protocol})
}

func (c *control) offers(w http.ResponseWriter, r *http.Request) {
	wait, _ := time.ParseDuration(r.URL.Query().Get("wait"))
	limit := time.After(wait)
	c.set(func() { c.waits = append(c.waits, wait) })
	for {
		c.mu.Lock()
		offer, changed := c.offer, c.changed
		c.mu.Unlock()
		if offer {
			reply(w, api.Offers{Offers: []api.Offer{{Run: c.lease.Run, Session: c.lease.Session,
				Kind: c.lease.Kind, Agent: c.lease.Agent}}})
			return
		}
		select {
		case <-changed:
		case <-limit:
			reply(w, api.Offers{})
			return
		case <-r.Context().Done():
			return
		}
	}
}

func refuse(w http.ResponseWriter, status int, code blaise.Code, detail string) {
	w.Header().Set("Content-Type", api.ProblemType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(api.Problem{Code: code, Detail: detail})
}

func (c *control) accept(w http.ResponseWriter, r *http.Request) {
	var a api.Accept
	_ = json.NewDecoder(r.Body).Decode(&a)
	var before func()
	taken := false
	c.set(func() {
		c.nonces = append(c.nonces, a.Nonce)
		c.offer, taken = false, c.taken
		before, c.onAccept = c.onAccept, nil
	})
	if before != nil {
		before()
	}
	if taken {
		refuse(w, http.StatusConflict, blaise.CodeRefused, "another instance has it")
		return
	}
	reply(w, c.lease)
}

func (c *control) ended(list *[]api.RunEnd) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var e api.RunEnd
		_ = json.NewDecoder(r.Body).Decode(&e)
		c.set(func() { *list = append(*list, e) })
		reply(w, struct{}{})
	}
}

func (c *control) connect(w http.ResponseWriter, _ *http.Request) {
	c.set(func() {
		c.connects++
		if c.onConnect != nil {
			c.onConnect()
		}
	})
	reply(w, api.Connected{Time: time.Now()})
}

func (c *control) beat(w http.ResponseWriter, _ *http.Request) {
	before := func() {}
	c.set(func() {
		c.beats++
		if c.onBeat != nil {
			before, c.onBeat = c.onBeat, nil
		}
	})
	before()
	reply(w, api.Beaten{Time: time.Now()})
}

func (c *control) state(w http.ResponseWriter, _ *http.Request) { reply(w, api.PlugState{}) }

func (c *control) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		c.mu.Lock()
		var d api.Directives
		if c.stop && !c.got {
			d.Directives = []blaise.Directive{{N: 1, Kind: blaise.DirectiveStop,
				Stop: &blaise.Stop{Reason: "a test says so", MayResume: true}}}
		}
		changed := c.changed
		c.mu.Unlock()
		b, _ := json.Marshal(d)
		fmt.Fprintf(w, "event: directives\ndata: %s\n\n", b)
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (c *control) receipt(w http.ResponseWriter, r *http.Request) {
	if n, _ := strconv.Atoi(r.PathValue("n")); n == 1 {
		c.set(func() { c.got = true })
	}
	reply(w, api.Received{Verdict: blaise.VerdictGo})
}

func (c *control) outbox(w http.ResponseWriter, r *http.Request) {
	var in api.Outbox
	_ = json.NewDecoder(r.Body).Decode(&in)
	receipt := transcript.Receipt{Answers: map[int64]json.RawMessage{}}
	c.set(func() {
		for _, e := range in.Entries {
			c.take(e)
			receipt.Acked = c.acked
			if a, ok := c.answers[e.N]; ok {
				receipt.Answers[e.N] = a
			}
		}
	})
	reply(w, receipt)
}

func (c *control) take(e transcript.Entry) {
	if e.N <= c.acked {
		return
	}
	c.acked = e.N
	if e.Kind == transcript.EntryEvent {
		c.events++
		return
	}
	var rep api.Report
	_ = json.Unmarshal(e.Data, &rep)
	c.reports = append(c.reports, rep)
	verdict := blaise.VerdictDone
	if rep.Event == blaise.EventPauseReported {
		verdict = blaise.VerdictExit
	}
	c.answers[e.N], _ = json.Marshal(api.Answer{Verdict: verdict})
}
