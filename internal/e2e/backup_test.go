package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
)

// A backup is taken while a run lives; Blaise goes on, then its disk is lost. The
// restored Blaise knows nothing of what came after: the run that does is stopped,
// and its session goes on in the environment that it left (X2).
func TestBackupAndRestoreUnderALiveRun(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	file := filepath.Join(b.dir, "backup.tar.gz")
	if said := b.run("backup", "--to", file); !strings.Contains(said, "1 session,") {
		t.Errorf("backup says %q", said)
	}
	b.fails(4, "backup", "--to", file)
	b.say(id, "hello after the backup")
	b.answered(id, 2)
	later := b.start("hello, never heard of")
	b.answered(later, 1)

	b.killServe()
	data := filepath.Join(b.dir, "data")
	b.fails(4, "backup", "restore", file)
	if err := os.Rename(data, data+"-lost"); err != nil {
		t.Fatal(err)
	}
	if said := b.run("backup", "restore", file); !strings.Contains(said, "1 run lived then") {
		t.Errorf("restore says %q", said)
	}
	b.serve()
	b.runState(id, 1, blaise.RunEnded)
	b.say(id, "read kept.txt")
	b.answered(id, 2)
	s := b.show(id)
	if got := s.Messages[1].Answer; !strings.Contains(got, "it stays") || s.Environment.Generation != 1 {
		t.Errorf("answer %q in generation %d", got, s.Environment.Generation)
	}
	b.wantRuns(id, "start lost", "resume ")
	b.fails(3, "show", string(later))
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
}

// A backup that was cut or changed is refused, and nothing is made of it.
func TestBackupThatIsNotWhole(t *testing.T) {
	b := newLab(t, "{}")
	file := filepath.Join(b.dir, "backup.tar.gz")
	b.run("backup", "--to", file)
	b.run("backup", "verify", file)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bad, to := filepath.Join(b.dir, "bad.tar.gz"), filepath.Join(b.dir, "new")
	for _, c := range []struct {
		exit int
		file []byte
	}{{1, raw[:len(raw)-200]}, {1, append(raw[:len(raw)/2:len(raw)/2], raw...)}, {2, []byte("no backup")}} {
		if err := os.WriteFile(bad, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		b.fails(c.exit, "backup", "verify", bad)
		b.fails(c.exit, "backup", "restore", bad, "--data", to)
		if left, err := os.ReadDir(to); err != nil || len(left) > 0 {
			t.Errorf("left in the new folder: %v, %v", left, err)
		}
	}
	b.fails(3, "backup", "--to", bad+"2", "--data", t.TempDir())
	b.fails(2, "backup")
}
