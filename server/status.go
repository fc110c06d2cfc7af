package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// statusz says how Blaise is, to people as text and to programs as JSON.
func (s *Server) statusz(w http.ResponseWriter, r *http.Request) {
	f, err := s.control.Figures(r.Context())
	st := api.Status{
		Version: s.o.Version, Go: runtime.Version(), URL: s.o.URL,
		StartedAt: s.began.UTC().Truncate(time.Second), NotReady: s.unready(r.Context()),
		Goroutines: runtime.NumGoroutine(),
	}
	if err != nil {
		s.log.Warn("figures not read", "error", err)
	} else {
		st.Figures = figuresOf(f)
	}
	if r.URL.Query().Get("format") == "json" || strings.Contains(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(st) // who asked is gone
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	writeStatus(w, st)
}

func figuresOf(f control.Figures) *api.Figures {
	out := &api.Figures{
		Sessions: f.Sessions, Environments: f.Environments, QuestionsOpen: f.Questions, RunsRunning: f.Live,
		RunsWaiting: queueOf(f.Work, f.At), TeardownsWaiting: queueOf(f.Teardowns, f.At),
		Instances: map[string]int{}, Slots: f.Slots,
		ClockLag: f.ClockLag.Seconds(), HeartbeatAge: f.Quiet.Seconds(),
	}
	for state, n := range f.Instances {
		out.Instances[string(state)] = n
	}
	return out
}

func queueOf(q store.Queue, now time.Time) api.Waiting {
	w := api.Waiting{Runs: q.Runs}
	if q.Runs > 0 {
		w.Oldest = max(0, now.Sub(q.Since).Seconds())
	}
	return w
}

func writeStatus(w http.ResponseWriter, st api.Status) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	defer t.Flush()
	ready := "yes"
	if st.NotReady != "" {
		ready = "no: " + st.NotReady
	}
	fmt.Fprintf(t, "Blaise %s\t%s\n", st.Version, st.URL)
	fmt.Fprintf(t, "ready\t%s\n", ready)
	fmt.Fprintf(t, "started\t%s, %s ago\n", st.StartedAt.Format(time.RFC3339), time.Since(st.StartedAt).Round(time.Second))
	fmt.Fprintf(t, "program\t%s, %d goroutines\n", st.Go, st.Goroutines)
	f := st.Figures
	if f == nil {
		return
	}
	fmt.Fprintf(t, "sessions\t%s\n", counted(f.Sessions))
	fmt.Fprintf(t, "environments\t%s\n", counted(f.Environments))
	fmt.Fprintf(t, "questions open\t%d\n", f.QuestionsOpen)
	fmt.Fprintf(t, "runs\t%d running, %s\n", f.RunsRunning, waits(f.RunsWaiting))
	fmt.Fprintf(t, "teardowns\t%s\n", waits(f.TeardownsWaiting))
	fmt.Fprintf(t, "daemons\t%s; %d slots\n", counted(f.Instances), f.Slots)
	fmt.Fprintf(t, "clock lag\t%.1f s\n", f.ClockLag)
	fmt.Fprintf(t, "oldest heartbeat\t%.1f s\n", f.HeartbeatAge)
}

func waits(w api.Waiting) string {
	if w.Runs == 0 {
		return "none waits"
	}
	return fmt.Sprintf("%d waiting, the first for %.0f s", w.Runs, w.Oldest)
}

// counted is "3 idle, 1 working", in the order of the names; "none" for none.
func counted[K ~string](all map[K]int) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if all[k] > 0 {
			words = append(words, fmt.Sprintf("%d %s", all[k], k))
		}
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
