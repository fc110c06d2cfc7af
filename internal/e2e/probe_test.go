package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/internal/fakemodel"
)

// R30, X10: `runner probe` of a real product, against a model on loopback: what
// counts works, and what is known of it is found again.
func TestProbeOfARealAgent(t *testing.T) {
	t.Parallel()
	for _, a := range realAgents[:1] { // the quick one
		t.Run(a.variable, func(t *testing.T) {
			program := os.Getenv(a.variable)
			if program == "" {
				t.Skipf("%s is not set: install %s and name its program", a.variable, a.install)
			}
			model := fakemodel.Start()
			t.Cleanup(model.Close)
			p := probe(t, a.agent(program, model.URL()))
			if !p.OK || p.Agent == "" || p.Todo != "" {
				t.Errorf("it does not do what a run needs: %+v", p)
			}
			for _, s := range p.Steps {
				if s.Result == acp.ProbeFails {
					t.Errorf("%s: %s", s.Name, s.Detail)
				}
			}
			if p.Agent == "codex-acp" && !p.Faults.Has(acp.IgnoresEOF) {
				t.Errorf("that it ignores the end of stdin was not seen: %v", p.Faults)
			}
			if !slices.Contains(p.Tried, acp.NoReplay) || p.Faults.Has(acp.NoReplay) {
				t.Errorf("it was not seen to remember: tried %v, faults %v", p.Tried, p.Faults)
			}
		})
	}
}

// probe runs `runner probe` of the agent of a blaise.yml, and reads what it
// prints and what it keeps.
func probe(t *testing.T, agent map[string]any) (printed acp.Probe) {
	t.Helper()
	dir := t.TempDir()
	config, err := json.Marshal(map[string]any{
		"version": 1, "agent": agent, "plugs": []any{map[string]any{"use": "local"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file, state := filepath.Join(dir, "blaise.yml"), filepath.Join(dir, "state")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	command, _ := agent["command"].([]string)
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "runner"),
		append([]string{"probe", "--json", "--config", file, "--state", state, "--"}, command...)...)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("runner probe: %v\n%s\n%s", err, out, stderrOf(err))
	}
	if err := json.Unmarshal(out, &printed); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kept, err := acp.LoadProbes(acp.ProbesDir(state))
	if err != nil || len(kept) != 1 || kept[0].Agent != printed.Agent {
		t.Errorf("kept %+v, %v", kept, err)
	}
	return printed
}
