package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

func (b *Blaise) runRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/run/connect", b.connect)
	mux.HandleFunc("POST /api/run/beat", b.beat)
	mux.HandleFunc("GET /api/run/directives", b.poll)
	mux.HandleFunc("GET /api/run/directives/stream", b.stream)
	mux.HandleFunc("POST /api/run/directives/{n}/received", b.receipt)
	mux.HandleFunc("POST /api/run/outbox", b.outbox)
	mux.HandleFunc("POST /api/run/messages/{m}/claim", b.claim)
	mux.HandleFunc("GET /api/run/plugs/{p}/state", b.plugState)
	mux.HandleFunc("GET /api/run/files/{sha256}", b.file)
}

// pending are the directives after one that the run has not received.
func (b *Blaise) pending(after int64) (d api.Directives) {
	for _, x := range b.directives {
		if x.N > after && !b.Received[x.N] {
			d.Directives = append(d.Directives, x)
		}
	}
	return d
}

func (b *Blaise) connect(w http.ResponseWriter, _ *http.Request) {
	c := api.Connected{Time: time.Now()}
	b.Set(func() {
		b.Connects++
		if b.OnConnect != nil {
			b.OnConnect()
		}
		c.Directives = b.pending(0).Directives
	})
	reply(w, c)
}

func (b *Blaise) beat(w http.ResponseWriter, _ *http.Request) {
	before, told := func() {}, int64(0)
	b.Set(func() {
		b.Beats++
		told = int64(len(b.directives))
		if b.OnBeat != nil {
			before, b.OnBeat = b.OnBeat, nil
		}
	})
	before()
	reply(w, api.Beaten{Directive: told, Time: time.Now()})
}

func (b *Blaise) poll(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	b.mu.Lock()
	d := b.pending(after)
	b.mu.Unlock()
	reply(w, d)
}

func (b *Blaise) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for sent := int64(0); ; {
		b.mu.Lock()
		d, changed := b.pending(sent), b.changed
		b.mu.Unlock()
		text, _ := json.Marshal(d)
		fmt.Fprintf(w, "event: directives\ndata: %s\n\n", text)
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

func (b *Blaise) receipt(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.ParseInt(r.PathValue("n"), 10, 64)
	b.Set(func() { b.Received[n] = true })
	reply(w, api.Received{Verdict: blaise.VerdictGo})
}

func (b *Blaise) claim(w http.ResponseWriter, r *http.Request) {
	m, turn := blaise.MessageID(r.PathValue("m")), 0
	b.Set(func() {
		if m != b.Withdrawn {
			b.Claims = append(b.Claims, m)
			turn = len(b.Claims)
		}
	})
	if turn == 0 {
		refuse(w, http.StatusConflict, blaise.CodeRefused)
		return
	}
	reply(w, api.Claimed{Turn: turn})
}

func (b *Blaise) plugState(w http.ResponseWriter, _ *http.Request) { reply(w, api.PlugState{}) }

func (b *Blaise) file(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	data, ok := b.files[r.PathValue("sha256")]
	b.mu.Unlock()
	if !ok {
		refuse(w, http.StatusNotFound, blaise.CodeNotFound)
		return
	}
	_, _ = w.Write(data)
}
