package acptest

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// Process runs a script on this process's stdin and stdout, and gives the
// status to exit with.
func Process(s Script) int {
	if s.IgnoreTerm {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	}
	if s.Stderr != "" {
		_, _ = fmt.Fprintln(os.Stderr, s.Stderr)
	}
	if s.Orphan != "" {
		if err := orphan(s.Orphan); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, "start orphan:", err)
			return 1
		}
	}
	if err := Serve(os.Stdin, os.Stdout, s); err != nil {
		return 1
	}
	for s.StopReadingAfter > 0 || s.IgnoreEOF {
		time.Sleep(time.Hour) // only a signal ends it
	}
	return 0
}

// orphan starts what holds the agent's stdout and belongs to no group of it.
func orphan(pidFile string) error {
	cmd := exec.Command("sleep", "600")
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return os.WriteFile(pidFile, fmt.Append(nil, cmd.Process.Pid), 0o600)
}
