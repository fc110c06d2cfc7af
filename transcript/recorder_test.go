package transcript_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise/transcript"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 5e6, time.FixedZone("", 3600))

func recorder(s *transcript.Spool) *transcript.Recorder {
	return transcript.NewRecorder(s, "s1.1", func() time.Time { return noon })
}

func events(t testing.TB, s *transcript.Spool) []transcript.Event {
	t.Helper()
	var got []transcript.Event
	for _, entry := range readAll(t, s, 1) {
		var e transcript.Event
		if err := json.Unmarshal(entry.Data, &e); err != nil {
			t.Fatalf("%s: %v", entry.Data, err)
		}
		got = append(got, e)
	}
	return got
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	t.Run("numbers and stamps events, and drops replays", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{})
		r := recorder(s)
		r.SetTurn("s1.m1")
		for _, e := range []transcript.Event{
			{Kind: transcript.KindUpdate, Replay: true},
			{Kind: "odd\"kind", Late: true, Data: json.RawMessage("{ \"a\": \"<\" }")},
			{Kind: transcript.KindTurnEnded, Run: "other", Turn: "s1.m0", At: noon.Add(time.Hour)},
		} {
			if err := r.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{
			`{"n":1,"at":"2026-01-02T11:00:00.005Z","run":"s1.1","turn":"s1.m1","kind":"odd\"kind","late":true,"data":{"a":"\u003c"}}`,
			`{"n":2,"at":"2026-01-02T12:00:00.005Z","run":"s1.1","turn":"s1.m0","kind":"turn_ended"}`,
		}
		got := readAll(t, s, 1)
		for i := range want {
			if string(got[i].Data) != want[i] {
				t.Errorf("got  %s\nwant %s", got[i].Data, want[i])
			}
			var e transcript.Event
			_ = json.Unmarshal(got[i].Data, &e)
			if again, _ := json.Marshal(e); string(again) != want[i] {
				t.Errorf("marshalled again: %s", again)
			}
		}
	})
	t.Run("goes on after what is there, without a gap for a refusal", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{})
		if err := recorder(s).Append(transcript.New(transcript.KindNotice, 1)); err != nil {
			t.Fatal(err)
		}
		add(t, s, transcript.EntryReport, `1`)
		r := recorder(s)
		if err := r.Append(transcript.Event{Kind: "x", Data: json.RawMessage(`{`)}); err == nil {
			t.Error("took broken data")
		}
		if err := r.Append(transcript.New(transcript.KindNotice, 2)); err != nil {
			t.Fatal(err)
		}
		got := readAll(t, s, 3)
		if len(got) != 1 || !bytes.HasPrefix(got[0].Data, []byte(`{"n":2,`)) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("is in order under concurrency", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{})
		r := recorder(s)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for i := range 100 {
					kind := transcript.KindUpdate
					if i%20 == 0 {
						kind = transcript.KindAsked
					}
					if err := r.Append(transcript.New(kind, i)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		for i, e := range events(t, s) {
			if e.N != int64(i)+1 {
				t.Fatalf("event %d has number %d", i+1, e.N)
			}
		}
	})
	t.Run("what a reader must not miss outlives a crash at once", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := open(t, dir, transcript.SpoolOptions{})
		if err := recorder(s).Append(transcript.New(transcript.KindTurnBegan, "m1")); err != nil {
			t.Fatal(err)
		}
		s.Crash()
		if got := events(t, open(t, dir, transcript.SpoolOptions{})); len(got) != 1 {
			t.Errorf("got %d events", len(got))
		}
	})
}

func TestRecorderLongEvent(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "any [name]")
	s := open(t, dir, transcript.SpoolOptions{})
	whole, err := json.Marshal("begin" + strings.Repeat("\"\u00e9<", 500_000) + "end")
	if err != nil {
		t.Fatal(err)
	}
	r := recorder(s)
	for _, data := range [][]byte{whole, []byte(`"short"`)} {
		if err := r.Append(transcript.Event{Kind: transcript.KindOutput, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	got := events(t, s)
	var short transcript.Shortened
	if err := json.Unmarshal(got[0].Data, &short); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(whole)
	kept, err := os.ReadFile(filepath.Join(dir, short.Cut.File))
	if err != nil || !bytes.Equal(kept, whole) {
		t.Errorf("kept %d bytes of %d (%v)", len(kept), len(whole), err)
	}
	if all, err := s.Wholes(); err != nil || len(all) != 1 || all[0] != filepath.Join(dir, short.Cut.File) {
		t.Errorf("there are %v (%v)", all, err)
	}
	if c := short.Cut; c.Size != len(whole) || c.SHA256 != hex.EncodeToString(sum[:]) ||
		!strings.HasPrefix(c.Head, `"begin`) || !strings.HasSuffix(c.Tail, `end"`) {
		t.Errorf("got %d %s %.20s", c.Size, c.SHA256, c.Head)
	}
	if len(got[0].Data) > 1<<20 || string(got[1].Data) != `"short"` {
		t.Errorf("got %d bytes, then %s", len(got[0].Data), got[1].Data)
	}
}

func TestRecorderLongEventsHaveALimit(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), transcript.SpoolOptions{Limit: 6 << 20})
	r := recorder(s)
	data := fmt.Appendf(nil, "%q", strings.Repeat("x", 1<<20))
	for range 3 {
		if err := r.Append(transcript.Event{Kind: transcript.KindOutput, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	var files []string
	for _, e := range events(t, s) {
		var short transcript.Shortened
		if err := json.Unmarshal(e.Data, &short); err != nil {
			t.Fatal(err)
		}
		files = append(files, short.Cut.File)
	}
	if got, want := fmt.Sprint(files), "[whole-1.json  ]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkRecorder(b *testing.B) {
	s := open(b, b.TempDir(), transcript.SpoolOptions{Limit: 1 << 40})
	r := transcript.NewRecorder(s, "abcdefgh.1", nil)
	r.SetTurn("abcdefgh.m1")
	e := transcript.New(transcript.KindUpdate, map[string]any{
		"sessionUpdate": "agent_message_chunk",
		"content":       map[string]string{"type": "text", "text": strings.Repeat("word ", 25)},
	})
	b.SetBytes(300)
	n := 0
	for b.Loop() {
		if err := r.Append(e); err != nil {
			b.Fatal(err)
		}
		// A receiver that keeps up, or the disk of the benchmark fills.
		if n++; n%100_000 == 0 {
			if err := s.Ack(s.Last()); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := s.Sync(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
