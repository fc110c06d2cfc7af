package daemon

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"
)

// Watch answers those who watch over a daemon: /livez, /readyz, /statusz and
// /metrics. It asks for no token: who reaches it may read it.
func (d *Daemon) Watch() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", d.serveReady)
	mux.HandleFunc("GET /statusz", d.serveStatus)
	mux.HandleFunc("GET /metrics", d.serveMetrics)
	return mux
}

func (d *Daemon) serveReady(w http.ResponseWriter, _ *http.Request) {
	if why := d.Status().NotReady; why != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "not ready: "+why)
		return
	}
	fmt.Fprintln(w, "ok")
}

// serveStatus answers people with text and programs with JSON.
func (d *Daemon) serveStatus(w http.ResponseWriter, r *http.Request) {
	s := d.Status()
	if r.URL.Query().Get("format") == "json" || strings.Contains(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s) // who asked is gone
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	s.write(w)
}

func (s Status) write(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	defer t.Flush()
	ready, contact := "yes", "never"
	if s.NotReady != "" {
		ready = "no: " + s.NotReady
	}
	if !s.Contact.IsZero() {
		contact = time.Since(s.Contact).Round(time.Second).String() + " ago" + because(s.Trouble)
	}
	fmt.Fprintf(t, "runner %s\tinstance %s of %s\n", s.Version, s.Instance, s.URL)
	fmt.Fprintf(t, "ready\t%s\n", ready)
	fmt.Fprintf(t, "started\t%s, %s ago\n", s.StartedAt.Format(time.RFC3339), time.Since(s.StartedAt).Round(time.Second))
	fmt.Fprintf(t, "Blaise answered\t%s\n", contact)
	fmt.Fprintf(t, "clock\t%+.3f s against Blaise's\n", s.Ahead)
	fmt.Fprintf(t, "slots\t%d of %d taken\n", len(s.Runs), s.Slots)
	fmt.Fprintf(t, "disk\t%s free\n", mega(s.DiskFree))
	for _, r := range s.Runs {
		fmt.Fprintf(t, "run %s\t%s, pid %d, since %s, heard %.0f s ago, %d bytes spooled\n",
			r.Run, r.Kind, r.PID, r.Since.Format(time.RFC3339), r.Quiet, r.Spool)
	}
}
