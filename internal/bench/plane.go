package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/server"
	"blaise.dev/blaise/store"
)

// A plane is a control plane in this process, with one runner.
type plane struct {
	db      *store.DB
	control *control.Control
	server  *httptest.Server
	runner  store.Runner
	busy    atomic.Int64 // connections with a request under way
}

func startPlane(ctx context.Context, o options, name string) (*plane, error) {
	hub := control.NewHub()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(o.tmp, name), store.Options{Appended: hub.Appended})
	if err != nil {
		return nil, err
	}
	c := control.New(control.Options{DB: db, Secret: make([]byte, 32), Hub: hub})
	m, err := control.ParseManifest([]byte(agentManifest))
	if err != nil {
		return nil, err
	}
	if _, err := c.ApplyAgent(ctx, "bench", m, false); err != nil {
		return nil, err
	}
	p := &plane{db: db, control: c}
	p.server = httptest.NewUnstartedServer(server.New(server.Options{Control: c, Version: "bench"}))
	p.server.Config.ConnState = p.count
	p.server.Start()
	if p.runner, _, err = c.NewRunner(ctx, "bench", "bench", nil, false); err != nil {
		return nil, err
	}
	return p, nil
}

// count keeps the number of connections that have a request under way.
func (p *plane) count(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateActive:
		p.busy.Add(1)
	case http.StateIdle, http.StateClosed:
		p.busy.Add(-1) // a connection that closes while idle counts twice: only an open stream matters here
	}
}

func (p *plane) close() {
	p.server.CloseClientConnections()
	p.server.Close()
	_ = p.db.Close() // the directory goes with it
}

// A life is a session with a connected run.
type live struct {
	session blaise.SessionID
	run     blaise.Run
	client  *api.Client
}

// begin starts a session and connects a run to it, as a runner would.
func (p *plane) begin(ctx context.Context) (live, error) {
	m, err := p.control.Start(ctx, "bench", control.Start{Agent: "default", Text: "hello"})
	if err != nil {
		return live{}, err
	}
	id := m.ID.Session()
	lease, err := p.control.Accept(ctx, p.runner, id.Run(1), control.Accept{
		Instance: "bench", Machine: "bench", Boot: "bench", Nonce: string(id),
	})
	if err != nil {
		return live{}, err
	}
	run, err := p.control.ByLease(ctx, lease.Token)
	if err != nil {
		return live{}, err
	}
	if _, err := p.control.Connect(ctx, run); err != nil {
		return live{}, fmt.Errorf("connect: %w", err)
	}
	c := api.NewClient(p.server.URL, lease.Token, api.ClientOptions{Version: "bench"})
	return live{session: id, run: run, client: c}, nil
}
