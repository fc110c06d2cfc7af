package config_test

import (
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise/config"
)

const withInputs = `version: 1
agent:
  command: [my-agent, --issue, "{input.issue}"]
  env: {BASE: "on {input.base}", PLAIN: "{input}"}
plugs:
  - {use: worktree, base: "{input.base}", branch: "work/{session}-{input.issue}"}
`

// {input.NAME} is filled in where values stand, and a value stays one: what
// looks like YAML or a placeholder in it is text.
func TestFill(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("blaise.yml", []byte(withInputs))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cfg.Inputs(), []string{"issue", "base"}; !slices.Equal(got, want) {
		t.Errorf("wants %v, want %v", got, want)
	}
	full, err := cfg.Fill(map[string]string{"issue": "7", "base": "x, saveLimit: 1 {input.issue}"})
	if err != nil {
		t.Fatal(err)
	}
	if got := full.Agent.Command[2]; got != "7" {
		t.Errorf("argument: got %q", got)
	}
	if got := full.Agent.Env["BASE"].Value; got != "on x, saveLimit: 1 {input.issue}" {
		t.Errorf("variable: got %q", got)
	}
	if got := full.Agent.Env["PLAIN"].Value; got != "{input}" {
		t.Errorf("no placeholder: got %q", got)
	}
	spec := string(full.Plugs[0].Bytes())
	for _, want := range []string{`base: "x, saveLimit: 1 {input.issue}"`, `branch: "work/{session}-7"`} {
		if !strings.Contains(spec, want) {
			t.Errorf("plug: got %s, want %s", spec, want)
		}
	}
	if again := string(cfg.Plugs[0].Bytes()); !strings.Contains(again, "{input.base}") {
		t.Errorf("filling one session's changed the file's: %s", again)
	}
	if _, err := cfg.Fill(map[string]string{"issue": "7"}); err == nil || !strings.Contains(err.Error(), "{input.base}") {
		t.Errorf("an input that is not there: got %v", err)
	}
}

// A file whose aliases lead to themselves ends too.
func TestFillEnds(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("blaise.yml", []byte("version: 1\nagent: {use: demo}\nplugs: [&a {use: worktree, repo: x, base: *a}]\n"))
	if err == nil {
		_, _ = cfg.Fill(nil) // it returns
	}
}

// Who begins a session chooses among addresses, not among the directories of the
// runner's machine.
func TestFillTakesAnAddressForARepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		repo, input string
		ok          bool
	}{
		{"{input.repo}", "https://h/team/app", true},
		{"{input.repo}", "", true},
		{"{input.repo}", "data", false},
		{"{input.repo}", "ann:s3cret@h:app", false},
		{"{input.repo}", "https://ann:s3cret@h/app", false},
		{"https://ann:{input.repo}@h/app", "s3cret", false},
		{"{input.repo}", "/etc", false},
		{"/srv/{input.repo}", "app", true}, // the operator's own choice
		{"/srv/{input.repo}", "../home/ann", false},
		{"../{input.repo}", "app", true},
		{"../{input.repo}", "../../etc", false},
		{"/srv/{input.repo}", "x://../../etc", false},
		{"{input.repo}", "https://{input.x}/../../../secret", false},
		{"{input.repo}", "https://{input.x}/app", false}, // no template again
		{"{input.repo}", "x::/../../../secret", false},
		{"{input.repo}", "https://h/../../../secret", false},
		{"{input.repo}", "git@h:a\n/../../../secret", false},
		{"https://h/{input.repo}", "team/app", true},
		{"https://h/{input.repo}", "../../../secret", false},
		{"https://h/{input.repo}", "{input.x}/../../secret", false},
		{"git@h:{input.repo}", "team/app", true},
		{"git@h:{input.repo}", "a\n/../../../secret", false},
		{"git@{input.repo}:team/app", "h", true},
		{"git@{input.repo}:team/app", "h/../../../secret", false},
	} {
		cfg, err := config.Parse("blaise.yml", []byte(good+"plugs: [{use: worktree, repo: \""+c.repo+"\"}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cfg.Fill(map[string]string{"repo": c.input}); (err == nil) != c.ok || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s with %q: %v", c.repo, c.input, err)
		}
	}
}
