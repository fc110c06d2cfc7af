package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"blaise.dev/blaise/internal/shim"

	"github.com/rogpeppe/go-internal/testscript"
)

// programs is where TestMain builds all programs, as a release has them: the
// small shim beside the others.
var programs string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "blaise-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = dir
	for name, source := range map[string]string{"blaise": "blaise", "runner": "runner", shim.SmallName: "shim"} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, name), "../../cmd/"+source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata",
		Setup:               setup,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"begin":     begin,
			"exits":     exits,
			"jsonfield": jsonField,
			"waitfile":  waitFile,
			"waitstate": waitState,
			"waitmsg":   waitMessage,
			"waitline":  waitLine,
			"waitsaid":  waitSaid,
			"worktree":  worktree,
			"gone":      gone,
			"running":   running,
			"noleft":    noLeft,
			"bytes":     writeBytes,
			"receiver":  receiver,
		},
	})
}

// setup gives each script a home of its own and a mark that every process it
// starts carries, so that none can stay unseen.
func setup(e *testscript.Env) error {
	mark := fmt.Sprintf("e2e-%d-%s", os.Getpid(), filepath.Base(e.WorkDir))
	home := filepath.Join(e.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	e.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	e.Setenv("HOME", home)
	e.Setenv("BLAISE_DATA", filepath.Join(e.WorkDir, "data"))
	e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		e.Setenv("GIT_"+who+"_NAME", "Tester")
		e.Setenv("GIT_"+who+"_EMAIL", "tester@example.org")
	}
	e.Setenv(markName, mark)
	// Whatever a script that failed halfway has left is ended here.
	e.Defer(func() { killLeft(mark, e.WorkDir) })
	return nil
}
