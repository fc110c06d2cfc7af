// Package meter is what Blaise measures of itself, for Prometheus. The control
// plane tells it what happens, and what there is it asks when it is read. It
// decides nothing. No session or runner is in a label, and an agent in the gauges
// of its own runs alone.
package meter

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A Meter counts and measures. It is safe for concurrent use.
type Meter struct {
	registry *prometheus.Registry

	accepted, ended, turns, tokens   *prometheus.CounterVec
	queued, worked, answered         *prometheus.HistogramVec
	turn                             prometheus.Histogram
	teardownFailures, beats, records prometheus.Counter
	madeRoom                         prometheus.Counter

	requests *prometheus.CounterVec
	request  *prometheus.HistogramVec
	streams  *prometheus.GaugeVec
	store    *prometheus.HistogramVec
}

// Buckets of what takes milliseconds, seconds, and as long as people take.
var (
	quick = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	short = []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600}
	long  = []float64{1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 4 * 3600, 24 * 3600}
)

// New returns a meter that has measured nothing. The version is shown.
func New(version string) *Meter {
	m := &Meter{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	info := m.gauge("blaise_build_info", "Always 1; the labels say what runs.", "version", "goversion")
	info.WithLabelValues(version, runtime.Version()).Set(1)
	m.sessions()
	m.service()
	return m
}

// sessions registers what is measured of sessions.
func (m *Meter) sessions() {
	m.accepted = m.counter("blaise_runs_accepted_total", "Runs that a runner has taken.", "kind")
	m.ended = m.counter("blaise_runs_ended_total", "Runs that have ended, by kind and outcome.", "kind", "outcome")
	m.queued = m.histogram("blaise_run_queue_duration_seconds",
		"From the offer of a run to its accept by a runner.", short, "kind")
	m.worked = m.histogram("blaise_run_duration_seconds", "From the accept of a run to its end.", long, "kind")
	m.turns = m.counter("blaise_turns_total", "Turns that have ended, by what became of the message.", "result")
	m.turn = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "blaise_turn_duration_seconds", Help: "From a message's delivery to the end of its turn.", Buckets: long,
	})
	m.tokens = m.counter("blaise_tokens_total",
		"Tokens used in turns that have ended, as agents tell it.", "kind")
	m.answered = m.histogram("blaise_question_duration_seconds",
		"From a question to its answer by the gate or a person, or to its expiry.", long, "by")
	m.teardownFailures = m.one("blaise_teardown_failures_total", "Tries of a teardown that failed.")
	m.madeRoom = m.one("blaise_early_pauses_total", "Idle sessions that paused early because others waited for their place.")
	m.beats = m.one("blaise_heartbeats_total", "Heartbeats of runs.")
	m.records = m.one("blaise_transcript_events_total", "Events that runs have recorded.")
	m.registry.MustRegister(m.turn)
}

// service registers what is measured of the server and the store.
func (m *Meter) service() {
	m.requests = m.counter("blaise_http_requests_total", "Requests that were answered.", "route", "code")
	m.request = m.histogram("blaise_http_request_duration_seconds",
		"Time to answer, without streams; polls wait up to 25 s.", quick, "route")
	m.streams = m.gauge("blaise_streams", "Streams of events and shells that are open.", "route")
	m.store = m.histogram("blaise_store_duration_seconds",
		"Time to write to the store, waiting and commit included.", quick, "lane")
}

func (m *Meter) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Meter) one(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *Meter) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(g)
	return g
}

func (m *Meter) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(h)
	return h
}

// ServeHTTP answers all that was measured, in the format that Prometheus reads.
func (m *Meter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, // what can be told is told
	}).ServeHTTP(w, r)
}

// Answered counts a request that was answered and was no stream.
func (m *Meter) Answered(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.request.WithLabelValues(route).Observe(took.Seconds())
}

// Streaming counts a stream until the function that it returns is called.
func (m *Meter) Streaming(route string) (ended func()) {
	g := m.streams.WithLabelValues(route)
	g.Inc()
	return g.Dec
}

// Stored measures a write to the store.
func (m *Meter) Stored(lane string, d time.Duration) {
	m.store.WithLabelValues(lane).Observe(d.Seconds())
}
