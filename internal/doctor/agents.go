package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/internal/check"
)

// configuration is what `runner check` says.
func configuration(ctx context.Context, o Options) []Line {
	name := filepath.Base(o.Config)
	_, found, err := check.File(ctx, o.Config)
	if errors.Is(err, fs.ErrNotExist) {
		return lines(broken(name, "there is none in "+filepath.Dir(o.Config), "run this in the folder that the runner is started in, or name the file with --config; blaise.yml.example of Blaise shows how to write one"))
	}
	var all []Line
	for _, f := range found {
		what := name + ": " + f.What
		if f.What == o.Config {
			what = name
		}
		if f.OK {
			all = append(all, good(what, f.Text))
		} else {
			all = append(all, broken(what, f.Text, "correct "+o.Config+"; `runner check` says whether it is right"))
		}
	}
	return all
}

// agents says which agents that we know are here, and whether anything is known
// of their login. Only a probe can tell more: it costs turns of a model.
func agents(_ context.Context, o Options) []Line {
	probes := map[string]acp.Probe{}
	kept, _ := acp.LoadProbes(acp.ProbesDir(o.State)) // without them there is what is found
	for _, p := range kept {
		probes[p.Name] = p
	}
	cfg, _ := config.Read(o.Config) // configuration has said what is wrong
	var all []Line
	for _, name := range acp.Names() {
		p, _ := acp.Lookup(name)
		if len(p.Command) == 0 {
			continue // the demo agent is part of the program
		}
		if at, err := exec.LookPath(p.Command[0]); err == nil {
			all = append(all, agent(p, at, probes[name], cfg))
		}
	}
	if len(all) == 0 {
		return lines(doubtful("agents", "none that Blaise knows is on the PATH",
			"install one (docs/agents.md), or use one inside a container; the demo agent needs nothing"))
	}
	return all
}

func agent(p acp.Preset, at string, probe acp.Probe, cfg config.Config) Line {
	what := "agent " + p.Name
	key, ours := keyOf(p, cfg), cfg.Agent.Use == p.Name
	try := "try it: runner probe " + p.Name
	switch {
	case probe.Name != "" && !probe.OK:
		return doubtful(what, fmt.Sprintf("%s; the probe of %s failed", at, probe.At.Format("2006-01-02")), cmp.Or(probe.Todo, try))
	case probe.Name != "":
		return good(what, fmt.Sprintf("%s; the probe of %s worked (%s %s)", at, probe.At.Format("2006-01-02"), probe.Agent, probe.Version))
	case key != "":
		return good(what, at+"; "+key+" is set, not tried: runner probe "+p.Name)
	case ours && p.Login == "":
		return doubtful(what, at+"; none of "+strings.Join(p.Keys, ", ")+" is set", "give it one by agent.env in blaise.yml")
	case ours:
		return doubtful(what, at+"; no key is set, and whether it is logged in only a probe can tell", try+"; log in: "+p.Login)
	}
	return good(what, at+"; not tried: runner probe "+p.Name)
}

// keyOf is the variable that holds the agent's key, here or by blaise.yml.
func keyOf(p acp.Preset, cfg config.Config) string {
	for _, k := range p.Keys {
		if _, given := cfg.Agent.Env[k]; os.Getenv(k) != "" || given && cfg.Agent.Use == p.Name {
			return k
		}
	}
	return ""
}
