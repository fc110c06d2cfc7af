package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/plug"
)

// A judge says whose things are. It decides by what the ledger of Blaise knew
// when things had been looked at already.
type judge struct {
	machine blaise.MachineID
	runs    map[blaise.SessionID]bool                // of which a run is here
	made    map[blaise.EnvironmentID]bool            // of which a directory is here: the rest goes with it
	ledger  map[blaise.EnvironmentID]api.LedgerEntry // nil: Blaise was not asked
	listed  map[string]bool                          // kinds of thing that plugs listed, and where
	there   map[[3]string]bool                       // what was found
}

// thing classifies what was found.
func (j judge) thing(r blaise.Resource) api.Thing {
	t := api.Thing{Resource: r, Session: r.Environment.Session()}
	e, known := j.ledger[r.Environment]
	mine := j.machine != "" && (r.Machine == j.machine || r.Machine == "" && j.made[r.Environment])
	switch {
	case r.Kept != "" && (r.Environment == "" || r.Kind == plug.ResourceRestored): // no environment's own
		t.Class, t.Why = api.ClassKept, r.Kept
	case r.Kind == plug.ResourceMirror:
		t.Class, t.Why = api.ClassOrphaned, "nobody has fetched it for runner.mirrorDays"
	case r.Environment == "":
		t.Class, t.Why = api.ClassUnknown, "nothing says whose it is"
	case r.Machine != "" && !mine:
		t.Class, t.Why = api.ClassUnknown, "another runner of this machine made it"
	case r.Kind == kindRun || j.runs[t.Session]:
		t.Class, t.Why = api.ClassOurs, "a run of its session is here"
	case r.Kind == kindBundle || r.Kind == plug.ResourceSaves:
		t.Class, t.Why = api.ClassKept, r.Kept
	case j.ledger == nil:
		t.Class, t.Why = api.ClassUntold, "Blaise was not asked"
	case !known && mine:
		t.Class, t.Why = j.over(r, "Blaise knows no such session")
	case !known:
		t.Class, t.Why = api.ClassUnknown, "Blaise knows no such session, and nothing says that this runner made it"
	case !e.Mine && !mine:
		t.Class, t.Why = api.ClassUnknown, "its session is another runner's"
	case e.Over:
		t.Class, t.Why = j.over(r, fmt.Sprintf("its environment is %s", e.State))
	default:
		t.Class, t.Why = api.ClassOurs, fmt.Sprintf("session %s, environment %s", e.SessionSays, e.State)
	}
	return t
}

// over is the class of what is there although its environment is gone.
func (j judge) over(r blaise.Resource, why string) (api.Class, string) {
	if r.Kept != "" {
		return api.ClassKept, r.Kept
	}
	return api.ClassOrphaned, why
}

// missing are the lines of the ledger that nothing here answers to. A thing
// that is being made stands in the ledger first: what is younger than the look
// is left out by taking environments alone that no run works in.
func (j judge) missing() (all []api.Thing) {
	for _, e := range j.ledger {
		all = append(all, j.unowned(e)...)
		if e.Over || !atRest(e.State) {
			continue
		}
		for _, r := range e.Resources {
			if r.Gone || j.onOtherMachine(e, r.Plug) || j.isThere(r) {
				continue
			}
			r.Environment = e.Environment
			all = append(all, api.Thing{Resource: r, Session: e.Session, Class: api.ClassMissing,
				Why: "the ledger has it, and it is not there"})
		}
	}
	return all
}

// atRest says that nothing is made or removed in the state.
func atRest(s blaise.EnvironmentState) bool {
	return s == blaise.EnvPaused || s == blaise.EnvUnattended || s == blaise.EnvOrphaned
}

func (j judge) unowned(e api.LedgerEntry) (all []api.Thing) {
	for _, p := range e.Plugs {
		if p.Unowned && p.Machine == j.machine {
			all = append(all, api.Thing{Session: e.Session, Class: api.ClassUnowned,
				Resource: blaise.Resource{Plug: p.ID, Kind: "plug", Name: p.Use, Environment: e.Environment},
				Why:      "no blaise.yml has the plug any more"})
		}
	}
	return all
}

func (j judge) onOtherMachine(e api.LedgerEntry, id string) bool {
	i := slices.IndexFunc(e.Plugs, func(p blaise.PlugRecord) bool { return p.ID == id })
	return i < 0 || e.Plugs[i].Machine != j.machine
}

// isThere looks for a line of the ledger; what nobody could look at counts as
// there.
func (j judge) isThere(r blaise.Resource) bool {
	if filepath.IsAbs(r.Name) {
		_, err := os.Lstat(r.Name)
		return err == nil
	}
	return j.there[keyOf(r)] || !j.listed[r.Kind+"\x00"+r.Where]
}

func keyOf(r blaise.Resource) [3]string { return [3]string{r.Kind, r.Name, r.Where} }
