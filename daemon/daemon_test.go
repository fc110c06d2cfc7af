package daemon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/internal/shim"
)

// A process is a daemon in a process of its own.
type process struct {
	t   *testing.T
	cmd *exec.Cmd

	mu  sync.Mutex // guards out
	out bytes.Buffer

	exited chan struct{}
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

func newHelper(t *testing.T, c *apitest.Blaise) helper {
	t.Helper()
	dir := t.TempDir()
	h := helper{URL: c.URL, Token: apitest.RunnerToken, State: filepath.Join(dir, "state"),
		Config: filepath.Join(dir, "blaise.yml")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("version: 1\nagent: {command: [%q, demo-agent], env: {BLAISE_DEMO_HOME: %q}}\n"+
		"plugs: [{use: local}]\n", self, filepath.Join(dir, "talk"))
	if err := os.WriteFile(h.Config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h helper) start(t *testing.T) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	arg, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(self, "daemon", string(arg)), exited: make(chan struct{})}
	p.cmd.Stderr = p
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the test looks at what matters
		close(p.exited)
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("daemon %d said:\n%s", p.cmd.Process.Pid, p.said())
		}
		p.kill()
	})
	return p
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // gone already is as good
	<-p.exited
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits for the exit and gives its code.
func (p *process) ends() int {
	p.t.Helper()
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(30 * time.Second):
		p.t.Fatal("the daemon does not end")
		return -1
	}
}

// runs asks over the socket until want runs are there.
func (h helper) runs(t *testing.T, want int) []daemon.Run {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if runs, err := daemon.Runs(t.Context(), h.State); err == nil && len(runs) == want {
			return runs
		}
	}
	t.Fatalf("there are never %d runs", want)
	return nil
}

// settled waits until the ledger is empty.
func (h helper) settled(t *testing.T) {
	t.Helper()
	var left []os.DirEntry
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		left, _ = os.ReadDir(filepath.Join(h.State, "runs"))
		if len(left) == 0 {
			return
		}
	}
	t.Fatalf("%v are left in the ledger", left)
}

// A1, A7: a run from its offer to its pause; nothing of it is left in the ledger.
func TestTakesARun(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	p := h.start(t)
	c.Set(func() { c.Offer = true })
	c.Report(blaise.EventOpened)
	if r := h.runs(t, 1)[0]; r.Run != "stestone.1" || r.PID == 0 {
		t.Errorf("runs list says %+v", r)
	}
	c.Stop(true)
	c.Report(blaise.EventPauseReported)
	h.settled(t)
	p.signal(syscall.SIGUSR1)
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d after a drain", code)
	}
	if len(c.Dead)+len(c.Unborn) != 0 {
		t.Errorf("a run that had its last word is said to be dead: %v %v", c.Dead, c.Unborn)
	}
	if len(c.Goodbyes) != 1 || c.Goodbyes[0] != (api.Goodbye{Instance: c.Hellos[0].Instance, Boot: c.Hellos[0].Boot}) {
		t.Errorf("after the drain it said goodbye: %+v", c.Goodbyes)
	}
}

// X3: the daemon is killed, its run goes on, and the next one adopts it.
func TestX3_TheNextDaemonAdopts(t *testing.T) {
	t.Parallel()
	for _, how := range []os.Signal{syscall.SIGKILL, syscall.SIGUSR2} {
		t.Run(how.String(), func(t *testing.T) {
			t.Parallel()
			c := apitest.Start(t)
			h := newHelper(t, c)
			first := h.start(t)
			c.Set(func() { c.Offer = true })
			c.Report(blaise.EventOpened)
			before := h.runs(t, 1)[0]
			first.signal(how)
			first.ends()
			h.start(t)
			if after := h.runs(t, 1)[0]; after.PID != before.PID {
				t.Errorf("adopted %+v, want %+v", after, before)
			}
			c.Stop(true)
			c.Report(blaise.EventPauseReported)
			h.settled(t)
			if c.Connects != 1 || len(c.Dead)+len(c.Unborn)+len(c.Goodbyes) != 0 {
				t.Errorf("%d connects, dead %v, unborn %v, goodbyes %v", c.Connects, c.Dead, c.Unborn, c.Goodbyes)
			}
		})
	}
}

