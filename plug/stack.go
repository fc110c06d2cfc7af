package plug

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// StackOptions carry what the Scopes of the plugs need. Host and StateDir are
// required; nil functions do nothing.
type StackOptions struct {
	Session     string
	Environment string              // empty: the session
	Records     []blaise.PlugRecord // what Blaise remembers of the environment's plugs
	Unreadable  bool                // blaise.yml cannot be read: the recorded specs count
	Host        Env
	StateDir    string           // the runner's state directory, on this machine
	Machine     blaise.MachineID // goes into the records
	Repos       []string         // patterns of the repositories that may be fetched by URL
	Private     []string         // paths that no layer may show, beside StateDir
	Save        int              // the number the next save gets
	Restore     blaise.SavedWork // what a new environment starts from
	Leaves      bool             // no other run comes to this machine
	Files       Files
	State       func(id string) State // nil: what is written down on this machine
	Intend      func(context.Context, blaise.Resource) error
	Forget      func(context.Context, blaise.Resource) error
	Note        func(transcript.Event)
	Secret      func(string)
	Patience    time.Duration // how long a Filter may take over an event; 0: 5 minutes
	Log         *slog.Logger
	// Record is told of each plug before it is opened (Opened as it was) and
	// after, unless it stands so in Records; an error stops the opening.
	Record func(context.Context, blaise.PlugRecord) error
	// New makes a plug of a spec; nil is the package's own New.
	New func(Spec) (Plug, error)
	// Timed is told when a plug begins to open, save, pause or destroy; the
	// function that it returns, when it has ended.
	Timed func(verb, plug, use string) (ended func(error))
}

var envPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) // part of paths and branches

// A Stack is the plugs of one environment in their order. Its methods are for
// one goroutine at a time.
type Stack struct {
	o       StackOptions
	layers  []*layer            // outermost first
	unowned []blaise.PlugRecord // stateful, recorded, in no blaise.yml any more (A32)
	saves   int                 // the number the next save gets
	env     Env                 // the innermost that is open
	begun   bool                // a layer begins with the saved work
	lack    error               // why a layer does not
}

// A layer is one plug in a stack.
type layer struct {
	spec    Spec
	plug    Plug
	record  blaise.PlugRecord
	told    *blaise.PlugRecord // what Blaise has of it
	removed bool               // not in blaise.yml any more, stateless: not opened, but destroyed
	tried   bool               // Open was called here
	outer   Env                // nil before that
	env     Env                // what Open made, nil before
	alone   bool
}

// An OpenError says which plug did not open. Err is ErrGone or ErrElsewhere
// where the plug answered that.
type OpenError struct {
	Plug, Use string
	Err       error
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("open plug %q (%s): %v", e.Plug, e.Use, e.Err)
}

func (e *OpenError) Unwrap() error { return e.Err }

// A LayerError says which plug could not save, pause or destroy. Each error of
// a pass is one; they are joined.
type LayerError struct {
	Verb, Plug, Use string
	Err             error
}

func (e *LayerError) Error() string {
	return fmt.Sprintf("%s plug %q (%s): %v", e.Verb, e.Plug, e.Use, e.Err)
}

func (e *LayerError) Unwrap() error { return e.Err }

// NewStack makes the plugs of an environment; it opens nothing. What is wrong
// with a spec is a *ConfigError in the chain.
func NewStack(specs []Spec, o StackOptions) (*Stack, error) {
	o.fillIn()
	if !envPattern.MatchString(o.Environment) {
		return nil, fmt.Errorf("make stack: %q cannot be the id of an environment", o.Environment)
	}
	s := &Stack{o: o, env: o.Host, saves: max(o.Save, 1)}
	if !o.Unreadable {
		if err := s.addSpecs(specs); err != nil {
			return nil, err
		}
	}
	if err := s.addRecorded(); err != nil {
		return nil, err
	}
	for i, l := range s.layers {
		for _, further := range s.layers[i+1:] {
			iso, ok := further.plug.(Isolator)
			l.alone = l.alone || ok && iso.Isolates() && !further.removed
		}
	}
	return s, nil
}

