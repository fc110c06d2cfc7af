package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/logs"
	"blaise.dev/blaise/internal/service"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

func serveCommand(a *app) *cobra.Command {
	var o planeOptions
	var how logs.Options
	var debug bool
	var retain string
	c := &cobra.Command{
		Use: "serve", Short: "Run the control plane alone; runners connect to it",
		Long: "Runs the control plane: sessions, clocks, the API and the dashboard. It listens on\n" +
			"loopback unless --listen says otherwise. The first start prints a sign-in link and\n" +
			"saves an admin token in the data folder; with --data DIR every command finds it.",
		Example: "  blaise serve --data /var/lib/blaise\n" +
			"  blaise serve --listen 0.0.0.0:443 --as https://blaise.example.org --tls-cert cert.pem --tls-key key.pem\n" +
			"  blaise serve --db postgres://blaise@db/blaise --as https://blaise.example.org --trusted-proxy 10.0.0.5",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.data, err = a.folder(); err != nil {
				return err
			}
			o.dsn = cmp.Or(o.dsn, os.Getenv("BLAISE_DB"))
			if o.log, err = newLog(a.err, how, debug); err != nil {
				return err
			}
			// --url says where Blaise is; to serve, that is the address it has.
			o.public = cmp.Or(o.public, a.url)
			if err := o.door.check(); err != nil {
				return err
			}
			if retain != "" {
				if o.retain, err = control.ParseAge(retain); err != nil {
					return usage("--retain: %v", err)
				}
			}
			if o.retainDropsWork && retain == "" {
				return usage("--retain-drops-work goes with --retain")
			}
			return a.serve(cmd.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "", "`HOST:PORT` to listen on (default "+defaultListen+", or any free port)")
	f.StringVar(&o.watch, "metrics-listen", "", "another `HOST:PORT`, for /metrics, /statusz, /livez and /readyz without a token")
	f.StringVar(&o.dsn, "db", "", "postgres://... instead of SQLite in the data folder (BLAISE_DB)")
	f.StringVar(&o.public, "as", "", "the address people reach it by, as --url")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "another Host name that requests may carry")
	o.door.flags(c)
	f.Int64Var(&o.maxFile, "max-file", 256, "keep files of sessions (bundles of saved work) up to so many MB each")
	f.StringVar(&retain, "retain", "", "delete sessions that ended and were not touched for so `long`, as 90d (default: never)")
	f.BoolVar(&o.retainDropsWork, "retain-drops-work", false,
		"with --retain: those go too of which Blaise has saved work, which may be nowhere else")
	how.Flags(f)
	f.BoolVar(&debug, "debug", false, "the same as --log-level debug")
	f.BoolVar(&o.privateHooks, "webhook-allow-private", false,
		"let webhooks reach this machine and its own network, and http:// addresses")
	return c
}

func (a *app) serve(ctx context.Context, o planeOptions) error {
	p, err := openPlane(ctx, o)
	if err != nil {
		return inUse(err, o.data)
	}
	token, first, err := p.admin(ctx)
	if err != nil {
		return joinClose(err, p)
	}
	g, work := errgroup.WithContext(ctx)
	g.Go(func() error { return p.run(work) })
	g.Go(func() error { return a.serving(work, p, token, first) })
	err = g.Wait()
	_ = os.Remove(filepath.Join(o.data, serveFile)) // it says where we were
	return joinClose(err, p)
}

// serving says that Blaise is ready, and where.
func (a *app) serving(ctx context.Context, p *plane, token string, first bool) error {
	var link string
	if first {
		var err error
		if link, err = p.link(ctx, token); err != nil {
			return err
		}
	}
	if p.o.door.open(p.listener.Addr(), p.url) {
		p.log.Warn("tokens can be read on their way here: give --tls-cert and --tls-key, or put TLS in front",
			"listen", p.listener.Addr().String())
	}
	at := api.Dev{URL: p.url, Token: token, PID: os.Getpid()}
	if err := writePrivateJSON(filepath.Join(p.o.data, serveFile), at); err != nil {
		return err
	}
	service.Ready(p.log)
	fmt.Fprintf(a.out, "Blaise is ready at %s (data in %s)\n", p.url, p.o.data)
	if p.watch != nil {
		fmt.Fprintf(a.out, "Health and metrics: http://%s/metrics\n", p.watch.Addr())
	}
	fmt.Fprintf(a.out, "For commands on this machine: export BLAISE_DATA=%s\n", p.o.data)
	if first {
		fmt.Fprintf(a.out, "Open in a browser, once: %s\n", link)
		fmt.Fprintf(a.out, "The admin token is in %s\n", filepath.Join(p.o.data, adminFile))
	} else {
		fmt.Fprintf(a.out, "A sign-in link: blaise open --data %s\n", p.o.data)
	}
	return nil
}

func newLog(w io.Writer, how logs.Options, debug bool) (*slog.Logger, error) {
	if debug {
		how.Level = "debug"
	}
	log, err := how.New(w)
	if err != nil {
		return nil, usage("%v", err)
	}
	return log, nil
}
