package daemon_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/daemon"
)

// A daemon removes, when it looks around, the mirrors that nobody has fetched for
// as long as its blaise.yml says, and leaves the others, but for what killed
// fetches left in them.
func TestDaemonRemovesMirrorsNobodyFetches(t *testing.T) {
	t.Parallel()
	h := newHelper(t, apitest.Start(t))
	long := time.Now().Add(-31 * 24 * time.Hour)
	dirs := map[string]time.Time{"old.git": long, "new.git": time.Now()}
	for name, at := range dirs {
		dir := filepath.Join(h.State, "mirrors", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		lock := filepath.Join(dir, "fetch.lock") // of a first fetch that was cut off
		if err := os.WriteFile(lock, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(lock, at, at); err != nil {
			t.Fatal(err)
		}
	}
	half := filepath.Join(h.State, "mirrors", "new.git", "tmp.lock")
	err := os.WriteFile(half, nil, 0o600)
	if err == nil {
		err = os.Chtimes(half, long, long)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.start(t)
	gone := func() bool {
		_, err := os.Stat(filepath.Join(h.State, "mirrors", "old.git"))
		_, halfErr := os.Stat(half)
		return os.IsNotExist(err) && os.IsNotExist(halfErr)
	}
	for end := time.Now().Add(30 * time.Second); !gone(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the mirror, or what a fetch left, is still there")
		}
	}
	if _, err := os.Stat(filepath.Join(h.State, "mirrors", "new.git")); err != nil {
		t.Errorf("a young mirror: %v", err)
	}
}

// A mirror that could not be emptied is left alone for longer each time, up to a
// day.
func TestMirrorRestsLonger(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var waits []time.Duration
	var r daemon.Rest
	for range 9 {
		r = r.Next(now)
		waits = append(waits, r.Until().Sub(now).Round(time.Minute))
	}
	if waits[0] != 20*time.Minute || waits[1] != 40*time.Minute || waits[8] != 24*time.Hour {
		t.Errorf("waits %v", waits)
	}
}
