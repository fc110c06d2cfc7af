package daemon

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// An Ask asks Blaise what it knows of environments.
type Ask func(context.Context, api.AskLedger) (api.Ledger, error)

// Inventory holds what is on the premises against the ledger of Blaise, both
// ways (X4). Without an answer of Blaise it says what exists, and that it cannot
// tell whose it is; so it does of what could not be looked at.
func (p Premises) Inventory(ctx context.Context, ask Ask) api.Inventory {
	v := api.Inventory{At: time.Now().UTC(), Things: []api.Thing{}}
	v.Host, _ = os.Hostname()  // only shown
	v.Machine, _ = p.machine() // look says why not
	var found []blaise.Resource
	found, v.Unseen = p.look(ctx)
	j := judgeOf(v.Machine, found)
	ledger, err := ask(ctx, api.AskLedger{Environments: environmentsOf(found)})
	if err != nil {
		v.Unseen = append(v.Unseen, "the ledger of Blaise: "+err.Error())
	} else {
		j.ledger = map[blaise.EnvironmentID]api.LedgerEntry{}
		for _, e := range ledger.Environments {
			j.ledger[e.Environment] = e
		}
	}
	for _, r := range found {
		v.Things = append(v.Things, j.thing(r))
	}
	v.Things = append(p.still(ctx, v.Things), j.missing()...)
	slices.SortStableFunc(v.Things, func(a, b api.Thing) int {
		return strings.Compare(string(a.Environment)+a.Kind+a.Name, string(b.Environment)+b.Kind+b.Name)
	})
	return v
}

// still leaves out orphans that are gone by now: a teardown was under way when
// they were looked for.
func (p Premises) still(ctx context.Context, things []api.Thing) []api.Thing {
	orphaned := func(t api.Thing) bool { return t.Class == api.ClassOrphaned }
	if !slices.ContainsFunc(things, orphaned) {
		return things
	}
	again, _ := p.look(ctx) // the first look said what cannot be seen
	there := map[[3]string]bool{}
	for _, r := range again {
		there[keyOf(r)] = true
	}
	return slices.DeleteFunc(things, func(t api.Thing) bool { return orphaned(t) && !there[keyOf(t.Resource)] })
}

func judgeOf(machine blaise.MachineID, found []blaise.Resource) judge {
	j := judge{
		machine: machine, runs: map[blaise.SessionID]bool{}, made: map[blaise.EnvironmentID]bool{},
		listed: map[string]bool{}, there: map[[3]string]bool{},
	}
	for _, r := range found {
		j.there[keyOf(r)], j.listed[r.Kind+"\x00"+r.Where] = true, true
		switch r.Kind {
		case kindRun:
			j.runs[r.Environment.Session()] = true
		case kindDirectory:
			j.made[r.Environment] = true
		}
	}
	return j
}

func environmentsOf(found []blaise.Resource) []blaise.EnvironmentID {
	ids := []blaise.EnvironmentID{}
	for _, r := range found {
		if r.Environment != "" && !slices.Contains(ids, r.Environment) {
			ids = append(ids, r.Environment)
		}
	}
	return ids
}
