package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/store/storetest"
	"blaise.dev/blaise/transcript"
)

// childDir names the directory in which a child of the test writes until it is
// killed.
const childDir = "BLAISE_STORETEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		writeUntilKilled(dir)
		return
	}
	os.Exit(m.Run())
}

func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, "sqlite:"+dir, store.Options{})
	_, err := store.Open(t.Context(), "sqlite:"+dir, store.Options{})
	want := fmt.Sprintf("%s is in use by process %d", dir, os.Getpid())
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("second opener: %v, want %q", err, want)
	}
	if err := store.CheckFree(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("before that: %v, want %q", err, want)
	}
	nowhere := filepath.Join(dir, "nowhere")
	if err := store.CheckFree(nowhere); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("a look made the directory")
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a dir?with#marks%20", "data")
	open(t, "sqlite:"+dir, store.Options{})
	for _, name := range []string{"blaise.db", "transcript.db", "identity.age", "lock"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", name, info.Mode().Perm())
		}
	}
	_, err := store.Open(t.Context(), "mysql://x", store.Options{})
	if err == nil {
		t.Error("an unknown scheme was opened")
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := store.Open(t.Context(), "sqlite:"+dir, store.Options{})
	must(t, err)
	must(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.SavePlugState("e", "db", []byte("a password"))
	}))
	must(t, db.Close())
	file, err := os.ReadFile(filepath.Join(dir, "blaise.db"))
	must(t, err)
	if strings.Contains(string(file), "a password") {
		t.Error("the state of a plug can be read")
	}
	must(t, os.Rename(filepath.Join(dir, "identity.age"), filepath.Join(dir, "away")))
	if _, err = store.Open(t.Context(), "sqlite:"+dir, store.Options{}); err == nil ||
		!strings.Contains(err.Error(), "bring the old identity back") {
		t.Errorf("another identity: %v", err)
	}
	o := store.Options{Identity: filepath.Join(dir, "away")}
	got, err := open(t, "sqlite:"+dir, o).PlugState(t.Context(), "e", "db")
	must(t, err)
	if string(got) != "a password" {
		t.Errorf("state = %q", got)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPlans(t *testing.T) {
	t.Parallel()
	testPlans(t, "sqlite:"+t.TempDir())
}

func TestNoticesAfterCrash(t *testing.T) {
	t.Parallel()
	testNoticesAfterCrash(t, "sqlite:"+t.TempDir())
}

// testNoticesAfterCrash makes the store as two crashes leave it: before a
// notice was appended, and after it was but before the outbox was cleared.
func testNoticesAfterCrash(t *testing.T, dsn string) {
	o := identity(t)
	db, err := store.Open(t.Context(), dsn, o)
	must(t, err)
	snap := storetest.New("crashed1")
	must(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		must(t, tx.CreateSession(snap))
		return tx.Notice("crashed1", blaise.Notice{Kind: "notice", Text: "one"})
	}))
	must(t, db.Carry(t.Context()))
	must(t, db.Close())
	for n, text := range map[int]string{1: "one", 2: "two"} {
		_, err := raw(t, dsn, "blaise.db").ExecContext(t.Context(), fmt.Sprintf(
			`INSERT INTO outbox (session, n, event) VALUES ('crashed1', %d,
			'{"at":"2026-11-29T12:00:00Z","kind":"notice","data":{"text":"%s"}}')`, n, text))
		must(t, err)
	}
	told := make(chan int64, 10)
	o.Appended = func(_ blaise.SessionID, seq int64) { told <- seq }
	db = open(t, dsn, o)
	select {
	case seq := <-told:
		if seq != 2 {
			t.Errorf("appended up to %d, want 2", seq)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the outbox was not carried over at Open")
	}
	must(t, db.Carry(t.Context()))
	events, err := db.Events(t.Context(), "crashed1", 0, 10)
	must(t, err)
	var got []string
	for _, e := range events {
		got = append(got, string(e.Data))
	}
	if want := `[{"text":"one"} {"text":"two"}]`; fmt.Sprint(got) != want {
		t.Errorf("notices = %v, want %v", got, want)
	}
}

