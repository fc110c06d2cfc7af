package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/transcript"
)

// events are a run's events numbered from to to.
func events(run blaise.RunID, from, to int64) []transcript.Event {
	var all []transcript.Event
	for n := from; n <= to; n++ {
		e := transcript.New(transcript.KindOutput, map[string]any{"text": fmt.Sprintf("line <%d>", n)})
		e.N, e.Run, e.At = n, string(run), start.Add(time.Duration(n))
		all = append(all, e)
	}
	return all
}

func read(t *testing.T, db *store.DB, session blaise.SessionID) []transcript.Event {
	t.Helper()
	all, err := db.Events(t.Context(), session, 0, 1<<20)
	ok(t, err)
	for i, e := range all {
		equal(t, "seq", e.Seq, int64(i+1))
	}
	return all
}

func numbered(entries []transcript.Event, from int64) []transcript.Event {
	for i := range entries {
		entries[i].Seq = from + int64(i)
	}
	return entries
}

func testEvents(t *testing.T, db *store.DB) {
	sid := id()
	one, two := sid.Run(1), sid.Run(2)
	add := func(run blaise.RunID, from, to, want int64) {
		t.Helper()
		last, err := db.Append(t.Context(), sid, run, events(run, from, to))
		ok(t, err)
		equal(t, "last seq", last, want)
	}
	add(one, 1, 3, 3)
	add(one, 1, 3, 3) // sent again
	add(one, 2, 5, 5) // in part
	add(two, 1, 2, 7)
	add(one, 6, 6, 8)
	want := append(numbered(events(one, 1, 5), 1), numbered(events(two, 1, 2), 6)...)
	want = append(want, numbered(events(one, 6, 6), 8)...)
	equal(t, "events", read(t, db, sid), want)
	for after := range int64(8) {
		for limit := range int64(9) {
			got, err := db.Events(t.Context(), sid, after, int(limit))
			ok(t, err)
			equal(t, "events of a page", len(got), int(min(limit, 8-after)))
			for i, e := range got {
				equal(t, "event of a page", e, want[after+int64(i)])
			}
		}
	}
	last, err := db.LastSeq(t.Context(), sid)
	ok(t, err)
	equal(t, "last seq", last, int64(8))
	last, err = db.Append(t.Context(), sid, one, nil)
	ok(t, err)
	equal(t, "last seq of nothing", last, int64(8))
}

func testGap(t *testing.T, db *store.DB) {
	sid := id()
	run := sid.Run(1)
	refused := func(entries []transcript.Event) {
		t.Helper()
		_, err := db.Append(t.Context(), sid, run, entries)
		code(t, err, blaise.CodeInvalid)
	}
	refused(events(run, 2, 3))
	refused(events(run, 0, 3))
	refused(append(events(run, 1, 2), events(run, 4, 4)...))
	_, err := db.Append(t.Context(), sid, run, events(run, 1, 2))
	ok(t, err)
	refused(events(run, 4, 5))
	for _, line := range []string{"", "{\"a\":\n1}", "{"} {
		_, err = db.AppendRaw(t.Context(), sid, run, 3, [][]byte{[]byte(line)})
		code(t, err, blaise.CodeInvalid)
	}
	equal(t, "events", read(t, db, sid), numbered(events(run, 1, 2), 1))
}

func testDigest(t *testing.T, db *store.DB) {
	sid := id()
	run := sid.Run(1)
	none, err := db.Record(t.Context(), run)
	ok(t, err)
	equal(t, "record of nothing", none, store.Record{Digest: strings.Repeat("00", sha256.Size)})
	var lines [][]byte
	sum := make([]byte, sha256.Size)
	for _, e := range events(run, 1, 450) {
		line, err := json.Marshal(e)
		ok(t, err)
		lines = append(lines, line)
		h := sha256.Sum256(append(sum, line...))
		sum = h[:]
	}
	_, err = db.AppendRaw(t.Context(), sid, run, 1, lines[:210])
	ok(t, err)
	_, err = db.Append(t.Context(), sid, run, events(run, 200, 450))
	ok(t, err)
	got, err := db.Record(t.Context(), run)
	ok(t, err)
	equal(t, "record", got, store.Record{Count: 450, Digest: hex.EncodeToString(sum)})
	equal(t, "events", read(t, db, sid), numbered(events(run, 1, 450), 1))
}

func testChunks(t *testing.T, db *store.DB) {
	sid := id()
	run := sid.Run(1)
	var lines [][]byte
	for i := range 40 { // lines of all sizes, some longer than a chunk
		text := strings.Repeat("x", rand.IntN(1<<(4+i/3*2%16)))
		line, err := json.Marshal(transcript.New(transcript.KindOutput, text))
		ok(t, err)
		lines = append(lines, line)
	}
	long, err := json.Marshal(transcript.New(transcript.KindOutput, strings.Repeat("y", 600<<10)))
	ok(t, err)
	lines = append(lines, long)
	_, err = db.AppendRaw(t.Context(), sid, run, 1, lines)
	ok(t, err)
	got := read(t, db, sid)
	equal(t, "events", len(got), len(lines))
	for i, e := range got {
		var want transcript.Event
		ok(t, json.Unmarshal(lines[i], &want))
		equal(t, "data", string(e.Data), string(want.Data))
	}
}

func testAppendTogether(t *testing.T, db *store.DB) {
	sid := id()
	const each = 50
	together(func(i int) {
		run := sid.Run(i + 1)
		for n := int64(1); n <= each; n += 10 {
			_, err := db.Append(t.Context(), sid, run, events(run, n, n+9))
			check(t, err)
		}
	})
	next := map[string]int64{}
	for _, e := range read(t, db, sid) {
		next[e.Run]++
		equal(t, "n of run "+e.Run, e.N, next[e.Run])
	}
	equal(t, "runs", len(next), callers)
	for run, n := range next {
		equal(t, "events of run "+run, n, int64(each))
	}
}

func testNotices(t *testing.T, db *store.DB) {
	sids := []blaise.SessionID{id(), id(), id()}
	for _, sid := range sids {
		create(t, db, New(sid))
	}
	var wg sync.WaitGroup
	for _, sid := range sids {
		wg.Go(func() {
			for i := range 20 {
				check(t, db.Tx(t.Context(), func(tx *store.Tx) error {
					first := blaise.Notice{Kind: "notice", Text: "first", Data: map[string]any{"i": i}}
					return apply(tx, sid, func(p *blaise.Plan) {
						p.Notices = []blaise.Notice{first, {Kind: "state"}}
					})
				}))
			}
		})
		wg.Go(func() {
			for range 5 {
				check(t, db.Carry(t.Context()))
			}
		})
	}
	wg.Wait()
	ok(t, db.Carry(t.Context()))
	for _, sid := range sids {
		checkNotices(t, read(t, db, sid))
	}
	do(t, db, func(tx *store.Tx) error {
		code(t, tx.Notice("none", blaise.Notice{Kind: "notice"}), blaise.CodeNotFound)
		return nil
	})
}

func checkNotices(t *testing.T, got []transcript.Event) {
	t.Helper()
	equal(t, "notices", len(got), 40)
	for i, e := range got {
		want := `{}`
		if i%2 == 0 {
			want = fmt.Sprintf(`{"i":%d,"text":"first"}`, i/2)
		}
		equal(t, "notice", string(e.Data), want)
		equal(t, "n", e.N, 0)
		equal(t, "run", e.Run, "")
	}
}
