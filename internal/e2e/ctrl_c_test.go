package e2e_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/daemon"
)

// Ctrl-C at the terminal of a runner says which sessions it would end and ends
// none; the second one does, and the session says what ended it (A20).
func TestA20_CtrlCOfARunnerAsksFirst(t *testing.T) {
	b := newLab(t, "{}")
	b.await("runner", func() bool { _, err := daemon.ReadFace(filepath.Join(b.dir, "state")); return err == nil })
	b.kill(b.daemon("state"), syscall.SIGTERM)
	b.goneDaemon("state")
	x := b.terminalOf("runner", nil, "start", "--url", b.url(), "--token-file", filepath.Join(b.dir, "token"),
		"--state", filepath.Join(b.dir, "desk"))
	id := b.start("sleep 600")
	b.message(id, 1, blaise.MessageDelivered)

	x.types("\x03")
	x.shows("Ctrl-C again within 10 s ends 1 session")
	if s := b.show(id); s.Over() {
		t.Fatalf("the first Ctrl-C ended the session: %s", s.Reason)
	}
	x.types("\x03")
	said := x.ends(0)
	if !strings.Contains(said, "told to stop") {
		t.Errorf("the log does not say what the signal did:\n%s", said)
	}
	b.state(id, blaise.SessionEnded)
	s := b.show(id)
	if !strings.HasSuffix(s.Reason, " was stopped on its machine (interrupt)") {
		t.Errorf("the session ended for %q", s.Reason)
	}
	if told := b.transcript(id); !strings.Contains(told, "was stopped on its machine (interrupt)") {
		t.Errorf("the record does not say why:\n%s", told)
	}
}
