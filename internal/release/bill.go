package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A bill is the list of what is built into the programs of a platform, as
// CycloneDX 1.6 has it: the modules that the linker put in, no others.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   billMeta    `json:"metadata"`
	Components []component `json:"components"`
	Links      []billLink  `json:"dependencies"`
}

type billMeta struct {
	Timestamp time.Time `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string         `json:"type"`
	Ref        string         `json:"bom-ref"`
	Name       string         `json:"name"`
	Version    string         `json:"version"`
	PURL       string         `json:"purl,omitempty"`
	Properties []billProperty `json:"properties,omitempty"`
}

type billProperty struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A billLink says which modules are in a program.
type billLink struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// bill reads the programs in a folder.
func (r *release) bill(dir, goos, goarch string) ([]byte, error) {
	b := bill{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: billMeta{Timestamp: r.at, Component: component{Type: "application",
			Ref: "blaise", Name: "blaise", Version: r.version,
			Properties: []billProperty{{"blaise:platform", goos + "/" + goarch}}}},
	}
	modules := map[string]component{}
	for _, p := range programs {
		info, err := buildinfo.ReadFile(filepath.Join(dir, p.name))
		if err != nil {
			return nil, fmt.Errorf("read what is in %s: %w", p.name, err)
		}
		program := component{Type: "application", Ref: "program:" + p.name, Name: p.name, Version: r.version}
		b.Components = append(b.Components, program)
		in := []string{}
		for _, m := range append(info.Deps, standardLibrary(info.GoVersion)) {
			c := moduleOf(m)
			modules[c.Ref] = c
			in = append(in, c.Ref)
		}
		b.Links = append(b.Links, billLink{Ref: program.Ref, On: in})
	}
	for _, ref := range slices.Sorted(maps.Keys(modules)) {
		b.Components = append(b.Components, modules[ref])
	}
	out, err := json.MarshalIndent(b, "", "  ")
	return append(out, '\n'), err
}

// standardLibrary is Go's own, which is in every program.
func standardLibrary(version string) *debug.Module {
	return &debug.Module{Path: "std", Version: "v" + strings.TrimPrefix(version, "go")}
}

// moduleOf names a module by what was built: the replacement, if there is one.
// The sum is go.sum's, a hash of the module's files.
func moduleOf(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	purl := "pkg:golang/" + m.Path + "@" + m.Version
	c := component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
	if m.Sum != "" {
		c.Properties = []billProperty{{"go:sum", m.Sum}}
	}
	return c
}
