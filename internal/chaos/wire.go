package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"blaise.dev/blaise"
)

// A wire is the line between the runner and Blaise: a proxy on loopback that
// loses, delays and doubles what it carries. It is safe for concurrent use.
type wire struct {
	w      *world
	target string
	ln     net.Listener
	server *http.Server
	client *http.Client

	mu     sync.Mutex // guards what follows
	chance *rand.Rand
	runs   map[string]blaise.RunID // by lease token
	cuts   map[blaise.SessionID]time.Time
}

func openWire(w *world, target string) (*wire, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &wire{w: w, target: target, ln: ln, chance: rand.New(rand.NewPCG(w.o.seed, 1<<40)),
		runs: map[string]blaise.RunID{}, cuts: map[blaise.SessionID]time.Time{}}
	p.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	p.server = &http.Server{Handler: p}
	go func() { _ = p.server.Serve(ln) }() // until close
	return p, nil
}

func (p *wire) url() string { return "http://" + p.ln.Addr().String() }

func (p *wire) close() { _ = p.server.Close() }

// cut lets nothing of the session's runs through for a while.
func (p *wire) cut(id blaise.SessionID, length time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts[id] = time.Now().Add(length)
}

// What happens to a request.
const (
	wireNothing   = ""
	wireDropped   = "dropped"        // never carried
	wireDelayed   = "delayed"        // so that others overtake it
	wireDoubled   = "doubled"        // carried twice, one after the other
	wireEcho      = "again, late"    // and once more when it is long answered
	wireUnheard   = "answer lost"    // carried out, and nobody hears
	wireBrokenOff = "stream cut off" // in the middle
)

func (p *wire) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	run, cut := p.of(r)
	if cut {
		panic(http.ErrAbortHandler)
	}
	what, delay := p.choose(r)
	if what != wireNothing {
		p.w.f.count("wire: "+what, 1)
		if run != "" {
			p.w.diary.write(0, "WIRE %s: %s %s of %s (%s)", what, r.Method, r.URL.Path, run, delay)
		}
	}
	switch what {
	case wireDropped:
		panic(http.ErrAbortHandler)
	case wireDelayed:
		time.Sleep(delay)
	case wireDoubled:
		p.discard(r, body, run)
	case wireEcho:
		defer time.AfterFunc(delay, func() { p.discard(r, body, run) })
	}
	resp, err := p.carry(r, body, run)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	if what == wireUnheard {
		panic(http.ErrAbortHandler)
	}
	p.answer(w, r, resp, what == wireBrokenOff, delay)
}

// of says whose request it is, and whether that run is cut off.
func (p *wire) of(r *http.Request) (blaise.RunID, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	run := p.runs[r.Header.Get("Authorization")]
	return run, run != "" && time.Now().Before(p.cuts[run.Session()])
}

func (p *wire) choose(r *http.Request) (string, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.w.o.faults[faultWire] || p.chance.Float64() > p.w.o.odds {
		return wireNothing, 0
	}
	delay := time.Duration(20+p.chance.IntN(1500)) * time.Millisecond
	some := []string{wireDropped, wireDelayed, wireUnheard}
	switch {
	case strings.HasSuffix(r.URL.Path, "/stream"):
		some = []string{wireDropped, wireBrokenOff}
	case r.Method == http.MethodPost:
		some = append(some, wireDoubled, wireEcho)
	}
	return some[p.chance.IntN(len(some))], delay
}

// carry hands the request on, and notes what it asked for and got.
func (p *wire) carry(r *http.Request, body []byte, run blaise.RunID) (*http.Response, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, p.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header = r.Header.Clone()
	called := time.Now()
	resp, err := p.client.Do(out)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/accept"):
		err = p.accepted(resp, called)
	case strings.HasSuffix(r.URL.Path, "/claim"):
		p.w.claims.add(false, run, called)
	}
	return resp, err
}

// accepted remembers the token of a lease.
func (p *wire) accepted(resp *http.Response, called time.Time) error {
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	var lease struct {
		Run   blaise.RunID `json:"run"`
		Token string       `json:"token"`
	}
	if err := json.Unmarshal(raw, &lease); err != nil {
		return err
	}
	p.w.claims.add(true, lease.Run, called)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs["Bearer "+lease.Token] = lease.Run
	return nil
}

// discard carries the request too, in a context of its own.
func (p *wire) discard(r *http.Request, body []byte, run blaise.RunID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 30*time.Second)
	defer cancel()
	resp, err := p.carry(r.WithContext(ctx), body, run)
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body) // nobody hears it
		resp.Body.Close()
	}
}

func (p *wire) answer(w http.ResponseWriter, r *http.Request, resp *http.Response, broken bool, after time.Duration) {
	for k, v := range resp.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(resp.StatusCode)
	if broken {
		time.AfterFunc(after, func() { resp.Body.Close() })
	}
	flush, _ := w.(http.Flusher)
	for buf := make([]byte, 32<<10); ; {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			if run, cut := p.of(r); cut {
				p.w.diary.write(0, "WIRE stream of %s is cut", run)
				panic(http.ErrAbortHandler)
			}
			_, _ = w.Write(buf[:n]) // who has left is noticed by Read
			flush.Flush()
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}
