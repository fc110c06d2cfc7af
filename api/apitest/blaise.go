// Package apitest plays Blaise over real HTTP, as package api has it, for one
// runner with one run at a time. It decides nothing: the test says what it
// answers, and looks at what came. The tests of daemon and run call it.
package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// What a runner and a run show to be let in.
const (
	RunnerToken = "the-runner-token"
	LeaseToken  = "the-lease-token"
)

// A Blaise is what a runner and its runs talk with. The test changes its fields
// before anything calls, or within Set, and reads them within Set or Await.
type Blaise struct {
	URL string

	t      *testing.T
	server *httptest.Server
	taking sync.Mutex // one outbox at a time

	mu      sync.Mutex // guards what follows
	changed chan struct{}

	Down      bool             // answers nothing
	Stale     bool             // the lease is
	Lease     api.Lease        // of the run to offer
	Offer     bool             // the run is offered
	Taken     bool             // the run, by another instance
	Refuse    bool             // takes no more of the record
	Withdrawn blaise.MessageID // refuses to give this one away
	Lose      map[blaise.EventKind]int
	OnAccept  func() // called once, before an accept is answered
	OnBeat    func() // called once, before a beat is answered
	OnConnect func() // called within Set
	// Verdict answers a report, which is asked for once. It may wait, and call Set.
	Verdict func(api.Report) api.Answer

	Hellos   []api.Hello
	Goodbyes []api.Goodbye
	Waits    []time.Duration // of the polls for offers
	Nonces   []string
	Dead     []api.RunEnd
	Unborn   []api.RunEnd
	Connects int
	Beats    int
	Received map[int64]bool // directives
	Claims   []blaise.MessageID
	Events   []transcript.Event
	Reports  []api.Report

	directives []blaise.Directive
	acked      int64 // of the outbox of the run
	answers    map[int64]json.RawMessage
	files      map[string][]byte // by their SHA-256
}

// Start starts a Blaise that ends with the test. It offers nothing yet, and
// has a run that paused exit.
func Start(t *testing.T) *Blaise {
	t.Helper()
	b := &Blaise{
		t: t, changed: make(chan struct{}), Lease: Lease(blaise.RunStart, 1),
		Lose: map[blaise.EventKind]int{}, Received: map[int64]bool{},
		Verdict: Verdicts(blaise.VerdictExit),
		answers: map[int64]json.RawMessage{}, files: map[string][]byte{},
	}
	mux := http.NewServeMux()
	b.runnerRoutes(mux)
	b.runRoutes(mux)
	b.server = httptest.NewServer(b.door(mux))
	b.URL = b.server.URL
	t.Cleanup(func() {
		b.CutOff()
		b.server.Close()
	})
	return b
}

// door lets those in who show a token that holds.
func (b *Blaise) door(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		b.mu.Lock()
		down, stale := b.Down, b.Stale
		b.mu.Unlock()
		switch {
		case down:
			w.WriteHeader(http.StatusServiceUnavailable)
		case stale && auth == "Bearer "+LeaseToken:
			refuse(w, http.StatusConflict, blaise.CodeStale)
		case auth != "Bearer "+RunnerToken && auth != "Bearer "+LeaseToken:
			refuse(w, http.StatusUnauthorized, blaise.CodeDenied)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// CutOff closes all connections that are open.
func (b *Blaise) CutOff() { b.server.CloseClientConnections() }

// Set changes or reads something, and wakes who waits.
func (b *Blaise) Set(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
	close(b.changed)
	b.changed = make(chan struct{})
}

// Await waits until f says true, which is called within the lock of Set. Else
// the test fails with all that came.
func (b *Blaise) Await(what string, f func() bool) {
	b.t.Helper()
	limit := time.After(30 * time.Second)
	for {
		b.mu.Lock()
		ok, changed := f(), b.changed
		b.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-limit:
			b.mu.Lock()
			defer b.mu.Unlock()
			b.t.Fatalf("no %s; nonces %v, connects %d, dead %v, unborn %v\nreports: %s\nevents: %s",
				what, b.Nonces, b.Connects, b.Dead, b.Unborn, Dump(b.Reports), Dump(b.Events))
		}
	}
}

// Dump is a value for a person to read in the words of a failed test.
func Dump(v any) string {
	text, _ := json.MarshalIndent(v, "", " ")
	return string(text)
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // who asked is gone: nobody to tell
}

func refuse(w http.ResponseWriter, status int, code blaise.Code) {
	w.Header().Set("Content-Type", api.ProblemType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(api.Problem{Status: status, Code: code, Detail: string(code)})
}
