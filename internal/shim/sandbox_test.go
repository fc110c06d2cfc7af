//go:build linux

package shim_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise/internal/shim"
	"blaise.dev/blaise/internal/shim/jail"
)

// prison is a sandbox that can be made here, by the driver, around a directory.
func prison(t *testing.T, driver string) jail.Spec {
	t.Helper()
	base := t.TempDir()
	spec := jail.Spec{
		Driver: driver, Work: filepath.Join(base, "work"), Home: filepath.Join(base, "home"),
		Tmp: filepath.Join(base, "tmp"), Etc: filepath.Join(base, "etc"), Shim: self(),
		Network: jail.NetworkNone, Nonce: "nonce",
	}
	if err := os.Mkdir(spec.Work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := spec.CopySettings(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self(), "shim", "sandbox", spec.String(), "--", "true").CombinedOutput()
	if err != nil {
		t.Skipf("no sandbox by %s can be made here: %s", driver, out)
	}
	return spec
}

func eachDriver(t *testing.T, test func(t *testing.T, spec jail.Spec)) {
	t.Parallel()
	for _, driver := range []string{jail.Bubblewrap, jail.Namespaces, jail.Landlock} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			test(t, prison(t, driver))
		})
	}
}

func sandboxed(spec jail.Spec, args ...string) []string {
	return append([]string{self(), "shim", "sandbox", spec.String(), "--"}, args...)
}

// A shim that is to start a sandbox makes it itself: the first process of the
// sandbox is its child, and no other shim stands between.
func TestSandboxHasOneShimOutside(t *testing.T) {
	eachDriver(t, func(t *testing.T, spec jail.Spec) {
		p, out := start(t, shim.Command{Args: sandboxed(spec, "sh", "-c", "echo here; exec sleep 300")})
		for said := []string{}; len(said) < 2; said = append(said, out.Text()) { // its word and the command's
			if !out.Scan() {
				t.Fatalf("it said %q", said)
			}
		}
		outer, _ := p.Shim()
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
		if _, rest, _ := strings.Cut(string(stat), ") "); err != nil || !strings.HasPrefix(rest[2:], fmt.Sprint(outer, " ")) {
			t.Errorf("pid %d is no child of its shim, %d: %s %v", p.PID(), outer, stat, err)
		}
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID()))
		if args := strings.Split(string(line), "\x00"); err != nil || len(args) < 3 || args[0] != "bwrap" && args[2] != "inside" {
			t.Errorf("the shim started %q, %v", args, err)
		}
	})
}

// A command in a sandbox gets the signals that its shim is told of, any signal,
// and ends as it ends.
func TestSandboxSignals(t *testing.T) {
	eachDriver(t, func(t *testing.T, spec jail.Spec) {
		p, out := start(t, shim.Command{Args: sandboxed(spec, "sh", "-c",
			`trap 'echo got; exit 7' URG; echo here; while :; do sleep 0.01; done`)})
		for out.Text() != "here" && out.Scan() {
		}
		if err := p.Signal(syscall.SIGURG); err != nil {
			t.Fatal(err)
		}
		if code, signal, err := p.Wait(); code != 7 || signal != "" || err != nil {
			t.Errorf("exit %d %q, %v", code, signal, err)
		}
		for out.Text() != "got" { // the sandbox's own word may come late
			if !out.Scan() {
				t.Fatal("the command got no signal")
			}
		}
		<-p.Gone()
	})
}

// A prisoner dies with the shim outside, whatever it does about it.
func TestSandboxDiesWithItsShim(t *testing.T) {
	eachDriver(t, func(t *testing.T, spec jail.Spec) {
		p, out := start(t, shim.Command{Args: sandboxed(spec, "sh", "-c", `trap "" TERM HUP INT; echo here; while :; do sleep 300; done`)})
		for out.Text() != "here" && out.Scan() {
		}
		outer, _ := p.Shim()
		if err := syscall.Kill(outer, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-p.Gone()
		for out.Scan() { // its end is that of all that could write
		}
		wantDead(t, []int{p.PID()}, 10*time.Second)
	})
}

// A sandbox that cannot be made says so in the command's output, with what the
// program that makes it complained of, and leaves nothing.
func TestSandboxThatCannotBeMade(t *testing.T) {
	eachDriver(t, func(t *testing.T, spec jail.Spec) {
		spec.Dir = filepath.Join(spec.Work, "absent")
		p, out := start(t, shim.Command{Args: sandboxed(spec, "true")})
		out.Scan()
		want := shim.Word("nonce", "error failed make sandbox ("+spec.Driver+"): ")
		if got := out.Text(); !strings.HasPrefix(got, want) || !strings.Contains(got, "absent") {
			t.Errorf("it said %q, want %q and why", got, want)
		}
		<-p.Gone()
		if code, _, err := p.Wait(); code == 0 || err != nil {
			t.Errorf("exit %d, %v", code, err)
		}
	})
}

// The verb started by itself, by a place that puts something before it, is as
// the command would be: signals and end alike.
func TestSandboxVerbByItself(t *testing.T) {
	eachDriver(t, func(t *testing.T, spec jail.Spec) {
		for script, want := range map[string]string{
			"exit 3": "exit status 3",
			`trap 'exit 9' HUP; echo here; while :; do sleep 0.01; done`: "exit status 9",
			"kill -KILL $$": "signal: killed",
		} {
			argv := sandboxed(spec, "sh", "-c", script)
			cmd := exec.Command(argv[0], argv[1:]...)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if said, _ := io.ReadAll(io.LimitReader(out, 5)); string(said) == "here\n" {
				_ = cmd.Process.Signal(syscall.SIGHUP)
			}
			if err := cmd.Wait(); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", script, err, want)
			}
		}
	})
}
