package check

import (
	"context"
	"fmt"
	"os/exec"
	"slices"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"
)

// checkAgent looks for the agent's program: here, or in the image of the
// container that it is to live in. Behind other plugs with programs of their own
// only a run can tell.
func checkAgent(ctx context.Context, cfg config.Config, file string) Finding {
	argv := cfg.Agent.Command
	preset, _ := acp.Lookup(cfg.Agent.Use) // config knows it
	if len(argv) == 0 {
		argv = preset.Command
	}
	if len(argv) == 0 {
		return Finding{What: "agent", OK: true, Text: "the demo agent, part of this program"}
	}
	if !hostPrograms(cfg.Plugs) {
		return checkInside(ctx, cfg, file, argv[0], preset)
	}
	if at, err := exec.LookPath(argv[0]); err == nil {
		return Finding{What: "agent", OK: true, Text: at}
	}
	missing := fmt.Sprintf("program %q is not found", argv[0])
	switch {
	case len(cfg.Agent.Install) > 0:
		return Finding{What: "agent", OK: true, Text: missing + ": agent.install is to bring it"}
	case preset.Install != "":
		return Finding{What: "agent", Text: missing + ": " + preset.Install}
	}
	return Finding{What: "agent", Text: missing}
}

// checkInside looks into the first layer with programs of its own.
func checkInside(ctx context.Context, cfg config.Config, file, program string, preset acp.Preset) Finding {
	i := slices.IndexFunc(cfg.Plugs, ownPrograms)
	spec := cfg.Plugs[i]
	at, known := findInside(ctx, cfg.Base(file), spec, program)
	inside := fmt.Sprintf("inside plug %q", spec.ID)
	switch {
	case at != "":
		return Finding{What: "agent", OK: true, Text: at + " " + inside}
	case len(cfg.Agent.Install) > 0:
		inside += ", or agent.install is to bring it"
	case preset.InstallCommand() != "":
		inside += ", or is installed there: " + preset.InstallCommand()
	case known && !slices.ContainsFunc(cfg.Plugs[i:], brings):
		return Finding{What: "agent", Text: fmt.Sprintf("program %q is not %s: "+
			"bring it with the image, or say by agent.install how to install it there", program, inside)}
	}
	return Finding{What: "agent", OK: true, Text: fmt.Sprintf("%s must be %s", program, inside)}
}

// findInside leaves it to the plug's own check to say what is wrong with it.
func findInside(ctx context.Context, dir string, s plug.Spec, program string) (at string, known bool) {
	p, err := plug.New(s)
	finder, ok := p.(plug.ProgramFinder)
	if err != nil || !ok {
		return "", false
	}
	at, known, err = finder.FindProgram(ctx, &plug.Local{Dir: dir}, program)
	return at, known && err == nil
}

// brings says that the layer may bring programs into the one around it.
func brings(s plug.Spec) bool { return s.Use == "setup" || s.Use == "exec" }

// ownPrograms says that the layer has programs of its own.
func ownPrograms(s plug.Spec) bool { return s.Use == "container" || s.Use == "devcontainer" }

// hostPrograms says that the agent sees the programs of this machine.
func hostPrograms(specs []plug.Spec) bool { return !slices.ContainsFunc(specs, ownPrograms) }
