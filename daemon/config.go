package daemon

import (
	"log/slog"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/trace"
)

// A Config is what a daemon is told by who starts it.
type Config struct {
	URL      string
	Token    func() (string, error) // read at the start, on Reload, and when it is denied
	StateDir string
	// ConfigFor is the path of the blaise.yml for an agent.
	ConfigFor func(blaise.AgentName) string
	// Configs are all that ConfigFor may answer; nil: that for no agent.
	Configs func() []string
	// Command starts a child that reads a run's spec from its stdin, from the
	// copy of the program in the state directory.
	Command func(program string) []string
	// Describe gives what the instance says of itself; it is read again on
	// Reload.
	Describe func() (Description, error)
	Version  string
	Once     bool // take one run, and return when it has ended
	// Ready is called once, when what the daemon before has left is taken over
	// and runs can be asked for; nil is nobody.
	Ready func()
	Log   *slog.Logger
	// Tracer is told how long starting a run took; nil is off.
	Tracer *trace.Tracer
	// LogFormat and LogLevel are handed on to the runs: see run.Spec.
	LogFormat, LogLevel string

	// Admission is what must be there before a run is asked for.
	Admission Admission
	// GiveUp is how long Once waits for a Blaise that cannot be reached; default 2 min.
	GiveUp time.Duration
	// Idle is how long Once waits for a run; 0 for ever. None has come then is
	// CodeNotFound.
	Idle time.Duration
	// Wait is how long one poll for offers lasts; default 25 s.
	Wait time.Duration
}

// A Description is what an instance offers.
type Description struct {
	Slots  int
	Labels map[string]string
	Agents []string
	Probed []blaise.Probed
}
