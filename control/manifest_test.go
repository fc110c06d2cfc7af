package control_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"

	"gopkg.in/yaml.v3"
)

func TestManifestExample(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../agent.yml.example")
	if err != nil {
		t.Fatal(err)
	}
	m, err := control.ParseManifest(b)
	if err != nil {
		t.Fatal(err)
	}
	got, want := m.Policy, blaise.DefaultPolicy()
	if *got.OthersWait == want.IdleWhenOthersWait() {
		got.OthersWait = nil
	}
	want.TeardownRetry = []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the example sets\n%+v, want the defaults\n%+v", got, want)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	for _, path := range control.ManifestKeys() {
		if !stands(doc, path) {
			t.Errorf("the example has no %s", strings.Join(path, "."))
		}
	}
}

func stands(in map[string]any, path []string) bool {
	v, ok := in[path[0]]
	if len(path) == 1 || !ok {
		return ok
	}
	inner, _ := v.(map[string]any)
	return stands(inner, path[1:])
}

func TestManifestErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ spec, want string }{
		"unknown key": {"polcy: {}", `line 5: unknown key "polcy" in spec; did you mean "policy"? (keys here: requirements, inputs, policy`},
		"inside":      {"policy: {idle: {aftr: 3m}}", `line 5: unknown key "aftr" in spec.policy.idle; did you mean "after"?`},
		"later":       {"door: {}", "line 5: spec.door is not enforced by this version"},
		"concurrency": {"concurrency: 0", `line 5: spec.concurrency: "0" is no limit: write 1 or more, or off`},
		"rule":        {"gate: [{tol: edit, then: ask}]", `line 5: unknown key "tol" in spec.gate; did you mean "tool"?`},
		"tool":        {"gate: [{tool: [read, exec], then: ask}]", `gate rule 1: tool: "exec" is none of read, edit`},
		"ruling":      {"gate: [{then: ask}, {then: allw}]", `gate rule 2: then: "allw" is none of allow, ask, deny; did you mean "allow"?`},
		"no ruling":   {"gate: [{tool: edit}]", "gate rule 1: then is missing"},
		"unreachable": {"gate: [{then: ask}, {tool: read, then: allow}]", "gate rule 2 can never match: rule 1 matches everything"},
		"home":        {`gate: [{path: "~/.ssh/**", then: deny}]`, `gate rule 1: path: "~/.ssh/**": nothing is filled in`},
		"dots":        {`gate: [{path: "../x", then: deny}]`, "a path outside the workspace is absolute"},
		"compound":    {"gate: [{compound: true, then: allow}]", "compound says how command is matched"},
		"no command":  {"gate: [{tool: edit, command: ls, then: allow}]", "command is of the tool execute alone"},
		"a list":      {"policy: []", "line 5: spec.policy: want the keys idle, maxPaused"},
		"duration":    {"policy: {maxPaused: soon}", `line 5: spec.policy.maxPaused: "soon" is not a duration`},
		"in a list":   {"policy: {teardownRetry: [1m, x]}", `spec.policy.teardownRetry: "x" is not a duration`},
		"number":      {"policy: {lease: {misses: many}}", "spec.policy.lease.misses: want a whole number"},
		"choice":      {"policy: {idle: {then: stop}}", `policy.idle.then: "stop" is none of pause, end`},
		"label":       {"requirements: {os: [linux]}", "spec.requirements.os: want a single value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := control.ParseManifest([]byte(
				"apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: x}\nspec:\n  " + c.spec + "\n"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if strings.Contains(err.Error(), "control.") || strings.Contains(err.Error(), "!!") {
				t.Errorf("error %v speaks of Go or YAML", err)
			}
		})
	}
}

// A second document would be dropped: it is refused, good or bad.
func TestManifestIsOne(t *testing.T) {
	t.Parallel()
	const one = "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: x}\n---\n"
	for more, want := range map[string]string{
		"kind: Agent\n": "a second document begins in line 4", "garbage: [\n": "this is not YAML: line 5",
	} {
		_, err := control.ParseManifest([]byte(one + more))
		if blaise.CodeOf(err) != blaise.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("with %q: %v, want %q", more, err, want)
		}
	}
}
