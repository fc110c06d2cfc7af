package run

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/trace"
)

// A Spec is all that a run's process is told when it is born: one JSON
// document on its stdin.
type Spec struct {
	URL      string            `json:"url"`
	Lease    api.Lease         `json:"lease"`
	Config   string            `json:"config"`  // the path of blaise.yml
	State    string            `json:"state"`   // the runner's state directory
	Dir      string            `json:"dir"`     // the run's own directory in it
	Program  string            `json:"program"` // holds the shim
	Instance blaise.InstanceID `json:"instance"`
	Machine  blaise.MachineID  `json:"machine"`
	Boot     string            `json:"boot"`
	Runner   string            `json:"runner,omitempty"` // its name in Blaise
	Version  string            `json:"version"`
	// LogFormat and LogLevel say how the process logs, as the daemon's flags do.
	LogFormat string `json:"logFormat,omitempty"`
	LogLevel  string `json:"logLevel,omitempty"`
}

// Mark names the run in the environment of all that it starts. It is unique on
// a machine: two Blaise may have a run of the same id there.
func (s Spec) Mark() string {
	sum := sha256.Sum256([]byte(s.Dir))
	return fmt.Sprintf("%s.%x", s.Lease.Run, sum[:6])
}

// Deps are what a run uses of its process. The zero value is good.
type Deps struct {
	Log *slog.Logger
	// Tracer is told how long the parts of the run took; nil is off.
	Tracer *trace.Tracer
	// Lookup finds the values that blaise.yml takes from the environment.
	Lookup func(name string) (string, bool)
	// Demo is the command of the demo agent, which is part of the program.
	Demo []string
	// Patience is how long the answer to the last report is waited for; 60 s
	// by the contract (A7).
	Patience time.Duration
}

func (d Deps) withDefaults() Deps {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Lookup == nil {
		d.Lookup = os.LookupEnv
	}
	if d.Patience == 0 {
		d.Patience = 60 * time.Second
	}
	return d
}
