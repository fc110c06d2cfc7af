package e2e_test

import (
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise"
)

// A question outlives Blaise and the daemon; it is answered once, also while its
// run cannot hear, and a second answer is told who was first (B6).
func TestB6_QuestionOutlivesBlaiseAndTheDaemon(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.state(id, blaise.SessionParked)
	run := b.runPID()
	b.kill(b.daemon("state"), syscall.SIGKILL)
	b.goneDaemon("state")
	b.runner("state")

	b.kill(run, syscall.SIGSTOP)
	b.killServe()
	b.serve()
	b.state(id, blaise.SessionParked)
	b.run("approve", string(id))
	if said := b.fails(4, "deny", string(id), "q1"); !strings.Contains(said, "was answered by") {
		t.Errorf("a second answer is told %q", said)
	}
	b.kill(run, syscall.SIGCONT)
	b.answered(id, 1)
	b.says(id, `"kind":"decided"`)
	if said := b.fails(4, "deny", string(id), "q1"); !strings.Contains(said, "was answered by") {
		t.Errorf("a late answer is told %q", said)
	}
	if n := strings.Count(b.transcript(id), `"kind":"decided"`); n != 1 {
		t.Errorf("decided %d times", n)
	}
	b.run("end", string(id)) // its run would wait for Blaise until its fence
}

// The agent dies while it asks, then the run does: each time the question has
// expired, the record says why, the turn is interrupted, and what is asked again
// can be answered (B6).
func TestB6_QuestionOfTheDeadExpires(t *testing.T) {
	b := newLab(t, "{policy: {onInterruptedTurn: ask}}")
	id := b.start("write kept.txt it stays")
	b.state(id, blaise.SessionParked)
	for _, p := range left("", b.dir) {
		if strings.HasSuffix(p.args, " demo-agent") && !strings.Contains(p.args, " shim ") { // which would take the agent with it
			b.kill(p.pid, syscall.SIGKILL)
		}
	}
	b.says(id, "expired: the agent died")
	b.message(id, 1, blaise.MessageInterrupted)
	if said := b.fails(4, "approve", string(id), "q1"); !strings.Contains(said, "has expired: the agent died") {
		t.Errorf("an answer that comes too late is told %q", said)
	}
	b.run("approve", string(id), "q2") // go on
	b.answered(id, 1)

	b.say(id, "write kept.txt it stays")
	b.state(id, blaise.SessionParked)
	b.kill(b.runPID(), syscall.SIGKILL)
	b.says(id, "expired: its run ended")
	b.message(id, 2, blaise.MessageInterrupted)
	b.run("approve", string(id), "q4")
	b.answered(id, 2)
	b.say(id, "write kept.txt it stays")
	b.writes(id, 3)
}
