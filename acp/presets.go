package acp

import (
	"maps"
	"slices"
	"strings"
)

// Preset is how to start an agent we know. Facts were measured with the
// versions named in Install, against a fake model and without a network, unless
// Notes say that they were not.
type Preset struct {
	Name string
	// Command is the program and its arguments. It is empty for demo: the
	// caller knows the path of its own program.
	Command []string
	// Install is a command, or a hint, for a person.
	Install string
	// Login is what a person does once where the agent runs, "" if a key in
	// Env is the only way.
	Login string
	// Auth are the ids of methods that may be given to authenticate when the
	// agent asks for it: those that read a key and open no browser.
	Auth []string
	// Set are variables the agent gets unless blaise.yml sets them.
	Set []EnvNote
	// Env names variables the agent needs or understands, with a note each.
	Env []EnvNote
	// Keys are the names in Env that hold the key, any one of which will do.
	Keys []string
	// Say and Recall are the prompts of a probe, for an agent without a model;
	// %s in Say is a word that the answer to Recall must hold.
	Say, Recall string
	// Long is the prompt of a turn that lasts.
	Long string
	// Warning is what makes it lose work unless the user sets something, ""
	// for nothing.
	Warning string
	// Notes are what somebody who runs it should know.
	Notes []string
}

// EnvNote is an environment variable and what it is for, or its value.
type EnvNote struct{ Name, Note string }

// Lookup finds a preset by its name.
func Lookup(name string) (Preset, bool) {
	p, ok := Presets[name]
	return p, ok
}

// InstallCommand is Install where that is a command for a shell, else "".
func (p Preset) InstallCommand() string {
	line, _, _ := strings.Cut(p.Install, " (")
	switch tool, _, _ := strings.Cut(line, " "); tool {
	case "npm", "pip", "uv":
		return line
	}
	return ""
}

// Names are the names of all presets, in order.
func Names() []string { return slices.Sorted(maps.Keys(Presets)) }

// AuthMethod is the method, among those the agent offers, that may be tried
// without a person; "" for none. def is what the agent proposes.
func (p Preset) AuthMethod(offered []AuthMethod, def string) string {
	for _, id := range append([]string{def}, p.Auth...) {
		known := slices.Contains(p.Auth, id)
		for _, m := range offered {
			if known && m.ID == id && m.Type == "agent" {
				return id
			}
		}
	}
	return ""
}
