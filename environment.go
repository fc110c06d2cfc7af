package blaise

import (
	"path"
	"slices"
	"time"
)

// An Environment is all that the plugs made for a session (A3). Blaise owns
// its state; the runner only reports what happened (A4).
type Environment struct {
	ID         EnvironmentID
	State      EnvironmentState
	Generation int  // counts the environments of the session, from 1
	EverOpen   bool // some run of this generation reported it open
	Clean      bool // nothing was changed since the last save of its work
	LastError  string
	Teardowns  int  // attempts of the present series of teardowns (A19)
	Forced     bool // a person allowed a teardown without saving the work
	ForcedWhy  string
	Plugs      []PlugRecord
	Resources  []Resource
	Recreate   bool // A22: when destroyed, begin afresh for the waiting message
	DestroyWhy string
}

// A PlugRecord is what Blaise remembers of one plug of an environment, by id
// (A32).
type PlugRecord struct {
	ID        string    `json:"id"`
	Use       string    `json:"use"`
	Spec      []byte    `json:"spec,omitempty"` // as resolved when it was opened last
	Opened    bool      `json:"opened"`
	Resumable bool      `json:"resumable"`
	Why       string    `json:"why,omitempty"` // why not resumable
	Reach     Reach     `json:"reach,omitempty"`
	Machine   MachineID `json:"machine,omitempty"`
	HasState  bool      `json:"stateSaved"`
	Unowned   bool      `json:"unowned,omitempty"` // in no blaise.yml any more (A32)
}

// A Reach says from where a plug's layer can be taken up again (A31).
type Reach string

// The reaches of a plug.
const (
	ReachHost   Reach = "host"   // only on the machine that made it
	ReachShared Reach = "shared" // from every instance of the runner
)

// A Resource is one thing a plug makes: written to the ledger before it is
// made (X4), gone from it when a probe has found it absent.
type Resource struct {
	Plug  string `json:"plug"`
	Kind  string `json:"kind"`           // worktree, branch, container, directory ...
	Name  string `json:"name"`           // what the place knows it by
	Where string `json:"where"`          // host, engine or file system
	From  string `json:"from,omitempty"` // where a repository by URL was fetched from; Where is then its mirror
	Gone  bool   `json:"gone,omitempty"`

	// What a plug.Lister reads from the labels of a thing that it finds.
	Environment EnvironmentID `json:"environment,omitempty"` // "" where no label says it
	Machine     MachineID     `json:"machine,omitempty"`     // the runner that made it, "" if it is not said
	Kept        string        `json:"kept,omitempty"`        // why it stays when its environment is gone
}

// ResourceWorktree is the kind of a resource that is a checkout; Where is then
// the git directory of the repository it is of.
const ResourceWorktree = "worktree"

// The kinds of resource that an engine has; Where is then its id.
const (
	ResourceContainer = "container"
	ResourceVolume    = "volume"
)

// MayHold says that something of the environment may exist: a plug was opened
// or is being opened, or a record is left that no plug owns.
func (e Environment) MayHold() bool {
	return e.State != EnvNone && !e.State.Final() || e.LeftBehind() != ""
}

// LeftBehind says why a person must see to what is left of the environment, ""
// if nobody must: no run will come for it.
func (e Environment) LeftBehind() string {
	switch {
	case e.State == EnvOrphaned, e.State == EnvLost:
		return e.State.Meaning()
	case slices.ContainsFunc(e.Plugs, func(p PlugRecord) bool { return p.Unowned }):
		return "A plug that made something stands in no blaise.yml any more: nothing owns what it made."
	}
	return ""
}

// MarkDestroyed takes a person's word that nothing is left of an environment.
func (e *Environment) MarkDestroyed(why string) {
	e.State, e.DestroyWhy = EnvDestroyed, why
	e.disown()
}

// disown forgets the records that nothing owns, and with them all that is there:
// a person says that it is gone.
func (e *Environment) disown() {
	e.Plugs = slices.DeleteFunc(e.Plugs, func(p PlugRecord) bool { return p.Unowned })
	for i := range e.Resources {
		e.Resources[i].Gone = true
	}
}

// A SavedWork names one save of a session's work (X5).
type SavedWork struct {
	N      int    `json:"n"`
	Ref    string `json:"ref"`            // refs/blaise/SESSION/N, or a bundle's path
	Repo   string `json:"repo"`           // the repository that holds it
	Host   string `json:"host,omitempty"` // the name of the machine it is on
	Commit string `json:"commit"`
	Base   string `json:"base,omitempty"`
	Files  int    `json:"files"`
	Bundle string `json:"bundle,omitempty"` // the SHA-256 of the file in which Blaise has it, too
	// Beside are the bundles of nested repositories that Blaise has of a save
	// which is a bundle: SHA-256 by the word that tells their names apart.
	Beside map[string]string `json:"beside,omitempty"`
	At     time.Time         `json:"at"`
}

// MainBundle is the name among [SavedWork.Bundles] of the one that holds the
// others' places.
const MainBundle = "work.bundle"

// Bundles are the files in which Blaise has the save, SHA-256 by name. They
// belong into one directory: git finds those of nested repositories by name.
func (w SavedWork) Bundles() map[string]string {
	files := map[string]string{MainBundle: w.Bundle}
	for word, sum := range w.Beside {
		if name := "work." + word + ".bundle"; path.Base(name) == name {
			files[name] = sum
		}
	}
	return files
}

// OnlyHere are the saves that Blaise has itself: they were sent because no machine
// that others reach would have kept them.
func OnlyHere(saves []SavedWork) (some []SavedWork) {
	for _, w := range saves {
		if w.Bundle != "" {
			some = append(some, w)
		}
	}
	return some
}

// An EnvironmentState is one row of the table in environment_state.go.
type EnvironmentState string

// The states of an environment.
const (
	EnvNone            EnvironmentState = "none"
	EnvCreating        EnvironmentState = "creating"
	EnvResuming        EnvironmentState = "resuming"
	EnvOpen            EnvironmentState = "open"
	EnvPausing         EnvironmentState = "pausing"
	EnvPaused          EnvironmentState = "paused"
	EnvUnattended      EnvironmentState = "unattended"
	EnvTeardownWaiting EnvironmentState = "teardown_waiting"
	EnvTearingDown     EnvironmentState = "tearing_down"
	EnvOrphaned        EnvironmentState = "orphaned"
	EnvDestroyed       EnvironmentState = "destroyed"
	EnvLost            EnvironmentState = "lost"
)
