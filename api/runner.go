package api

import (
	"time"

	"blaise.dev/blaise"
)

// Protocol is the version of the runner protocol spoken here. Blaise serves
// this one and the one before.
const Protocol = 1

// Headers that every request of a runner or run carries.
const (
	HeaderProtocol = "Blaise-Protocol"
	HeaderVersion  = "Blaise-Version"
)

// Hello is what an instance says of itself when it starts and when its
// description changes. POST /api/runner/hello, runner token.
type Hello struct {
	Instance blaise.InstanceID `json:"instance"`
	Boot     string            `json:"boot"` // one daemon process: a new one takes over at once (R48)
	Machine  blaise.MachineID  `json:"machine"`
	Host     string            `json:"host"`
	Version  string            `json:"version"`
	Protocol int               `json:"protocol"`
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Slots    int               `json:"slots"`
	Labels   map[string]string `json:"labels,omitempty"`
	Agents   []string          `json:"agents,omitempty"` // the agents its blaise.yml can start
	Probed   []blaise.Probed   `json:"probed,omitempty"` // what `runner probe` found here
	Once     bool              `json:"once,omitempty"`   // it is there for one run: nothing on its machine is resumed
	Paused   string            `json:"paused,omitempty"` // why it takes nothing but teardowns now
	Time     time.Time         `json:"time,omitzero"`    // by its own clock
}

// Welcome answers Hello.
type Welcome struct {
	Runner   blaise.RunnerID `json:"runner"`
	Name     string          `json:"name"`
	Time     time.Time       `json:"time"` // the server's, to show the offset of clocks
	Version  string          `json:"version"`
	Protocol int             `json:"protocol"`
}

// Offers answers GET /api/runner/offers?instance=&boot=&slots=&wait=: runs this
// instance may accept, in the order in which it should try them. It is empty
// when wait has passed, or when slots is 0.
type Offers struct {
	Offers []Offer `json:"offers"`
	Drain  bool    `json:"drain,omitempty"` // take nothing more
}

// Drain takes the instance out of service (X11): POST /api/runner/drain. Its
// runs are stopped so that their sessions can be resumed, when their turns have
// ended or Timeout is over. It may be asked again.
type Drain struct {
	Instance blaise.InstanceID `json:"instance"`
	Boot     string            `json:"boot"`
	Timeout  time.Duration     `json:"timeout"`
}

// Goodbye says that the instance has stopped, and that no run of it lives: POST
// /api/runner/goodbye. From then on it has to say hello again.
type Goodbye struct {
	Instance blaise.InstanceID `json:"instance"`
	Boot     string            `json:"boot"`
}

// Drained answers Drain: how many runs there still are.
type Drained struct {
	Runs int `json:"runs"`
}

// An Offer is a run that waits for a runner.
type Offer struct {
	Run     blaise.RunID     `json:"run"`
	Session blaise.SessionID `json:"session"`
	Kind    blaise.RunKind   `json:"kind"`
	Agent   blaise.AgentName `json:"agent"`
}

// Accept takes an offered run. POST /api/runner/runs/{run}/accept. The same
// nonce gets the same lease again; another one is refused once it is taken.
type Accept struct {
	Instance blaise.InstanceID `json:"instance"`
	Boot     string            `json:"boot"`
	Nonce    string            `json:"nonce"`
}

// A Lease is all that a run needs to work. Token is the run's alone: every
// later call carries it, and a stale one is refused (X2).
type Lease struct {
	Run         blaise.RunID         `json:"run"`
	Session     blaise.SessionID     `json:"session"`
	Environment blaise.EnvironmentID `json:"environment"`
	Kind        blaise.RunKind       `json:"kind"`
	Attempt     int                  `json:"attempt"`
	Agent       blaise.AgentName     `json:"agent"`
	Token       string               `json:"token"`

	Beat              time.Duration   `json:"beat"`
	Misses            int             `json:"misses"`
	Limits            blaise.Limits   `json:"limits"`
	OnContextLoss     blaise.Reaction `json:"onContextLoss"`
	OnInterruptedTurn blaise.Reaction `json:"onInterruptedTurn"`

	Inputs       map[string]string   `json:"inputs,omitempty"`
	Opened       []blaise.PlugRecord `json:"opened,omitempty"`    // the plugs of the environment, as recorded
	Resources    []blaise.Resource   `json:"resources,omitempty"` // the ledger (X4)
	Clean        bool                `json:"clean"`               // nothing changed since the last save
	NextSave     int                 `json:"nextSave"`
	Saved        blaise.SavedWork    `json:"saved"`               // the last save, N 0 for none
	Ephemeral    bool                `json:"ephemeral,omitempty"` // the machine is there for this run: work must be with Blaise before it ends
	Restore      bool                `json:"restore,omitempty"`   // begin a new environment from Saved (A22)
	Conversation blaise.Conversation `json:"conversation"`
	Wanted       map[string]string   `json:"wanted,omitempty"` // settings to choose in it
	Turns        int                 `json:"turns"`            // answered over the session
	Config       []byte              `json:"config,omitempty"` // the last good blaise.yml of the environment
	Forced       bool                `json:"forced,omitempty"` // destroy even if saving fails
	ForcedWhy    string              `json:"forcedWhy,omitempty"`
}

// RunEnd is what a daemon says of a run that cannot speak for itself: POST
// /api/runner/runs/{run}/spawn-failed (A25) and /dead (its process and all it
// started are gone, proved by this instance and boot).
type RunEnd struct {
	Instance blaise.InstanceID `json:"instance"`
	Boot     string            `json:"boot"`
	Reason   string            `json:"reason"`
}
