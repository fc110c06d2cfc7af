package acp

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Probe is what an agent was seen to do on a machine: the result of
// RunProbe, kept beside the runner's state.
type Probe struct {
	// Name is the preset, or the program, that was probed.
	Name string `json:"name"`
	// Agent and Version are what the agent calls itself.
	Agent   string    `json:"agent"`
	Version string    `json:"version"`
	At      time.Time `json:"at"`
	// OK: every step that counts worked.
	OK    bool        `json:"ok"`
	Steps []ProbeStep `json:"steps"`
	// Tried are the faults that were looked for, Faults those that are there.
	Tried  []Fault `json:"tried,omitempty"`
	Faults Faults  `json:"faults,omitempty"`
	// Todo is what a person must do before the agent works, "" for nothing.
	Todo string `json:"todo,omitempty"`
	// Says is the whole result of initialize.
	Says json.RawMessage `json:"says,omitempty"`
}

// A ProbeStep is one thing that was tried.
type ProbeStep struct {
	Name   string        `json:"name"`
	Result ProbeResult   `json:"result"`
	Took   time.Duration `json:"took"`
	Detail string        `json:"detail,omitempty"`
}

// A ProbeResult says how a step went.
type ProbeResult string

// The results of a step. Odd is a fault that a client can live with.
const (
	ProbeWorks   ProbeResult = "works"
	ProbeOdd     ProbeResult = "odd"
	ProbeFails   ProbeResult = "fails"
	ProbeSkipped ProbeResult = "skipped"
)

// Covers tells whether the probe is of this agent, in this version.
func (p Probe) Covers(agent, version string) bool {
	return p.Agent != "" && strings.EqualFold(p.Agent, agent) && p.Version == version
}

// ProbesDir is where probes are, under the state directory of a runner.
func ProbesDir(state string) string { return filepath.Join(state, "probes") }

// Save writes the probe into dir, in the place of the last one of its name.
func (p Probe) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, fileName(p.Name)+".json")
	if err := os.WriteFile(path+".new", append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// fileName keeps what a program's path has that a file's name must not.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, filepath.Base(name))
}

// LoadProbes reads the probes in dir, skipping what is none. A dir that is not
// there has none.
func LoadProbes(dir string) ([]Probe, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var probes []Probe
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return probes, err
		}
		var p Probe
		if json.Unmarshal(b, &p) == nil && p.Name != "" {
			probes = append(probes, p)
		}
	}
	return probes, nil
}

// FaultsAt are the faults of an agent on the machine whose probes are in dir:
// the table, corrected by a probe of the same agent and version.
func FaultsAt(dir, agent, version string) Faults {
	faults := FaultsOf(agent, version)
	probes, _ := LoadProbes(dir) // without them there is the table
	for _, p := range probes {
		if p.Covers(agent, version) {
			faults = faults.With(p)
		}
	}
	return faults
}