func (o *StackOptions) fillIn() {
	if o.Environment == "" {
		o.Environment = o.Session
	}
	if o.Files == nil {
		o.Files = noFiles{}
	}
	ledger := func(context.Context, blaise.Resource) error { return nil }
	if o.Intend == nil {
		o.Intend = ledger
	}
	if o.Forget == nil {
		o.Forget = ledger
	}
	if o.Note == nil {
		o.Note = func(transcript.Event) {}
	}
	if o.Secret == nil {
		o.Secret = func(string) {}
	}
	if o.Patience == 0 {
		o.Patience = 5 * time.Minute
	}
	if o.Timed == nil {
		o.Timed = func(string, string, string) func(error) { return func(error) {} }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Record == nil {
		o.Record = func(context.Context, blaise.PlugRecord) error { return nil }
	}
	if o.New == nil {
		o.New = New
	}
}

func (s *Stack) addSpecs(specs []Spec) error {
	if err := CheckIDs(specs); err != nil {
		return err
	}
	for _, spec := range specs {
		l := &layer{spec: spec, record: blaise.PlugRecord{ID: spec.ID, Use: spec.Use}}
		if r := find(s.o.Records, spec.ID); r != nil {
			if r.Use != spec.Use {
				return fmt.Errorf("plug %q: %w", spec.ID, errorAt(&spec.Config,
					"id %q was %s when this environment was made, and is %s now: "+
						"give the new plug another id", spec.ID, r.Use, spec.Use))
			}
			l.record, l.told = *r, r
		}
		if err := s.add(l, len(s.layers)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stack) add(l *layer, at int) (err error) {
	if l.plug, err = s.o.New(l.spec); err != nil {
		return fmt.Errorf("plug %q: %w", l.spec.ID, err)
	}
	s.layers = append(s.layers[:at], append([]*layer{l}, s.layers[at:]...)...)
	return nil
}

// CheckIDs refuses two plugs of one id.
func CheckIDs(specs []Spec) error {
	seen := map[string]Spec{}
	for i := range specs {
		spec := &specs[i]
		other, double := seen[spec.ID]
		switch {
		case !double:
		case other.Use == spec.Use && spec.ID == spec.Use:
			return errorAt(&spec.Config, "two plugs use %s: give each an id, as in {use: %s, id: other}",
				spec.Use, spec.Use)
		default:
			return errorAt(&spec.Config, "two plugs have the id %q", spec.ID)
		}
		seen[spec.ID] = *spec
	}
	return nil
}

// addRecorded puts in the plugs that were opened and are in no file now, each
// after the one it was opened after. Stateful ones are left alone if there is a
// file: its author took them out (A32).
func (s *Stack) addRecorded() error {
	at := 0
	for _, r := range s.o.Records {
		if i := s.index(r.ID); i >= 0 {
			at = i + 1
			continue
		}
		if r.HasState && !s.o.Unreadable {
			r.Unowned = true
			s.unowned = append(s.unowned, r)
			continue
		}
		spec, err := ParseSpec(r.Spec)
		if err != nil {
			return fmt.Errorf("plug %q: %w", r.ID, err)
		}
		l := &layer{spec: spec, record: r, told: &r, removed: !s.o.Unreadable}
		if err := s.add(l, at); err != nil {
			return err
		}
		at++
	}
	return nil
}

func (s *Stack) index(id string) int {
	for i, l := range s.layers {
		if l.spec.ID == id {
			return i
		}
	}
	return -1
}

func find(records []blaise.PlugRecord, id string) *blaise.PlugRecord {
	for i := range records {
		if records[i].ID == id {
			return &records[i]
		}
	}
	return nil
}

// noFiles are the Files of a stack without Blaise.
type noFiles struct{}

func (noFiles) Put(context.Context, string) (string, error) {
	return "", errors.New("there is nowhere to keep files")
}

func (noFiles) Get(context.Context, string, string) error {
	return errors.New("there are no files")
}