// TestKill kills a writing process with SIGKILL, again and again: what it was
// told is kept is there, whole and once.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acked := map[string]int64{}
	for range 3 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			var what string
			var value int64
			if _, err := fmt.Sscan(lines.Text(), &what, &value); err == nil {
				acked[what] = max(acked[what], value)
			}
			if n == 400 {
				must(t, cmd.Process.Kill())
			}
		}
		_ = cmd.Wait() // killed
		checkKilled(t, dir, acked)
	}
	if len(acked) < 8 {
		t.Errorf("only %v was acknowledged", acked)
	}
}

func checkKilled(t *testing.T, dir string, acked map[string]int64) {
	db, err := store.Open(t.Context(), "sqlite:"+dir, store.Options{})
	must(t, err)
	defer db.Close()
	must(t, db.Carry(t.Context()))
	for i := range 4 {
		sid := killed(i)
		v, err := db.View(t.Context(), sid)
		must(t, err)
		if turns := int64(v.Session.Turns); turns < acked["turns"+string(sid)] {
			t.Errorf("session %s has %d turns, %d were acknowledged", sid, turns, acked["turns"+string(sid)])
		}
		events, err := db.Events(t.Context(), sid, 0, 1<<20)
		must(t, err)
		var last, notices int64
		for _, e := range events {
			if e.Run == "" {
				notices++
				continue
			}
			if last++; e.N != last {
				t.Fatalf("session %s: event %d comes as %d", sid, e.N, last)
			}
		}
		if last < acked["event"+string(sid)] {
			t.Errorf("session %s has %d events, %d were acknowledged", sid, last, acked["event"+string(sid)])
		}
		if notices != int64(v.Session.Turns) {
			t.Errorf("session %s has %d notices of %d turns", sid, notices, v.Session.Turns)
		}
	}
}

func killed(i int) blaise.SessionID { return blaise.SessionID(fmt.Sprintf("killed%d", i)) }

// writeUntilKilled goes on from what the one before left, and says what is
// kept as soon as it is.
func writeUntilKilled(dir string) {
	db, err := store.Open(ctx(), "sqlite:"+dir, store.Options{})
	fatal(err)
	var wg sync.WaitGroup
	for i := range 4 {
		sid := killed(i)
		if _, err := db.View(ctx(), sid); err != nil {
			fatal(db.Tx(ctx(), func(tx *store.Tx) error { return tx.CreateSession(storetest.New(sid)) }))
		}
		wg.Go(func() { decideUntilKilled(db, sid) })
		wg.Go(func() { recordUntilKilled(db, sid) })
	}
	wg.Wait()
}

func decideUntilKilled(db *store.DB, sid blaise.SessionID) {
	for {
		turns := 0
		fatal(db.Tx(ctx(), func(tx *store.Tx) error {
			before, err := tx.Snapshot(sid)
			if err != nil {
				return err
			}
			plan := blaise.Plan{Next: before}
			plan.Next.Session.Turns++
			turns = plan.Next.Session.Turns
			plan.Notices = []blaise.Notice{{Kind: "notice", Text: "turn"}}
			return tx.Write(before, plan)
		}))
		fmt.Printf("turns%s %d\n", sid, turns)
	}
}

func recordUntilKilled(db *store.DB, sid blaise.SessionID) {
	run := sid.Run(1)
	r, err := db.Record(ctx(), run)
	fatal(err)
	for n := r.Count; ; n += 3 {
		var events []transcript.Event
		for i := range int64(3) {
			e := transcript.Event{N: n + 1 + i, Run: string(run), Kind: transcript.KindOutput}
			events = append(events, e)
		}
		_, err := db.Append(ctx(), sid, run, events)
		fatal(err)
		fmt.Printf("event%s %d\n", sid, n+3)
	}
}

func ctx() context.Context { return context.Background() }

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
