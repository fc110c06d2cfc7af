package plug

import (
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// A Plug makes one layer of the place where an agent works. Plugs open in the
// order of blaise.yml, each inside the last, and go down in reverse.
type Plug interface {
	// Open makes the layer inside outer, or takes up what an earlier run left
	// there, finished or not, first ending what still runs in it. It answers
	// ErrGone if s.Opened and the layer is not there, ErrElsewhere if this
	// machine cannot look where it was made.
	Open(ctx context.Context, s Scope, outer Env) (Env, error)
	// Destroy gives back all that any Open of the environment may have taken,
	// in a process that never opened it and a second time. It answers nil only
	// after looking where it was made, ErrElsewhere if this machine cannot.
	Destroy(ctx context.Context, s Scope) error
}

// A Pauser is a Plug with something to do when a run stops and the environment
// stays. Pause may be called twice and on a half-open layer.
type Pauser interface {
	Pause(ctx context.Context, s Scope) error
}

// A Saver is a Plug that holds work which nothing else holds, and brings it
// home: commits, changed and untracked files (X5). It answers what it saved,
// with N 0 if there was nothing new since the last save.
type Saver interface {
	Save(ctx context.Context, s Scope, outer Env) (blaise.SavedWork, error)
}

// A Differ is a Plug that holds a working tree, and says what was changed in it
// since the environment was made: in the tree as it is, or in what was saved of
// it, where saved has an N. It reads alone, and may be called while an agent
// works and beside Save and Pause.
type Differ interface {
	Diff(ctx context.Context, s Scope, saved blaise.SavedWork) (blaise.Diff, error)
}

// A Bringer is a Plug inside of which the working tree may live where no layer
// further out sees it. Bring brings it home as it is now, for who looks at it
// there; the agent works on. It may be called beside every method but Open and
// Destroy.
type Bringer interface {
	Bring(ctx context.Context, s Scope) error
}

// A Lister finds all that carries our labels where the plug makes things, for
// inventory and reap (X4), with what the labels say: Environment and Machine. It
// may be called on a plug that was never opened.
type Lister interface {
	List(ctx context.Context, host Env) ([]blaise.Resource, error)
}

// A Weigher is a Lister that knows what the things take on disk that it lists.
type Weigher interface {
	// Weigh answers the bytes of those among things that are where the plug makes
	// its own; what cannot be weighed is missing. It may take long, and burden
	// whom it asks: ask seldom, and never while somebody waits for a run.
	Weigh(ctx context.Context, things []blaise.Resource) (map[blaise.Resource]int64, error)
}

// A Filter is a Plug that sees every event, replay too, and may rewrite it or
// hold it back. Events that it holds back must leave at the next turn_ended.
type Filter interface {
	Filter(s Scope, next transcript.Sink) transcript.Sink
}

// A Transient is a Plug that cannot be resumed, and says why.
type Transient interface {
	Transient() (why string)
}

// A Reacher is a Plug whose layer may be taken up from other machines (A31).
// Without it the reach is the host.
type Reacher interface {
	Reach() blaise.Reach
}

// An Isolator is a Plug inside of whose layer nothing of the outer place is to
// be seen but Dir and what stands in Needs. Layers further out get Scope.Alone.
type Isolator interface {
	Isolates() bool
}

// ErrGone says that what an earlier run left is not there any more, though
// this machine is the one to look on.
var ErrGone = errors.New("gone")

// ErrElsewhere says that the layer was made where this machine cannot look.
var ErrElsewhere = errors.New("made on another machine")

// ErrRefused says that something is missing that a person must bring, such as
// a program or a secret. What an earlier run left is not broken: the run is
// refused, the environment stays, and the message waits (A22).
var ErrRefused = errors.New("refused")

// A Scope is what a plug knows of the session it serves. It is a value: a plug
// may keep it for the length of the call.
type Scope struct {
	Session     string           // the same in every run and generation
	Environment string           // the session; "SESSION-2" from the second generation on: name what you make after it
	ID          string           // the plug's own id
	Machine     blaise.MachineID // goes into the labels of what is made, with Environment
	Opened      bool             // this plug id was opened in this environment before
	Alone       bool             // a layer further in sees nothing but Dir
	Save        int              // the number the next save gets
	Restore     blaise.SavedWork // the work a new environment starts from, N 0 for base (A22)
	Restored    func(lack error) // a plug that may begin with Restore says that it does (nil), or why not
	Leaves      bool             // no other run comes to this machine: what is saved must be among Files
	Dir         string           // a directory of this environment and plug in the runner's state, never visible inside
	Mirrors     string           // a directory of the runner's state for repositories that it fetches
	Repos       []string         // the URLs that it may fetch, as patterns
	Private     []string         // of the runner, on its machine: its state, its blaise.yml; never visible inside
	Host        Env              // where the runner is: manage what you make from here
	State       State
	Files       Files
	Intend      func(context.Context, blaise.Resource) error // the ledger, before the thing is made; for several goroutines
	Forget      func(context.Context, blaise.Resource) error // the ledger, after a probe found it absent
	Note        func(transcript.Event)                       // progress and output
	Secret      func(string)                                 // a value that must not leave this run
	Patience    time.Duration                                // how long a Filter may take over an event
}

// Files are what Blaise keeps of the session, for other machines. A Put that is
// too long for it, or more than it keeps of a session, is refused.
type Files interface {
	Put(ctx context.Context, path string) (sha256 string, err error)
	Get(ctx context.Context, sha256, path string) error
}

// State keeps one value per plug id, durable on return, kept by Blaise,
// encrypted, at most 64 KB. Save(nil) forgets it.
type State interface {
	Load(ctx context.Context, v any) (found bool, err error)
	Save(ctx context.Context, v any) error
}
