package store_test

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/store/storetest"
)

// A copy made while another process writes is as of one moment: sound, with all
// that was acknowledged before it began, notices and turns in step.
func TestCopyOfALiveStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	acked := map[string]int64{}
	lines := bufio.NewScanner(out)
	read := func(count int) {
		for n := 0; n < count && lines.Scan(); n++ {
			var what string
			var value int64
			if _, err := fmt.Sscan(lines.Text(), &what, &value); err == nil {
				acked[what] = max(acked[what], value)
			}
		}
	}
	for range 3 {
		read(300)
		before, to := maps.Clone(acked), t.TempDir()
		must(t, store.Copy(t.Context(), dir, to))
		tally, err := store.Verify(t.Context(), to)
		must(t, err)
		if tally.Sessions != 4 || tally.Events == 0 {
			t.Errorf("the copy holds %+v, want 4 sessions", tally)
		}
		checkKilled(t, to, before)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
}

// What is not as it was written is found, and named.
func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, damage, want string }{
		{"an event that was changed", "transcript.db",
			`UPDATE chunks SET body = CAST(replace(body, 'xxx', 'yyy') AS BLOB)`, "another digest"},
		{"an event that is gone", "transcript.db", `DELETE FROM chunks WHERE first_seq = 3`, "a gap after event 2"},
		{"a tail that is gone", "transcript.db", `DELETE FROM chunks WHERE first_seq = 4`, "ends with event 3, want 4"},
		{"a notice that is gone", "blaise.db", `UPDATE sessions SET notices = 9`, "1 notices of 9"},
		{"a file that was changed", "blobs.db", `UPDATE blob_parts SET bytes = 'other'`, "is not what it was"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := written(t)
			_, err := store.Verify(t.Context(), dir)
			must(t, err)
			_, err = raw(t, "sqlite:"+dir, c.file).ExecContext(t.Context(), c.damage)
			must(t, err)
			if _, err = store.Verify(t.Context(), dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("verify: %v, want %q", err, c.want)
			}
		})
	}
}

// written is a closed store with a session, a notice, three events and a file.
func written(t *testing.T) string {
	dir := t.TempDir()
	db, err := store.Open(t.Context(), "sqlite:"+dir, store.Options{})
	must(t, err)
	sid := killed(0)
	must(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.CreateSession(storetest.New(sid)) }))
	for n := range int64(3) {
		_, err = db.Append(t.Context(), sid, sid.Run(1), lines(sid.Run(1), n+1, 1))
		must(t, err)
	}
	must(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Notice(sid, blaise.Notice{Kind: "notice", Text: "one"})
	}))
	must(t, db.Carry(t.Context()))
	_, err = db.PutBlob(t.Context(), store.Blob{Session: sid, Name: "file"}, bytes.NewReader(data))
	must(t, err)
	must(t, db.Close())
	return dir
}

// A store that is not there is no empty one, and a copy overwrites nothing.
func TestCopyRefuses(t *testing.T) {
	t.Parallel()
	if err := store.Copy(t.Context(), t.TempDir(), t.TempDir()); err == nil {
		t.Error("a directory without a store was copied")
	}
	to := t.TempDir()
	must(t, os.WriteFile(filepath.Join(to, "blaise.db"), []byte("precious"), 0o600))
	if err := store.Copy(t.Context(), written(t), to); err == nil {
		t.Error("a database was copied over")
	}
}

// testDump opens what pg_dump and pg_restore made of a store, with its identity.
func testDump(t *testing.T, pg *storetest.Postgres) {
	dsn, o, sid := pg.Database(t), identity(t), killed(0)
	db := open(t, dsn, o)
	must(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		must(t, tx.CreateSession(storetest.New(sid)))
		return tx.SavePlugState("e", "db", []byte("a password"))
	}))
	_, err := db.Append(t.Context(), sid, sid.Run(1), lines(sid.Run(1), 1, 3))
	must(t, err)
	db = open(t, pg.Dump(t, dsn), o)
	events, err := db.Events(t.Context(), sid, 0, 10)
	must(t, err)
	state, err := db.PlugState(t.Context(), "e", "db")
	must(t, err)
	if len(events) != 3 || string(state) != "a password" {
		t.Errorf("the copy has %d events and the state %q", len(events), state)
	}
}
