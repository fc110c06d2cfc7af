package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// A served is `blaise serve` as it was built, and an instance of a runner that
// does what runs are told: nothing.
type served struct {
	*system
	hand *api.Client
	http *http.Client
}

// startServed starts it on a store that fill, if there is one, has filled before.
func startServed(ctx context.Context, o options, name string, fill func(*plane) error) (*served, error) {
	if fill != nil {
		p, err := startPlane(ctx, o, filepath.Join(name, "db"))
		if err != nil {
			return nil, err
		}
		err = fill(p)
		p.close()
		if err != nil {
			return nil, err
		}
	}
	s := &served{system: &system{}, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
	data := filepath.Join(o.tmp, name)
	if err := s.start(o, name, "blaise", "serve", "--data", data, "--listen", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	if err := s.connect(ctx, filepath.Join(data, "serve.json")); err != nil {
		return nil, err
	}
	tok, err := s.NewToken(ctx, api.NewToken{Name: "hand"})
	if err != nil {
		return nil, err
	}
	s.hand = api.NewClient(s.dev.URL, tok.Secret, api.ClientOptions{Version: "bench"})
	_, err = s.hand.Hello(ctx, api.Hello{
		Instance: "hand", Boot: "b", Machine: "hand", Slots: livesMany, Protocol: api.Protocol, Version: "bench",
	})
	return s, err
}

// begin starts a session and connects a run to it, as a runner would.
func (s *served) begin(ctx context.Context) (live, error) {
	m, err := s.StartSession(ctx, api.StartSession{Agent: "default", Text: "hello"})
	if err != nil {
		return live{}, err
	}
	run := m.Session.Run(1)
	lease, err := s.hand.Accept(ctx, run, api.Accept{Instance: "hand", Boot: "b", Nonce: string(run)})
	if err != nil {
		return live{}, err
	}
	c := api.NewClient(s.dev.URL, lease.Token, api.ClientOptions{Version: "bench"})
	_, err = c.Connect(ctx)
	return live{session: m.Session, run: blaise.Run{ID: run}, client: c}, err
}

// page asks for one, signed in.
func (s *served) page(ctx context.Context, path string) ([]byte, error) {
	resp, err := s.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("get %s: %s", path, resp.Status)
	}
	return b, err
}

func (s *served) open(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.dev.URL+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.dev.Token)
	return s.http.Do(req)
}
