package agents_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// installedName names the directory that scripts/install-agents.sh has filled.
const installedName = "BLAISE_TEST_AGENTS"

var update = flag.Bool("update", false, "write docs/agents.md")

// programs is where blaise and runner are built, as a release would.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv(installedName) == "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "blaise-agents-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = dir
	build := exec.Command("go", "build", "-o", dir+"/", "../../cmd/blaise", "../../cmd/runner")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// TestAgents runs every product that is installed through all steps.
func TestAgents(t *testing.T) {
	installed := os.Getenv(installedName)
	if installed == "" {
		t.Skipf("%s is not set: run make test-agents, which installs real agents", installedName)
	}
	for _, p := range products {
		t.Run(p.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(installed, p.name, "installed")); err != nil {
				t.Skipf("not installed: run scripts/install-agents.sh %s %s", installed, p.name)
			}
			r := drive(t, p, installed)
			if *update {
				r.save(t)
			}
		})
	}
}

// drive goes through the steps. After one that failed it goes on with a new
// session, so that one fault does not hide the others.
func drive(t *testing.T, p product, installed string) result {
	how, _ := p.launch()
	r := result{Name: p.name, Title: p.title, Version: p.version, How: how, Day: today()}
	r.Load = load()
	k := &talk{system: startSystem(t, p, installed), product: p}
	broken := false
	for i, s := range steps {
		if broken && i < len(steps)-2 {
			k.afresh()
		}
		began := time.Now()
		note, err := s.do(k)
		o := outcome{Step: s.name, State: "ok", Seconds: time.Since(began).Seconds(), Note: note}
		if err != nil {
			o.State, o.Note = "FAILED", clean(err.Error(), k.dir)
			t.Errorf("%s: %v", s.name, err)
		}
		broken = err != nil
		t.Logf("%s: %s %s", s.name, o.cell(), o.Note)
		r.Steps = append(r.Steps, o)
	}
	r.Load += " to " + load()
	if r.Unknown = k.model.Unknown(); len(r.Unknown) > 0 {
		t.Logf("the model was asked for what it has not: %q", r.Unknown)
	}
	return r
}

// afresh gives the session up and begins another; what is wrong with that, the
// next step says.
func (k *talk) afresh() {
	_, _ = k.try("blaise", "end", string(k.id))
	if _, err := k.start(); err != nil {
		k.t.Logf("start again: %v", err)
	}
}

// clean makes one line of it that is the same on every machine.
func clean(text, dir string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, dir, "DIR")), " ")
	if len(text) > 400 {
		text = text[:400] + " ..."
	}
	return strings.ReplaceAll(text, "|", "/")
}