// The order of birth: a daemon killed between any two steps leaves a run that
// works, or one that is said not to have been started, and never two.
func TestBirth(t *testing.T) {
	t.Parallel()
	t.Run("killed before the lease is on disk", func(t *testing.T) {
		t.Parallel()
		c := apitest.Start(t)
		h := newHelper(t, c)
		first := h.start(t)
		c.Set(func() { c.Offer, c.OnAccept = true, first.kill })
		first.ends()
		h.start(t)
		c.Report(blaise.EventOpened)
		if len(c.Nonces) != 2 || c.Nonces[0] != c.Nonces[1] || c.Nonces[0] == "" {
			t.Errorf("accepted with nonces %v, want the same twice", c.Nonces)
		}
	})
	t.Run("killed before the child is started", func(t *testing.T) {
		t.Parallel()
		c := apitest.Start(t)
		h := newHelper(t, c)
		h.DieBeforeSpawn = true
		first := h.start(t)
		c.Set(func() { c.Offer = true })
		first.ends()
		h.DieBeforeSpawn = false
		h.start(t)
		c.Await("spawn failed", func() bool { return len(c.Unborn) == 1 })
		h.settled(t)
		if c.Connects != 0 || len(c.Dead) != 0 {
			t.Errorf("%d connects, dead %v", c.Connects, c.Dead)
		}
	})
	t.Run("killed while the child waits for its spec", func(t *testing.T) {
		t.Parallel()
		c := apitest.Start(t)
		h := newHelper(t, c)
		h.Command = []string{"sh", "-c", "kill -9 $PPID; exec PROGRAM run"}
		first := h.start(t)
		c.Set(func() { c.Offer = true })
		first.ends()
		h.Command = nil
		h.start(t)
		c.Await("one of the two", func() bool {
			return len(c.Unborn) == 1 || slices.ContainsFunc(c.Reports, func(r api.Report) bool { return r.Event == blaise.EventOpened })
		})
		if len(c.Unborn)+c.Connects != 1 {
			t.Errorf("%d connects, unborn %v", c.Connects, c.Unborn)
		}
	})
}

// A25: what cannot be started is said at once.
func TestSpawnFails(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"no program":    {"/no/such/program"},
		"exits at once": {"sh", "-c", "echo out of order >&2; exit 3"},
	}
	for name, command := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := apitest.Start(t)
			h := newHelper(t, c)
			h.Command = command
			h.start(t)
			c.Set(func() { c.Offer = true })
			c.Await("spawn failed", func() bool { return len(c.Unborn) == 1 })
			if e := c.Unborn[0]; e.Boot != c.Hellos[0].Boot || e.Reason == "" {
				t.Errorf("said %+v", e)
			}
			h.settled(t)
		})
	}
}

// X2, X3: a run that is killed is said to be dead after what it left is shipped
// and all it started is gone.
func TestRunKilled(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	h.start(t)
	c.Set(func() { c.Offer = true })
	c.Report(blaise.EventOpened)
	pid := h.runs(t, 1)[0].PID
	// Something else that the run started, and that outlives it.
	sleep := exec.Command("sleep", "600")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	list, err := os.OpenFile(filepath.Join(h.State, "runs", "stestone.1", "shims"),
		os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(list, "{\"pid\":%d,\"start\":%d}\n", sleep.Process.Pid,
		shim.StartTime(sleep.Process.Pid))
	if err = errors.Join(err, list.Close(), syscall.Kill(pid, syscall.SIGKILL)); err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(pid, 0) == nil { // until the daemon has reaped it
		time.Sleep(10 * time.Millisecond)
	}
	<-time.After(300 * time.Millisecond) // long enough to say something wrong
	c.Await("silence", func() bool { return len(c.Dead) == 0 })
	_ = errors.Join(sleep.Process.Kill(), sleep.Wait()) // it says that it was killed
	c.Await("dead", func() bool { return len(c.Dead) == 1 })
	if !strings.Contains(c.Dead[0].Reason, "killed") {
		t.Errorf("said %+v", c.Dead[0])
	}
	h.settled(t)
}

// X2: a run that stood still for longer than three beats asks before it goes
// on, and goes on; one that may have been declared lost meanwhile does not.
func TestSleep(t *testing.T) {
	t.Parallel()
	for _, stale := range []bool{false, true} {
		t.Run(fmt.Sprintf("stale %v", stale), func(t *testing.T) {
			t.Parallel()
			c := apitest.Start(t)
			h := newHelper(t, c)
			h.start(t)
			c.Set(func() { c.Offer = true })
			c.Report(blaise.EventOpened)
			pid := h.runs(t, 1)[0].PID
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			<-time.After(5 * c.Lease.Beat) // this is the sleep
			before := 0
			c.Set(func() { c.Stale, before = stale, c.Beats })
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if stale {
				h.settled(t)
				return
			}
			c.Await("beats", func() bool { return c.Beats > before+2 })
			c.Stop(true)
			c.Report(blaise.EventPauseReported)
			h.settled(t)
		})
	}
}

// A26: what a run could not say any more is said by the daemon, under the run's
// lease, when Blaise is back; the run is not called dead.
func TestShipsTheRest(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	c.Lease.Beat, c.Lease.Misses = 100*time.Millisecond, 60
	h := newHelper(t, c)
	h.start(t)
	c.Set(func() { c.Offer = true })
	c.Report(blaise.EventOpened)
	c.Set(func() { c.Down = true })
	h.runs(t, 0)
	c.Set(func() { c.Down = false })
	c.Report(blaise.EventLostContact)
	h.settled(t)
	if len(c.Dead)+len(c.Unborn) != 0 {
		t.Errorf("dead %v, unborn %v", c.Dead, c.Unborn)
	}
}

// A person at the machine pauses a run, without a word of Blaise.
func TestStopHere(t *testing.T) {
	t.Parallel()
	for teardown, want := range map[bool]blaise.EventKind{
		false: blaise.EventLocalStop, true: blaise.EventSignalled,
	} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			c := apitest.Start(t)
			h := newHelper(t, c)
			h.start(t)
			c.Set(func() { c.Offer = true })
			c.Report(blaise.EventOpened)
			err := daemon.Stop(t.Context(), h.State, daemon.StopRun{Run: "stestone.1", Teardown: teardown})
			if err != nil {
				t.Fatal(err)
			}
			c.Report(want)
			h.settled(t)
		})
	}
	t.Run("no such run", func(t *testing.T) {
		t.Parallel()
		h := newHelper(t, apitest.Start(t))
		err := daemon.Stop(t.Context(), h.State, daemon.StopRun{Run: "stestone.1"})
		if blaise.CodeOf(err) != blaise.CodeNotFound {
			t.Errorf("without a daemon the error is %v", err)
		}
	})
}

