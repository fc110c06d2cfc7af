package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
)

// plugs writes blaise.yml with a worktree and more plugs after it.
func (b lab) plugs(more string) {
	b.t.Helper()
	b.write("repo/blaise.yml", "version: 1\nagent: {use: demo}\nplugs:\n  - {use: worktree, id: src, repo: .}\n"+more)
}

// A secret that is missing at a resume refuses the run; the environment stays,
// and the message is answered in it when the secret is there again (A22).
func TestA22_MissingSecretKeepsTheEnvironment(t *testing.T) {
	b := newLab(t, "{}")
	b.plugs("  - {use: secrets, env: {TOKEN: {file: ../token.txt}}}\n")
	b.write("token.txt", "hush-hush")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	if err := os.Remove(filepath.Join(b.dir, "token.txt")); err != nil {
		t.Fatal(err)
	}
	b.say(id, "read kept.txt")
	b.runState(id, 2, blaise.RunEnded)
	b.environment(id, blaise.EnvPaused)
	if r := b.lastRun(id); r.Outcome != blaise.RunRefused || !strings.Contains(r.Reason, "secret TOKEN (file ../token.txt)") {
		t.Errorf("run %+v", r)
	}
	b.write("token.txt", "hush-hush")
	b.run("retry", string(id))
	b.answered(id, 2)
	if s := b.show(id); s.Environment.Generation != 1 || !strings.Contains(s.Messages[1].Answer, "it stays") {
		t.Errorf("generation %d, answer %q", s.Environment.Generation, s.Messages[1].Answer)
	}
}

// A stateful plug that was taken out of blaise.yml leaves a record that nothing
// owns: it is not torn down, and is listed with what it made (A32).
func TestA32_RemovedStatefulPlugIsOwnedByNothing(t *testing.T) {
	b := newLab(t, "{}")
	down := filepath.Join(b.dir, "down")
	b.plugs("  - {use: exec, id: db, onStart: 'true', onTeardown: 'touch " + down + "'}\n")
	id := b.start("hello")
	b.answered(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.plugs("")
	b.say(id, "recall")
	b.answered(id, 2)
	b.run("end", string(id))
	s := b.environment(id, blaise.EnvDestroyed)
	found := false
	for _, p := range s.Environment.Plugs {
		found = found || p.ID == "db" && p.State == "unowned" && len(p.Resources) == 1 && !p.Resources[0].Gone
	}
	if !found {
		t.Errorf("plugs: %+v", s.Environment.Plugs)
	}
	if _, err := os.Stat(down); err == nil {
		t.Error("onTeardown of a plug that nobody lists has run")
	}
}

// A filter that dies lets nothing pass: the run fails and says why, and what the
// agent said after it is recorded nowhere (X8).
func TestX8_BrokenFilterFailsClosed(t *testing.T) {
	b := newLab(t, "{}")
	b.plugs("  - {use: exec, id: mask, onTranscript: 'sed -u /amber/Q'}\n")
	id := b.start("echo birch")
	b.answered(id, 1)
	b.say(id, "echo amber")
	s := b.environment(id, blaise.EnvDestroyed)
	if s.Outcome != blaise.OutcomeFailed || !strings.Contains(s.Reason, "onTranscript (sed -u /amber/Q): it ended with exit code 0") {
		t.Errorf("session %s: %s", s.Outcome, s.Reason)
	}
	said := b.transcript(id)
	if !strings.Contains(said, `"content":{"text":"birch`) || strings.Contains(said, `"content":{"text":"amber`) ||
		s.Messages[1].Answer != "" {
		t.Errorf("answer %q; transcript:\n%s", s.Messages[1].Answer, said)
	}
}

// A filter sees all that the agent says before it is recorded.
func TestX8_FilterRewritesTheRecord(t *testing.T) {
	b := newLab(t, "{}")
	b.plugs("  - {use: exec, id: mask, onTranscript: 'exec sed -u s/amber/stone/g'}\n")
	id := b.start("echo amber and birch")
	b.answered(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.say(id, "recall")
	b.answered(id, 2)
	if said := b.transcript(id); strings.Contains(said[strings.Index(said, "agent_message_chunk"):], "amber") || !strings.Contains(said, "stone and birch") {
		t.Error(said)
	}
}
