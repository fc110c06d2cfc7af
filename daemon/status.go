package daemon

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/transcript"
)

// A Status is how a daemon is: /statusz answers it. Times that begin with zero
// have not been.
type Status struct {
	Version   string            `json:"version"`
	Instance  blaise.InstanceID `json:"instance"`
	URL       string            `json:"url"`
	StartedAt time.Time         `json:"started_at"`
	NotReady  string            `json:"not_ready,omitempty"` // why, in words
	// Contact is when Blaise last answered, Trouble why it does not now.
	Contact  time.Time   `json:"contact,omitzero"`
	Trouble  string      `json:"trouble,omitempty"`
	Ahead    float64     `json:"clock_ahead"` // seconds, of our clock before Blaise's
	Paused   string      `json:"paused,omitempty"`
	Leaving  bool        `json:"leaving"` // it takes nothing more
	Slots    int         `json:"slots"`
	DiskFree uint64      `json:"disk_free"` // bytes, of the state directory
	Runs     []RunStatus `json:"runs"`
}

// A RunStatus is how a run of a daemon is.
type RunStatus struct {
	Run     blaise.RunID     `json:"run"`
	Session blaise.SessionID `json:"session"`
	Kind    blaise.RunKind   `json:"kind"`
	PID     int              `json:"pid"`
	Since   time.Time        `json:"since"`
	Quiet   float64          `json:"heartbeat_age"` // seconds since a heartbeat that Blaise acknowledged
	Spool   int64            `json:"spool_bytes"`
}

// awayMost is how long Blaise may be away before a daemon is not ready.
const awayMost = time.Minute

// Status says how the daemon is.
func (d *Daemon) Status() Status {
	s := Status{
		Version: d.c.Version, URL: d.c.URL, StartedAt: d.began.UTC().Truncate(time.Second), Runs: []RunStatus{},
	}
	d.mu.Lock()
	s.Contact, s.Trouble, s.Ahead = d.contact, d.trouble, d.ahead.Seconds()
	s.Paused, s.Leaving, s.Slots = d.paused, d.leaving, d.about.Slots
	state := d.state
	d.mu.Unlock()
	if state != nil {
		s.Instance = state.instance
		s.DiskFree, _ = diskFree(state.dir) // 0: it does not say
	}
	for _, r := range d.rows() {
		s.Runs = append(s.Runs, r.status())
	}
	s.NotReady = s.unready(time.Now())
	return s
}

func (r *row) status() RunStatus {
	return RunStatus{
		Run: r.Run, Session: r.Run.Session(), Kind: r.Kind, PID: r.PID, Since: r.At,
		Quiet: max(0, plug.Boottime()-r.beaten()).Seconds(), Spool: transcript.SpoolBytes(r.file("spool")),
	}
}

// unready is why no run is taken now, "" if one is.
func (s Status) unready(now time.Time) string {
	switch {
	case s.Leaving:
		return "the runner takes nothing more: it is to end"
	case s.Paused != "":
		return s.Paused
	case s.Contact.IsZero():
		return "Blaise has not answered yet" + because(s.Trouble)
	case now.Sub(s.Contact) > awayMost:
		return fmt.Sprintf("Blaise has not answered for %s", now.Sub(s.Contact).Round(time.Second)) + because(s.Trouble)
	}
	return ""
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// StatusOf asks the daemon of a state directory how it is. CodeNotFound: none runs
// there.
func StatusOf(ctx context.Context, stateDir string) (Status, error) {
	var s Status
	return s, local(ctx, stateDir, http.MethodGet, "/statusz?format=json", nil, &s)
}
