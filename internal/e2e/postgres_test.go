package e2e_test

import (
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store/storetest"
)

// The control plane on PostgreSQL does the main job too.
func TestOnPostgres(t *testing.T) {
	t.Parallel()
	dsn := storetest.StartPostgres(t).Database(t)
	b := startSplit(t, "version: 1\nagent: {use: demo}\nplugs: [{use: worktree, id: src, repo: .}]\n", "--db", dsn)
	id := b.start("hello")
	b.answered(id, 1)
	b.run("pause", string(id))
	b.state(id, blaise.SessionPaused)
	b.say(id, "recall")
	b.answered(id, 2)
	if got := b.show(id).Messages[1].Answer; got != "1. hello\n" {
		t.Errorf("what the agent remembers: got %q", got)
	}
	b.run("end", string(id))
	b.await("environment destroyed", func() bool { return b.show(id).Environment.State == blaise.EnvDestroyed })
}
