package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/meter"
	"blaise.dev/blaise/internal/trace"
	"blaise.dev/blaise/server"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/webhook"

	"golang.org/x/sync/errgroup"
)

// Files in a data folder.
const (
	devFile    = "dev.json"    // where `blaise dev` is, while it runs
	serveFile  = "serve.json"  // where `blaise serve` is, while it runs
	secretFile = "secret"      // lease tokens are derived from it
	adminFile  = "admin.token" // a user's token for who owns the folder
	listenFile = "listen"      // the address of last time
	logFile    = "blaise.log"
)

// closeGrace is how long requests may go on when the server stops.
const closeGrace = 3 * time.Second

// A plane is the control plane in this process: the store, control, and the
// server in front of it.
type plane struct {
	o        planeOptions
	db       *store.DB
	control  *control.Control
	meter    *meter.Meter
	tracer   *trace.Tracer // nil: no collector is named
	listener net.Listener
	watch    net.Listener // for those who watch over Blaise; nil for none
	url      string
	log      *slog.Logger
}

type planeOptions struct {
	data   string // the data folder
	dsn    string // the store; the data folder's own SQLite when empty
	listen string
	watch  string // an address of its own for health and metrics, "" for none
	public string // the address users reach it by, the listener's when empty
	hosts  []string
	door   door
	log    *slog.Logger
	// maxFile is the longest file that is kept of a session, in MB; 0 for the default.
	maxFile int64
	// privateHooks lets webhooks reach this machine and its own network.
	privateHooks bool
	// retain is how long sessions are kept after they ended; 0 for ever.
	retain time.Duration
	// retainDropsWork: with the saved work that Blaise has itself.
	retainDropsWork bool
}

// openPlane opens the store and the port. Close gives both back.
func openPlane(ctx context.Context, o planeOptions) (*plane, error) {
	if err := os.MkdirAll(o.data, 0o700); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	secret, err := keepSecret(filepath.Join(o.data, secretFile))
	if err != nil {
		return nil, err
	}
	p := &plane{
		o: o, log: o.log,
		meter: meter.New(programVersion()), tracer: trace.FromEnv("blaise", programVersion()),
	}
	hub := control.NewHub()
	if p.db, err = p.openStore(ctx, hub); err != nil {
		return nil, err
	}
	if p.listener, err = listen(o.data, o.listen); err != nil {
		return nil, errors.Join(err, p.db.Close())
	}
	at, err := o.door.stand(p.listener, o.log)
	if err != nil {
		return nil, joinClose(err, p)
	}
	p.listener = at
	if p.watch, err = watch(o.watch); err != nil {
		return nil, joinClose(err, p)
	}
	p.url = cmp.Or(strings.TrimRight(o.public, "/"), o.door.scheme()+p.listener.Addr().String())
	p.control = control.New(control.Options{
		DB: p.db, Secret: secret, Log: o.log, Hub: hub, Observer: witness{p.meter, p.tracer}, URL: p.url,
		Retain: o.retain, RetainDropsWork: o.retainDropsWork,
		Sender: &webhook.Sender{AllowPrivate: o.privateHooks, Version: programVersion()},
	})
	p.meter.Read(p.control.Figures)
	return p, nil
}

func (p *plane) openStore(ctx context.Context, hub *control.Hub) (*store.DB, error) {
	o := p.o
	so := store.Options{
		Log: o.log, Appended: hub.Appended, Took: p.meter.Stored, MaxBlob: o.maxFile << 20, Version: programVersion(),
	}
	dsn := o.dsn
	if dsn == "" {
		dsn = "sqlite:" + filepath.Join(o.data, "db")
	} else {
		so.Identity = filepath.Join(o.data, "identity")
	}
	return store.Open(ctx, dsn, so)
}

func (p *plane) close() error {
	err := closeListener(p.listener)
	if p.watch != nil {
		err = errors.Join(err, closeListener(p.watch))
	}
	return errors.Join(err, p.db.Close())
}

// run serves and keeps the clocks until ctx ends.
func (p *plane) run(ctx context.Context) error {
	defer p.tracer.Start(p.log)()
	o := p.serverOptions()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.control.Run(ctx) })
	g.Go(func() error { return p.serveOn(ctx, p.listener, server.New(o)) })
	if p.watch != nil {
		g.Go(func() error { return p.serveOn(ctx, p.watch, server.NewWatch(o)) })
	}
	return g.Wait()
}

// serveOn serves one listener until ctx ends.
func (p *plane) serveOn(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute, // longer than a client keeps a connection
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
		defer cancel()
		if srv.Shutdown(grace) != nil {
			return srv.Close()
		}
		return nil
	})
	return g.Wait()
}

func (p *plane) serverOptions() server.Options {
	views := server.NewViews(p.control)
	return server.Options{
		Control: p.control, Views: views, Dashboard: p.dashboard(views),
		Log: p.log, Meter: p.meter, Version: programVersion(), URL: p.url,
		Loopback: isLoopback(p.listener.Addr()), AllowedHosts: p.o.hosts, TrustedProxies: p.o.door.trusted,
		Provider: p.o.door.provider,
	}
}

// admin is the token of who owns the data folder; it is made once.
func (p *plane) admin(ctx context.Context) (token string, first bool, err error) {
	path := filepath.Join(p.o.data, adminFile)
	token, err = readToken(path)
	if err != nil {
		return "", false, err
	}
	if token != "" {
		if _, err = p.control.ByUserToken(ctx, token); err == nil {
			return token, false, nil
		}
		if blaise.CodeOf(err) != blaise.CodeDenied {
			return "", false, err
		}
	}
	if token, err = p.control.NewUserToken(ctx, userName(), control.RoleAdmin); err != nil {
		return "", false, err
	}
	return token, true, writePrivate(path, []byte(token+"\n"))
}

// client speaks to this plane as a person would, without TLS.
func (p *plane) client(token string) *api.Client {
	return newClient(place{URL: "http://" + p.listener.Addr().String(), Token: token})
}

// link is a sign-in link for the user of a token.
func (p *plane) link(ctx context.Context, token string) (string, error) {
	u, err := p.control.ByUserToken(ctx, token)
	if err != nil {
		return "", err
	}
	code, err := p.control.NewLoginCode(ctx, u)
	return server.LoginURL(p.url, code), err
}

// readToken reads a token from a file of one line; "" if there is no file.
func readToken(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return strings.TrimSpace(string(b)), nil
}

// keepSecret reads the secret, and makes it the first time.
func keepSecret(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err == nil && len(b) >= 32 {
		return b, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	b = make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return b, writePrivate(path, b)
}
