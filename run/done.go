package run

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"blaise.dev/blaise"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"
)

// TreeLock is a lock in the directory of a run that everything it starts
// inherits, its shims and its git processes: it is free when the last of them
// is gone.
const TreeLock = "tree.lock"

// DoneFile is what a run leaves in its directory when it has said all it had
// to say, as a [Done]: what is left is to ship its spool. A run without it is
// dead, and somebody else must say so.
const DoneFile = "done"

// Done is how a run ended, for people on its machine. Blaise knows it from the
// reports.
type Done struct {
	Error string             `json:"error,omitempty"` // "" if it ended as it was told to
	Begun bool               `json:"begun,omitempty"` // that it came no further says nothing of its machine
	Saved []blaise.SavedWork `json:"saved,omitempty"` // where its work is
}

// A cleanError is an error that may be shown: the agent's last words are in
// some.
type cleanError struct {
	text string
	err  error
}

func (e cleanError) Error() string { return e.text }
func (e cleanError) Unwrap() error { return e.err }

func (r *run) markDone(err error) error {
	d := Done{Begun: r.begun(err), Saved: r.works}
	if err != nil {
		d.Error = r.secrets.String(err.Error())
		err = cleanError{text: d.Error, err: err}
	}
	if r.mute.Load() || errors.Is(err, ErrFenced) {
		// Blaise may not know of the end (it may be a restored one, which knows
		// neither the lease nor what came of it): the daemon is to say it.
		return err
	}
	b, merr := json.Marshal(d)
	if merr == nil {
		merr = os.WriteFile(filepath.Join(r.spec.Dir, DoneFile), b, 0o600)
	}
	if merr != nil {
		r.log.Error("end of run not marked", "error", merr)
	}
	return err
}

// begun says that the run did not fail for want of what its machine must have:
// a good blaise.yml, the agent's program, plugs that open.
func (r *run) begun(err error) bool {
	failed := errors.As(err, new(refusal)) || errors.As(err, new(plugFailure))
	return !failed || r.chosen(err)
}

// chosen says that the run failed by what was asked for: an input, a plug that
// an input goes into, a repository or a branch that cannot be had, what the
// repository has it do, an agent that is not logged in. What only the machine
// lacks is its own fault, whatever was asked.
func (r *run) chosen(err error) bool {
	var open *plug.OpenError
	switch {
	case errors.As(err, new(*config.InputError)), errors.As(err, new(loggedOut)), plug.Asked(err), plug.Theirs(err):
		return true
	case errors.As(err, &open):
		return r.file.TakesInput(open.Plug) && !plug.Lacks(err)
	}
	return false
}
