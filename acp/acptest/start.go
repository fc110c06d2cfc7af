package acptest

import (
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// scriptEnv carries the script to a child.
const scriptEnv = "BLAISE_ACPTEST_SCRIPT"

// Agent is a running agent: the client's ends of its pipes.
type Agent struct {
	Stdin, Stdout *os.File
	// Cmd is the process of Spawn; nil for Start.
	Cmd *exec.Cmd
	// Ended is closed when the agent has returned; of Start only.
	Ended chan struct{}
}

// Main is called first in TestMain: in a child of Spawn it runs the script and
// exits, elsewhere it does nothing.
func Main() {
	raw, ok := os.LookupEnv(scriptEnv)
	if !ok {
		return
	}
	var s Script
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		panic(err)
	}
	os.Exit(Process(s))
}

// Start runs a script in this process. A script that stops reading keeps its
// pipes open until the end of the test.
func Start(tb testing.TB, s Script) *Agent {
	tb.Helper()
	inR, inW := pipe(tb)
	outR, outW := pipe(tb)
	a := &Agent{Stdin: inW, Stdout: outR, Ended: make(chan struct{})}
	go func() {
		defer close(a.Ended)
		_ = Serve(inR, outW, s) // an error is that of a client that went away
		if s.StopReadingAfter == 0 {
			_, _ = inR.Close(), outW.Close()
		}
	}()
	tb.Cleanup(func() {
		_, _, _, _ = inR.Close(), inW.Close(), outR.Close(), outW.Close()
		<-a.Ended
	})
	return a
}

// Spawn runs a script as a process behind sh -c, as wrappers of agents are;
// TestMain must call Main. It is killed at the end of the test.
func Spawn(tb testing.TB, s Script) *Agent {
	tb.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		tb.Fatal(err)
	}
	inR, inW := pipe(tb)
	outR, outW := pipe(tb)
	cmd := exec.Command("sh", "-c", `"$0"; exit $?`, os.Args[0])
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), scriptEnv+"="+string(raw))
	cmd.Stdin, cmd.Stdout = inR, outW
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	_, _ = inR.Close(), outW.Close()
	tb.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		_, _ = inW.Close(), outR.Close()
	})
	return &Agent{Stdin: inW, Stdout: outR, Cmd: cmd}
}

func pipe(tb testing.TB) (r, w *os.File) {
	tb.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	return r, w
}
