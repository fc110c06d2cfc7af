package plug

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"blaise.dev/blaise/internal/shim"
	"blaise.dev/blaise/internal/shim/jail"
)

// The walls of a sandbox, for require and for what is said of them.
const (
	wallFiles      = "files"      // nothing is seen or changed but what is listed
	wallProcesses  = "processes"  // those of others are not to be seen
	wallNetwork    = "network"    // there is none but what is asked for
	wallSockets    = "sockets"    // those of others, abstract ones too, are out of reach
	wallSyscalls   = "syscalls"   // what changes the machine is refused
	wallPrivileges = "privileges" // there are none, and none to be gained
	wallPIDs       = "pids"       // so many processes and no more
)

var wallNames = []string{
	wallFiles, wallProcesses, wallNetwork, wallSockets, wallSyscalls, wallPrivileges, wallPIDs,
}

// A foundSandbox is what the probe found in a place.
type foundSandbox struct{ shim.Probe }

// probe tries, in outer, what of the spec can be had, and sets its driver.
func (b *sandbox) probe(ctx context.Context, outer Env, spec *jail.Spec) (foundSandbox, error) {
	found, err := probeSandbox(ctx, outer, *spec)
	if err != nil {
		return found, fmt.Errorf("probe sandbox: %w", err)
	}
	last := found.Tried[len(found.Tried)-1]
	if last.Why != "" {
		return found, fmt.Errorf("open sandbox: %w: none can be made here: %s", ErrRefused, found.whyNot())
	}
	spec.Driver = last.Driver
	if spec.Network == jail.NetworkProxy && !spec.OwnView() {
		spec.Port = b.proxy.port
	}
	if spec.Network == jail.NetworkProxy && !spec.OwnView() && found.LandlockABI < netABI {
		return found, fmt.Errorf("open sandbox: %w: no network can be closed here but all of it (%s): "+
			"choose network: none or host", ErrRefused, found.whyNot())
	}
	return found, nil
}

// The versions of Landlock from which it binds TCP, and keeps in signals and
// abstract sockets.
const (
	netABI   = 4
	scopeABI = 6
)

func probeSandbox(ctx context.Context, outer Env, spec jail.Spec) (foundSandbox, error) {
	var found foundSandbox
	var out bytes.Buffer
	said := &capped{most: 4 << 10}
	place := outer.Place()
	err := Run(ctx, outer, Cmd{
		Args: []string{place.Shim, "shim", "probe", spec.String()}, Stdout: &out, Stderr: said,
	})
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &found)
	}
	if err == nil && len(found.Tried) == 0 {
		err = fmt.Errorf("it tried nothing")
	}
	if err != nil {
		return found, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.kept.String()))
	}
	return found, nil
}

func (f foundSandbox) whyNot() string {
	var whys []string
	for _, t := range f.Tried {
		if t.Why != "" {
			whys = append(whys, t.Driver+": "+t.Why)
		}
	}
	return strings.Join(whys, "; ")
}

// A wallReport is which walls stand, and which do not, and why.
type wallReport struct {
	spec    jail.Spec
	stand   []string
	missing map[string]string
	found   foundSandbox
}

func (f foundSandbox) walls(spec jail.Spec, c sandboxConfig) wallReport {
	r := wallReport{spec: spec, found: f, missing: map[string]string{}}
	own, scoped := spec.OwnView(), f.LandlockABI >= scopeABI
	if !own {
		r.missing[wallProcesses] = "those of others can be listed"
		if !scoped {
			r.missing[wallProcesses] += ", and signalled"
		}
	}
	if own && spec.Network == jail.NetworkHost && !scoped {
		r.missing[wallSockets] = "the kernel's Landlock is too old to keep abstract sockets in"
	}
	if !own && spec.Network == jail.NetworkProxy {
		r.missing[wallNetwork] = fmt.Sprintf("port %d, the proxy's, is open on every address", spec.Port)
	}
	switch {
	case c.PIDs == 0:
		r.missing[wallPIDs] = "no limit is asked for"
	case spec.Group == "" && f.Root:
		r.missing[wallPIDs] = "no control group can be made (" + f.GroupsWhy + "), and root has no limit else"
	case spec.Group == "" && !own:
		r.missing[wallPIDs] = "no control group can be made (" + f.GroupsWhy + ")"
	}
	for _, name := range wallNames {
		if _, missing := r.missing[name]; !missing {
			r.stand = append(r.stand, name)
		}
	}
	return r
}

// require refuses what is weaker than asked for.
func (r wallReport) require(names []string) error {
	for _, name := range names {
		if why, missing := r.missing[name]; missing {
			return fmt.Errorf("%w: require: %s cannot be enforced here: %s", ErrRefused, name, why)
		}
	}
	return nil
}

// String says it all in a sentence or two.
func (r wallReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Sandbox by %s, network %s. Enforced: %s.", r.spec.Driver, r.spec.Network,
		strings.Join(r.stand, ", "))
	for i, name := range slices.DeleteFunc(slices.Clone(wallNames), func(n string) bool { return r.missing[n] == "" }) {
		if i == 0 {
			b.WriteString(" Not enforced: ")
		} else {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s (%s)", name, r.missing[name])
	}
	if len(r.missing) > 0 {
		b.WriteString(".")
	}
	if why := r.found.whyNot(); why != "" {
		b.WriteString(" Better ones cannot be had: " + why + ".")
	}
	return b.String()
}
