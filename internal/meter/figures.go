package meter

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"

	"github.com/prometheus/client_golang/prometheus"
)

// readWithin is how long the counting may take when the meter is read.
const readWithin = 5 * time.Second

// Read has figures read, each time the meter is, from now on. It is called
// once.
func (m *Meter) Read(figures func(context.Context) (control.Figures, error)) {
	m.registry.MustRegister(&reader{figures: figures})
}

// A reader tells what there is at the moment in which it is asked.
type reader struct {
	figures func(context.Context) (control.Figures, error)
}

var (
	sessions = prometheus.NewDesc("blaise_sessions", "Sessions by state.", []string{"state"}, nil)
	held     = prometheus.NewDesc("blaise_environments",
		"Environments that may hold something, by state; orphaned ones wait for a person.", []string{"state"}, nil)
	waiting = prometheus.NewDesc("blaise_runs_waiting", "Runs that wait for a runner.", []string{"kind"}, nil)
	oldest  = prometheus.NewDesc("blaise_runs_waiting_oldest_seconds",
		"How long the first of the runs that wait has waited.", []string{"kind"}, nil)
	running      = prometheus.NewDesc("blaise_runs_running", "Runs that a runner has taken and that have not ended.", nil, nil)
	agentWaiting = prometheus.NewDesc("blaise_agent_runs_waiting", "Runs that wait for a process of the agent.", []string{"agent"}, nil)
	agentRunning = prometheus.NewDesc("blaise_agent_runs_running", "Runs that have a process of the agent.", []string{"agent"}, nil)
	agentLimit   = prometheus.NewDesc("blaise_agent_concurrency", "How many of these there may be; none for any number.", []string{"agent"}, nil)
	questions    = prometheus.NewDesc("blaise_questions_open", "Questions that wait for a person.", nil, nil)
	lag          = prometheus.NewDesc("blaise_clock_lag_seconds", "How overdue the most overdue clock is.", nil, nil)
	quiet        = prometheus.NewDesc("blaise_heartbeat_age_seconds",
		"Since the heartbeat of the run that was not heard for longest.", nil, nil)
	instances = prometheus.NewDesc("blaise_instances", "Daemons of runners, heard in the last day.", []string{"state"}, nil)
	slots     = prometheus.NewDesc("blaise_slots", "Slots of the daemons that are online.", nil, nil)
	readable  = prometheus.NewDesc("blaise_store_up", "1 if the figures could be read from the store.", nil, nil)
)

// Describe sends what Collect will.
func (r *reader) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		sessions, held, waiting, oldest, running, agentWaiting, agentRunning, agentLimit,
		questions, lag, quiet, instances, slots, readable,
	} {
		ch <- d
	}
}

// Collect reads the figures. Where it cannot, it says that alone.
func (r *reader) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readWithin)
	defer cancel()
	tell := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	f, err := r.figures(ctx)
	if err != nil {
		tell(readable, 0)
		return
	}
	tell(readable, 1)
	for _, e := range blaise.Legend("session") {
		tell(sessions, float64(f.Sessions[blaise.SessionState(e.State)]), e.State)
	}
	for _, s := range blaise.EnvironmentStates() {
		if !s.Final() {
			tell(held, float64(f.Environments[s]), string(s))
		}
	}
	for kind, q := range map[string]store.Queue{"work": f.Work, "teardown": f.Teardowns} {
		tell(waiting, float64(q.Runs), kind)
		tell(oldest, age(q, f.At), kind)
	}
	for agent, c := range f.Agents {
		tell(agentWaiting, float64(c.Waiting), string(agent))
		tell(agentRunning, float64(c.AtWork), string(agent))
		if c.Limit > 0 {
			tell(agentLimit, float64(c.Limit), string(agent))
		}
	}
	for state, n := range f.Instances {
		tell(instances, float64(n), string(state))
	}
	tell(running, float64(f.Live))
	tell(questions, float64(f.Questions))
	tell(lag, f.ClockLag.Seconds())
	tell(quiet, f.Quiet.Seconds())
	tell(slots, float64(f.Slots))
}

// age is how long the first of a queue has waited.
func age(q store.Queue, now time.Time) float64 {
	if q.Runs == 0 {
		return 0
	}
	return between(q.Since, now)
}
