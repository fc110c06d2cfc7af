// Package config reads blaise.yml and says precisely what is wrong with it.
// Package run and the commands of the runner call it. It opens no plug, looks
// up no variable and starts nothing.
package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"blaise.dev/blaise/plug"
)

// A Config is what blaise.yml says: how this runner's sessions run. Times are
// none of it: idle, pause and limits are settings of the agent in Blaise (A6).
type Config struct {
	Version int    // of the schema, 1
	Dir     string // what relative paths are relative to; see Base
	Agent   Agent
	Plugs   []plug.Spec // the first is outermost; ids are set and differ
	Runner  Runner
}

// Base is what the relative paths of the configuration in file are relative to,
// and where its commands work: dir, or where the file is.
func (c Config) Base(file string) string {
	if filepath.IsAbs(c.Dir) {
		return c.Dir
	}
	return filepath.Join(filepath.Dir(file), c.Dir)
}

// An Agent says how to start the coding agent. Either Use or Command is set.
type Agent struct {
	Use        string   // a preset of package acp
	Command    []string // the program and its arguments
	Env        map[string]EnvValue
	Install    []string          // lines for a shell that bring the program, where it is missing
	MCPServers []json.RawMessage // as in ACP
	FS         bool              // offer the agent files over ACP
	Terminal   bool              // offer the agent terminals over ACP
}

// An EnvValue is a variable of the agent: a value, or the name of a variable
// of the runner to take it from.
type EnvValue struct {
	Value  string
	From   string // "" if Value is it
	Secret bool   // it must not leave the run
}

// A Runner says what this runner offers.
type Runner struct {
	Slots  int // runs at a time, 4 unless set
	Labels map[string]string
	Repos  []string // patterns of the repositories that it may fetch by URL
	// MirrorDays is for how many days a mirror that nobody fetches is kept, 30
	// unless set; 0: for ever.
	MirrorDays int
}

const (
	defaultSlots      = 4
	defaultMirrorDays = 30
)

// Read reads the file at path. What is wrong in it is a Problems.
func Read(path string) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("read configuration: %w", err)
	}
	return Parse(path, data)
}

// Parse reads data; name stands for it in errors. What is wrong is a Problems
// with everything at once, in the order of the file.
func Parse(name string, data []byte) (Config, error) {
	c := &checker{file: name}
	var cfg Config
	if root := c.root(data); root != nil {
		c.refuseTimes(root, "")
		cfg = c.config(root)
	}
	if len(c.problems) > 0 {
		return Config{}, c.sorted()
	}
	return cfg, nil
}
