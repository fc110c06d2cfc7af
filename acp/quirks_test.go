package acp_test

import (
	"testing"

	"blaise.dev/blaise/acp"
)

func TestFaultsHoldForARangeOfVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, version string
		fault         acp.Fault
		want          bool
	}{
		{"qwen-code", "0.15.10", acp.UnknownLoads, true},
		{"Qwen-Code", "0.23.9-nightly", acp.UnknownLoads, true},
		{"qwen-code", "0.24.0", acp.UnknownLoads, false},
		{"qwen-code", "v1.0", acp.UnknownLoads, false},
		{"qwen-code", "", acp.UnknownLoads, true},
		{"gemini-cli", "9.9", acp.LoadMinAge, true},
		{"@agentclientprotocol/codex-acp", "2.6.0", acp.NoReplay, false},
		{"nobody", "1", acp.NoReplay, false},
		{"grok", "0.1.219", acp.NoCancel, true},
		{"grok", "1.0", acp.NoCancel, false},
	} {
		if got := acp.FaultsOf(c.name, c.version).Has(c.fault); got != c.want {
			t.Errorf("%s %s %s: got %v, want %v", c.name, c.version, c.fault, got, c.want)
		}
	}
}

// R30: what a probe found on this machine outranks the table, for the version
// that was probed.
func TestProbeOutranksTheTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := acp.Probe{
		Name: "/usr/bin/gemini", Agent: "gemini-cli", Version: "0.70.0",
		Tried:  []acp.Fault{acp.LoadAfterResponse, acp.NoReplay},
		Faults: acp.Faults{acp.NoReplay: "nothing is played back"},
	}
	if err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	f := acp.FaultsAt(dir, "gemini-cli", "0.70.0")
	if f.Has(acp.LoadAfterResponse) || !f.Has(acp.NoReplay) || !f.Has(acp.LoadMinAge) {
		t.Errorf("got %v", f)
	}
	if f := acp.FaultsAt(dir, "gemini-cli", "0.71.0"); f.Has(acp.NoReplay) {
		t.Errorf("another version got %v", f)
	}
	if f := acp.FaultsAt(dir+"/none", "gemini-cli", "0.70.0"); !f.Has(acp.LoadAfterResponse) {
		t.Errorf("without probes: %v", f)
	}
	if probes, err := acp.LoadProbes(dir); err != nil || len(probes) != 1 {
		t.Errorf("got %v, %v", probes, err)
	}
}

// R15: only a method that is known to need no person is tried.
func TestAuthMethodNeedsNoPerson(t *testing.T) {
	t.Parallel()
	p := acp.Presets["gemini"]
	offered := []acp.AuthMethod{
		{ID: "oauth-personal", Type: "agent"}, {ID: "gemini-api-key", Type: "agent"},
		{ID: "vertex-ai", Type: "agent"},
	}
	for def, want := range map[string]string{
		"": "gemini-api-key", "oauth-personal": "gemini-api-key", "vertex-ai": "vertex-ai",
	} {
		if got := p.AuthMethod(offered, def); got != want {
			t.Errorf("default %q: got %q, want %q", def, got, want)
		}
	}
	if got := p.AuthMethod([]acp.AuthMethod{{ID: "gemini-api-key", Type: "terminal"}}, ""); got != "" {
		t.Errorf("a terminal method was chosen: %q", got)
	}
	if got := (acp.Preset{}).AuthMethod(offered, "oauth-personal"); got != "" {
		t.Errorf("an unknown agent got %q", got)
	}
}
