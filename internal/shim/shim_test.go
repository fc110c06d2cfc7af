//go:build linux

package shim_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise/internal/shim"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "shim" {
		os.Exit(shim.Main(os.Args[1:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "parent" { // starts a tree and waits to be killed
		p, err := shim.Start(context(), shim.Command{Program: self(), Args: os.Args[2:], Stdout: os.Stdout})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		_, _, _ = p.Wait()
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "nested" { // is asked to be a shim, and is none
		_, err := shim.Start(context(), shim.Command{Program: self(), Args: []string{"true"}})
		fmt.Println(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// tree starts a session leader with a child of its own that ignores what can be
// ignored, and prints the pids of all.
const tree = `setsid sh -c 'trap "" TERM HUP INT; sleep 300 & echo $$ $!; wait' & (sleep 300 & echo $!) ; echo $$; wait`

func start(t testing.TB, c shim.Command) (*shim.Process, *bufio.Scanner) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Program, c.Stdout, c.Stderr = self(), w, w
	p, err := shim.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { _ = p.Kill(); r.Close() })
	return p, bufio.NewScanner(r)
}

// pids reads n pids that the tree prints.
func pids(t testing.TB, lines *bufio.Scanner, n int) (all []int) {
	t.Helper()
	for len(all) < n && lines.Scan() {
		for _, f := range strings.Fields(lines.Text()) {
			pid, err := strconv.Atoi(f)
			if err != nil {
				t.Fatalf("output: %q", lines.Text())
			}
			all = append(all, pid)
		}
	}
	if len(all) < n {
		t.Fatalf("got pids %v, want %d", all, n)
	}
	return all
}

func wantDead(t testing.TB, all []int, within time.Duration) {
	t.Helper()
	deadline := time.Now().Add(within)
	for _, pid := range all {
		for running(pid) {
			if time.Now().After(deadline) {
				t.Errorf("pid %d lives", pid)
				break
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
}

func running(pid int) bool {
	start := shim.StartTime(pid)
	return start != 0 && shim.Alive(pid, start)
}

func TestKill(t *testing.T) {
	t.Parallel()
	p, lines := start(t, shim.Command{Args: []string{"sh", "-c", tree}})
	all := pids(t, lines, 4)
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	wantDead(t, all, 0)
	if _, signal, err := p.Wait(); signal != "SIGKILL" || err != nil {
		t.Errorf("wait: got %q, %v, want SIGKILL", signal, err)
	}
	if err := errors.Join(p.Kill(), p.Kill()); err != nil {
		t.Errorf("kill again: %v", err)
	}
	if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal the dead: got %v", err)
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	t.Run("code", func(t *testing.T) {
		p, _ := start(t, shim.Command{Args: []string{"sh", "-c", "exit 41"}})
		if code, signal, err := p.Wait(); code != 41 || signal != "" || err != nil {
			t.Errorf("got %d %q %v", code, signal, err)
		}
	})
	t.Run("signal", func(t *testing.T) {
		p, _ := start(t, shim.Command{Args: []string{"sh", "-c", "kill -SEGV $$"}})
		if code, signal, _ := p.Wait(); code != 128+11 || signal != "SIGSEGV" {
			t.Errorf("got %d %q", code, signal)
		}
	})
	t.Run("ends what the command leaves", func(t *testing.T) {
		p, lines := start(t, shim.Command{Args: []string{"sh", "-c", `setsid sleep 300 & echo $!; (sleep 300 & echo $!)`}})
		all := pids(t, lines, 2)
		<-p.Gone()
		wantDead(t, all, 0)
	})
	t.Run("answers many waits", func(t *testing.T) {
		p, _ := start(t, shim.Command{Args: []string{"true"}})
		got := make(chan int)
		for range 3 {
			go func() { code, _, _ := p.Wait(); got <- code }()
		}
		for range 3 {
			if code := <-got; code != 0 {
				t.Error(code)
			}
		}
	})
}

func TestStart(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		cmd  shim.Command
		want error
	}{
		"not found":       {shim.Command{Program: self(), Args: []string{"no-such-command"}}, shim.ErrNotFound},
		"path not found":  {shim.Command{Program: self(), Args: []string{"/no/such"}}, shim.ErrNotFound},
		"not a program":   {shim.Command{Program: self(), Args: []string{text}}, shim.ErrNotRunnable},
		"no directory":    {shim.Command{Program: self(), Args: []string{"true"}, Dir: "/no/such"}, nil},
		"no shim":         {shim.Command{Program: "/bin/true", Args: []string{"true"}}, nil},
		"no such shim":    {shim.Command{Program: "/no/shim", Args: []string{"true"}}, nil},
		"PATH of its env": {shim.Command{Program: self(), Args: []string{"ls"}, Env: []string{"PATH=/nowhere"}}, shim.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := shim.Start(t.Context(), c.cmd)
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestSignal(t *testing.T) {
	t.Parallel()
	p, lines := start(t, shim.Command{Args: []string{"sh", "-c", `trap 'exit 9' INT; echo ok; while :; do sleep 0.01; done`}})
	lines.Scan()
	if err := p.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := p.Wait(); code != 9 {
		t.Errorf("exit %d, want 9", code)
	}
}

// The shim is deaf for itself, the command is not.
func TestShimIgnoresSignals(t *testing.T) {
	t.Parallel()
	p, lines := start(t, shim.Command{Args: []string{"sh", "-c", "echo ok; exec sleep 300"}})
	lines.Scan()
	pid, _ := p.Shim()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, signal, err := p.Wait(); signal != "SIGTERM" || err != nil {
		t.Errorf("got %q, %v, want SIGTERM of the command", signal, err)
	}
}

func TestFence(t *testing.T) {
	t.Parallel()
	t.Run("kills when it has passed", func(t *testing.T) {
		began := time.Now()
		p, lines := start(t, shim.Command{Args: []string{"sh", "-c", tree}, Fence: shim.Boottime() + 400*time.Millisecond})
		all := pids(t, lines, 4)
		<-p.Gone()
		wantDead(t, all, 0)
		if d := time.Since(began); d < 390*time.Millisecond || d > 3*time.Second {
			t.Errorf("killed after %v", d)
		}
	})
	t.Run("is renewed", func(t *testing.T) {
		p, lines := start(t, shim.Command{Args: []string{"sh", "-c", "echo ok; exec sleep 300"}, Fence: shim.Boottime() + 300*time.Millisecond})
		lines.Scan()
		if err := p.Fence(shim.Boottime() + time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond) // longer than the first fence
		if !running(p.PID()) {
			t.Error("killed, though the fence was moved")
		}
		if err := p.Fence(shim.Boottime() - 1); err != nil {
			t.Fatal(err)
		}
		<-p.Gone()
	})
}

// A run that slept starts nothing: another one may be at work there.
func TestFenceThatHasPassed(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	_, err := shim.Start(t.Context(), shim.Command{
		Program: self(), Args: []string{"touch", mark}, Fence: shim.Boottime() - 1,
	})
	if _, there := os.Stat(mark); err == nil || !strings.Contains(err.Error(), "fence") || there == nil {
		t.Errorf("got %v, the file: %v", err, there)
	}
}

func TestFreeze(t *testing.T) {
	t.Parallel()
	p, lines := start(t, shim.Command{Args: []string{"sh", "-c", tree}})
	all := pids(t, lines, 4)
	state := func(want string) {
		t.Helper()
		for _, pid := range all {
			var got string
			for range 200 {
				b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
				got = strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))[0]
				if strings.Contains(want, got) {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			if !strings.Contains(want, got) {
				t.Errorf("pid %d: state %s, want one of %s", pid, got, want)
			}
		}
	}
	_ = p.Freeze()
	state("T")
	_ = p.Thaw()
	state("SR")
	_ = p.Freeze()
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	wantDead(t, all, 0)
}

// The program that started it is killed: everything goes.
func TestParentKilled(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(self(), "parent", "sh", "-c", tree)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	all := pids(t, bufio.NewScanner(out), 4)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	wantDead(t, all, 5*time.Second)
}

// The shim itself is killed: the command goes, and Wait says so.
func TestShimKilled(t *testing.T) {
	t.Parallel()
	p, lines := start(t, shim.Command{Args: []string{"sh", "-c", "echo ok; exec sleep 300"}})
	lines.Scan()
	pid, _ := p.Shim()
	_ = syscall.Kill(pid, syscall.SIGKILL)
	if _, _, err := p.Wait(); err == nil {
		t.Error("wait: want an error")
	}
	wantDead(t, []int{p.PID()}, 5*time.Second)
	if err := p.Kill(); err != nil {
		t.Errorf("kill: %v", err)
	}
}

// A tree that forks all the time, each child a session of its own.
func TestForkingTree(t *testing.T) {
	t.Parallel()
	p, lines := start(t, shim.Command{Args: []string{"sh", "-c",
		`echo ok; f() { while :; do setsid sleep 300 & sleep 0.001; done; }; f & f & f & wait`}})
	lines.Scan()
	time.Sleep(200 * time.Millisecond) // let it grow
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
}

func TestInheritsNothing(t *testing.T) {
	t.Parallel()
	_, lines := start(t, shim.Command{Args: []string{"sh", "-c", "ls /proc/self/fd | tr '\\n' ' '; grep SigIgn /proc/self/status"}})
	lines.Scan()
	f := strings.Fields(lines.Text())
	if got := strings.Join(f[:len(f)-2], " "); got != "0 1 2 3" { // 3 is ls reading the directory
		t.Errorf("descriptors %q, want 0 1 2 and one of ls", got)
	}
	ignored, err := strconv.ParseUint(f[len(f)-1], 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	const ofTheThreadLibrary = 1<<31 | 1<<32 // 32 and 33: no program of ours sets them, make passes them on
	if ignored &^= ofTheThreadLibrary; ignored != 0 {
		t.Errorf("ignored signals %x, want none", ignored)
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	p, lines := start(t, shim.Command{Args: []string{"sh", "-c", "echo ok; exec sleep 300"}})
	lines.Scan()
	pid, _ := p.Shim()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "RssAnon") {
			t.Log(strings.TrimSpace(line))
			var kb int
			_, _ = fmt.Sscan(strings.TrimPrefix(line, "RssAnon:"), &kb)
			if kb > 24<<10 { // twice what it is under the race detector
				t.Errorf("the shim holds %d KB", kb)
			}
		}
	}
}

func TestByHand(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"shim"}, {"shim", "run"}, {"shim", "run", "--", "true"}, {"shim", "bake"}} {
		cmd := exec.Command(self(), args...)
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%v: got %v, want exit 2", args, err)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p, err := shim.Start(b.Context(), shim.Command{Program: self(), Args: []string{"true"}})
		if err != nil {
			b.Fatal(err)
		}
		_, _, _ = p.Wait()
		<-p.Gone()
	}
}
