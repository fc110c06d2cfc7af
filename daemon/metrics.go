package daemon

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// serveMetrics answers in the text format that Prometheus reads. The runner
// writes it itself: the client's library is as large as the rest of a run, which
// is the same program.
func (d *Daemon) serveMetrics(w http.ResponseWriter, _ *http.Request) {
	var e exposition
	d.expose(&e)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(e.Bytes()) // who asked is gone
}

func (d *Daemon) expose(e *exposition) {
	s, now := d.Status(), time.Now()
	e.gauge("blaise_runner_info", "Always 1; the labels say what runs.", 1,
		"version", s.Version, "instance_id", string(s.Instance), "goversion", runtime.Version())
	e.gauge("blaise_runner_ready", "1 if it takes runs.", truth(s.NotReady == ""))
	e.gauge("blaise_runner_paused", "1 if it takes teardowns alone.", truth(s.Paused != ""))
	e.gauge("blaise_runner_slots", "Runs that it works at a time.", float64(s.Slots))
	e.gauge("blaise_runner_runs", "Runs that it works now.", float64(len(s.Runs)))
	if !s.Leaving { // it asks no more then
		e.gauge("blaise_runner_contact_age_seconds", "Since Blaise last answered it; a poll lasts 25 s.",
			now.Sub(later(s.Contact, d.began)).Seconds())
	}
	e.gauge("blaise_runner_clock_ahead_seconds", "Its clock before Blaise's, at the last hello.", s.Ahead)
	e.gauge("blaise_runner_disk_free_bytes", "Free for its state directory.", float64(s.DiskFree))
	var quiet float64
	var spool int64
	for _, r := range s.Runs {
		quiet, spool = max(quiet, r.Quiet), spool+r.Spool
	}
	e.gauge("blaise_runner_heartbeat_age_seconds",
		"Since the heartbeat of the run that Blaise did not acknowledge for longest.", quiet)
	e.gauge("blaise_runner_spool_bytes", "On disk of its runs, not taken by Blaise yet or not cleared.", float64(spool))
	e.gauge("blaise_runner_orphaned_things", "Left of environments that are gone, by the last inventory.",
		float64(d.tally.orphaned.Load()))
	d.tally.expose(e)
	e.process()
}

func (t *tally) expose(e *exposition) {
	e.counter("blaise_runner_polls_total", "Times that Blaise was asked for runs.", t.polls.Load())
	e.counter("blaise_runner_poll_errors_total", "Of them, those that got no answer.", t.pollErrors.Load())
	e.counter("blaise_runner_runs_accepted_total", "Runs taken.", t.accepted.Load())
	e.counter("blaise_runner_runs_refused_total", "Runs that another had taken first, or Blaise did not give.", t.refused.Load())
	e.counter("blaise_runner_runs_adopted_total", "Runs taken over from the daemon before.", t.adopted.Load())
	e.counter("blaise_runner_start_failures_total", "Runs whose process could not be started.", t.unstarted.Load())
	e.counter("blaise_runner_runs_ended_total", "Runs that have ended.", t.ended.Load())
	e.counter("blaise_runner_runs_failed_total", "Of them, those that failed or died.", t.failed.Load())
	e.counter("blaise_runner_runs_fenced_total", "Of them, those that hung and were killed at their fence.", t.fenced.Load())
	e.counter("blaise_runner_inventory_errors_total", "Inventories that Blaise did not take.", t.inventoryErrors.Load())
}

// An exposition is a page of metrics.
type exposition struct{ bytes.Buffer }

func (e *exposition) gauge(name, help string, v float64, labels ...string) {
	e.write("gauge", name, help, v, labels)
}

func (e *exposition) counter(name, help string, n int64) {
	e.write("counter", name, help, float64(n), nil)
}

func (e *exposition) write(kind, name, help string, v float64, labels []string) {
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n%s", name, help, name, kind, name)
	for i := 0; i+1 < len(labels); i += 2 {
		fmt.Fprintf(e, "%c%s=\"%s\"", "{,"[min(i, 1)], labels[i], escaped.Replace(labels[i+1]))
	}
	if len(labels) > 0 {
		e.WriteByte('}')
	}
	fmt.Fprintf(e, " %s\n", strconv.FormatFloat(v, 'g', -1, 64))
}

// escaped is how a label's value stands between quotes.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// process tells of the process what every Prometheus client does.
func (e *exposition) process() {
	e.gauge("go_goroutines", "Goroutines that there are.", float64(runtime.NumGoroutine()))
	b, err := os.ReadFile("/proc/self/statm") // Linux has it
	if fields := strings.Fields(string(b)); err == nil && len(fields) > 1 {
		pages, _ := strconv.ParseFloat(fields[1], 64)
		e.gauge("process_resident_memory_bytes", "Resident memory.", pages*float64(os.Getpagesize()))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