// A20: the first signal ends the runs and waits for them.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	p := h.start(t)
	c.Set(func() { c.Offer = true })
	c.Report(blaise.EventOpened)
	p.signal(syscall.SIGTERM)
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.Report(blaise.EventSignalled)
	c.Report(blaise.EventDestroyed)
	h.settled(t)
	if len(c.Goodbyes) != 1 {
		t.Errorf("it said goodbye %d times", len(c.Goodbyes))
	}
}

// R48: one state directory has one daemon, and the second one says which.
func TestTwoDaemons(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	first := h.start(t)
	c.Await("hello", func() bool { return len(c.Hellos) == 1 })
	second := h.start(t)
	if code := second.ends(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if want := fmt.Sprintf("pid %d", first.cmd.Process.Pid); !strings.Contains(second.said(), want) {
		t.Errorf("the second one said %q, want %q in it", second.said(), want)
	}
}

// The instance outlives a restart, its boot does not.
func TestInstance(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	for n := range 2 {
		p := h.start(t)
		c.Await("hello", func() bool { return len(c.Hellos) == n+1 })
		p.kill()
	}
	a, b := c.Hellos[0], c.Hellos[1]
	if a.Instance == "" || a.Instance != b.Instance || a.Boot == b.Boot || a.Machine != b.Machine {
		t.Errorf("hello %+v, then %+v", a, b)
	}
	// Layers are in the state directory: another one is another place (A31).
	other := h
	other.State = filepath.Join(t.TempDir(), "state")
	other.start(t)
	c.Await("hello", func() bool { return len(c.Hellos) == 3 })
	if o := c.Hellos[2]; o.Machine == a.Machine || o.Instance == a.Instance {
		t.Errorf("another state directory says hello %+v, the first %+v", o, a)
	}
}

func TestBlaiseIsAway(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	c.Down = true
	h := newHelper(t, c)
	p := h.start(t)
	for !strings.Contains(p.said(), "no contact with Blaise") {
		time.Sleep(10 * time.Millisecond)
	}
	c.Set(func() { c.Down = false })
	c.Await("hello", func() bool { return len(c.Hellos) == 1 })
	for !strings.Contains(p.said(), "contact with Blaise again") {
		time.Sleep(10 * time.Millisecond)
	}
	if n := strings.Count(p.said(), "no contact with Blaise"); n != 1 {
		t.Errorf("the outage is told %d times", n)
	}
}

// A daemon whose poll was cut off asks for an answer first: what it says of the
// outage, and what its status says, does not wait for a whole poll.
func TestBlaiseIsBack(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	p := newHelper(t, c).start(t)
	c.Await("poll", func() bool { return len(c.Waits) == 1 })
	c.Set(func() { c.Down = true })
	c.CutOff()
	for !strings.Contains(p.said(), "no contact with Blaise") {
		time.Sleep(10 * time.Millisecond)
	}
	c.Set(func() { c.Down = false })
	c.Await("polls", func() bool { return len(c.Waits) == 3 })
	if c.Waits[0] == 0 || c.Waits[1] != 0 || c.Waits[2] != c.Waits[0] {
		t.Errorf("polls wait %v", c.Waits)
	}
}

func TestTokenIsRefused(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	h.Token = "another"
	p := h.start(t)
	if code := p.ends(); code != 1 || !strings.Contains(p.said(), "ended: denied") {
		t.Errorf("exit code %d, said %q", code, p.said())
	}
}

// A run for CI: one run, then the end, with its outcome.
func TestOnce(t *testing.T) {
	t.Parallel()
	c := apitest.Start(t)
	h := newHelper(t, c)
	h.Once = true
	p := h.start(t)
	c.Stop(true)
	c.Set(func() { c.Offer = true })
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.Report(blaise.EventPauseReported)
}
