package apitest

import (
	"encoding/json"
	"net/http"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// Lease is the lease of the nth run of a session, with limits that leave time.
func Lease(kind blaise.RunKind, n int) api.Lease {
	return api.Lease{
		Run: blaise.SessionID("stestone").Run(n), Session: "stestone", Environment: "stestone",
		Kind: kind, Attempt: n, Agent: "demo", Token: LeaseToken,
		Beat: 200 * time.Millisecond, Misses: 200,
		Limits: blaise.Limits{
			AgentStart: 20 * time.Second, Load: 20 * time.Second, Open: 20 * time.Second,
			Hook: 20 * time.Second, StopGrace: 2 * time.Second,
		},
		OnContextLoss: blaise.ReactContinue, NextSave: 1, Clean: true,
	}
}

func (b *Blaise) runnerRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/runner/hello", b.hello)
	mux.HandleFunc("POST /api/runner/goodbye", b.goodbye)
	mux.HandleFunc("GET /api/runner/offers", b.offers)
	mux.HandleFunc("POST /api/runner/runs/{run}/accept", b.accept)
	mux.HandleFunc("POST /api/runner/runs/{run}/dead", b.ended(&b.Dead))
	mux.HandleFunc("POST /api/runner/runs/{run}/spawn-failed", b.ended(&b.Unborn))
}

func (b *Blaise) hello(w http.ResponseWriter, r *http.Request) {
	var h api.Hello
	_ = json.NewDecoder(r.Body).Decode(&h)
	b.Set(func() { b.Hellos = append(b.Hellos, h) })
	reply(w, api.Welcome{Name: "tester", Time: time.Now(), Protocol: api.Protocol})
}

func (b *Blaise) goodbye(w http.ResponseWriter, r *http.Request) {
	var g api.Goodbye
	_ = json.NewDecoder(r.Body).Decode(&g)
	b.Set(func() { b.Goodbyes = append(b.Goodbyes, g) })
	w.WriteHeader(http.StatusNoContent)
}

func (b *Blaise) offers(w http.ResponseWriter, r *http.Request) {
	wait, _ := time.ParseDuration(r.URL.Query().Get("wait"))
	limit := time.After(wait)
	b.Set(func() { b.Waits = append(b.Waits, wait) })
	for {
		b.mu.Lock()
		offer, l, changed := b.Offer, b.Lease, b.changed
		b.mu.Unlock()
		if offer {
			reply(w, api.Offers{Offers: []api.Offer{{Run: l.Run, Session: l.Session, Kind: l.Kind, Agent: l.Agent}}})
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

// accept gives the run away; what it will put into its outbox is numbered anew.
func (b *Blaise) accept(w http.ResponseWriter, r *http.Request) {
	var a api.Accept
	_ = json.NewDecoder(r.Body).Decode(&a)
	before, taken, l := func() {}, false, api.Lease{}
	b.Set(func() {
		b.Nonces = append(b.Nonces, a.Nonce)
		b.Offer, taken, l = false, b.Taken, b.Lease
		b.acked = 0
		clear(b.answers)
		if b.OnAccept != nil {
			before, b.OnAccept = b.OnAccept, nil
		}
	})
	before()
	if taken {
		refuse(w, http.StatusConflict, blaise.CodeRefused)
		return
	}
	reply(w, l)
}

func (b *Blaise) ended(list *[]api.RunEnd) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var e api.RunEnd
		_ = json.NewDecoder(r.Body).Decode(&e)
		b.Set(func() { *list = append(*list, e) })
		reply(w, struct{}{})
	}
}
