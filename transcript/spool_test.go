package transcript_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise/transcript"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func open(t testing.TB, dir string, o transcript.SpoolOptions) *transcript.Spool {
	t.Helper()
	if o.Log == nil {
		o.Log = quiet
	}
	s, err := transcript.OpenSpool(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func add(t testing.TB, s *transcript.Spool, kind transcript.EntryKind, data string) int64 {
	t.Helper()
	n, err := s.Append(kind, []byte(data), false)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func readAll(t testing.TB, s *transcript.Spool, from int64) []transcript.Entry {
	t.Helper()
	var all []transcript.Entry
	for {
		got, err := s.Read(from, 7, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			return all
		}
		if len(all) == 0 {
			from = got[0].N
		}
		for _, e := range got {
			if e.N != from {
				t.Fatalf("got entry %d, want %d", e.N, from)
			}
			from++
		}
		all = append(all, got...)
	}
}

func TestSpool(t *testing.T) {
	t.Parallel()
	t.Run("gives back what was appended, numbered from 1", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{})
		for i := range 30 {
			add(t, s, transcript.EntryEvent, fmt.Sprintf(` {"i" : %d, "t": "<a&b>"}`, i))
		}
		got := readAll(t, s, 1)
		if len(got) != 30 || s.Last() != 30 {
			t.Fatalf("got %d entries, last %d", len(got), s.Last())
		}
		if want := `{"i":29,"t":"\u003ca\u0026b\u003e"}`; string(got[29].Data) != want {
			t.Errorf("got %s, want %s", got[29].Data, want)
		}
	})
	t.Run("is on disk in the form that encoding/json sends", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{})
		add(t, s, transcript.EntryEvent, "[ \"\u2028 <é> \\u003c\", 1.50, null ]")
		got := readAll(t, s, 1)[0]
		sent, err := json.Marshal(got)
		if err != nil || !bytes.Contains(sent, got.Data) {
			t.Errorf("sent %s (%v), on disk %s", sent, err, got.Data)
		}
	})
	t.Run("refuses what is not JSON, and stays whole", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{})
		if _, err := s.Append(transcript.EntryEvent, []byte(`{"a`), true); err == nil {
			t.Error("took half an object")
		}
		if n := add(t, s, transcript.EntryEvent, `1`); n != 1 {
			t.Errorf("got number %d, want 1", n)
		}
	})
	t.Run("reads within limits, one entry at least", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{})
		for range 5 {
			add(t, s, transcript.EntryEvent, `"0123456789"`)
		}
		for _, c := range []struct{ entries, bytes, want int }{{5, 1, 1}, {5, 24, 2}, {3, 999, 3}, {9, 999, 5}} {
			if got, err := s.Read(1, c.entries, c.bytes); err != nil || len(got) != c.want {
				t.Errorf("Read(1, %d, %d): got %d (%v), want %d", c.entries, c.bytes, len(got), err, c.want)
			}
		}
	})
	t.Run("has one owner", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := open(t, dir, transcript.SpoolOptions{})
		if _, err := transcript.OpenSpool(dir, transcript.SpoolOptions{}); !errors.Is(err, transcript.ErrLocked) {
			t.Errorf("got %v, want ErrLocked", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		open(t, dir, transcript.SpoolOptions{})
		if _, err := s.Append(transcript.EntryEvent, []byte(`1`), false); !errors.Is(err, transcript.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	})
	t.Run("an entry is in the file when Append returns", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := open(t, dir, transcript.SpoolOptions{})
		for i := range 5 {
			add(t, s, transcript.EntryEvent, fmt.Sprintf(`"word %d"`, i))
			if !strings.Contains(onDisk(t, dir), fmt.Sprintf("word %d", i)) {
				t.Fatalf("entry %d is not in the file", i)
			}
		}
	})
	t.Run("the last of a flood is in the file within a moment", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := open(t, dir, transcript.SpoolOptions{})
		for range 1000 {
			add(t, s, transcript.EntryEvent, `"one of many"`)
		}
		add(t, s, transcript.EntryEvent, `"soon there"`)
		for limit := time.Now().Add(5 * time.Second); !strings.Contains(onDisk(t, dir), "soon there"); {
			if time.Now().After(limit) {
				t.Fatal("not in the file")
			}
			time.Sleep(time.Millisecond)
		}
	})
}

func onDisk(t testing.TB, dir string) string {
	t.Helper()
	var all strings.Builder
	names, _ := filepath.Glob(filepath.Join(dir, "0*.jsonl"))
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

func TestSpoolDigest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := transcript.SpoolOptions{Limit: 8 << 10} // segments of 1 KiB
	s := open(t, dir, o)
	var want transcript.Digest
	for i := range 100 {
		data := fmt.Sprintf(`{"i":%d}`, i)
		if i%7 == 0 {
			add(t, s, transcript.EntryReport, data)
		} else {
			add(t, s, transcript.EntryEvent, data)
			want.Add([]byte(data))
		}
		if i%9 == 0 {
			if err := s.Ack(s.Last() - 2); i > 9 && err != nil {
				t.Fatal(err)
			}
		}
		if i%13 == 0 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, o)
		}
	}
	count, sum := s.Digest()
	wantCount, wantSum := want.Sum()
	if count != wantCount || sum != wantSum {
		t.Errorf("got %d %s, want %d %s", count, sum, wantCount, wantSum)
	}
	if first := readAll(t, s, 1)[0].N; first < 40 {
		t.Errorf("entry %d is still there though acknowledged", first)
	}
}

func TestSpoolConcurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, transcript.SpoolOptions{Limit: 64 << 10})
	ctx, done := context.WithCancel(t.Context())
	var writers, reader sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 200 {
				data := fmt.Appendf(nil, `{"w":%d,"i":%d,"pad":%q}`, w, i, strings.Repeat("x", 60))
				if _, err := s.Append(transcript.EntryEvent, data, i%40 == 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	next := make([]int, 8) // each writer's events come in its order, once
	reader.Go(func() {
		for s.Wait(ctx, s.Acked()) == nil {
			got, err := s.Read(s.Acked()+1, 50, 1<<16)
			if err != nil {
				t.Error(err)
				return
			}
			for _, e := range got {
				var d struct{ W, I int }
				if err := json.Unmarshal(e.Data, &d); err != nil || d.I != next[d.W] {
					t.Errorf("got event %d of writer %d, want %d (%v)", d.I, d.W, next[d.W], err)
				}
				next[d.W]++
			}
			if err := s.Ack(s.Acked() + int64(len(got))); err != nil {
				t.Error(err)
			}
		}
	})
	writers.Wait()
	for !s.Empty() && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
	done()
	reader.Wait()
	if count, _ := s.Digest(); count != 1600 {
		t.Errorf("got %d events, want 1600", count)
	}
}

func TestSpoolFull(t *testing.T) {
	t.Parallel()
	t.Run("waits at the limit until acks free space", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{Limit: 16 << 10, Reserve: 4 << 10})
		added := make(chan error, 1)
		go func() {
			for range 200 {
				if _, err := s.Append(transcript.EntryEvent, []byte(`"`+strings.Repeat("y", 500)+`"`), false); err != nil {
					added <- err
					return
				}
			}
			added <- nil
		}()
		var seen int64
		for seen < 200 {
			if err := s.Wait(t.Context(), seen); err != nil {
				t.Fatal(err)
			}
			if n := s.Last() - seen; n > 33 {
				t.Fatalf("%d entries of 500 bytes wait in a spool of 16 KiB", n)
			}
			seen++
			if err := s.Ack(seen); err != nil {
				t.Fatal(err)
			}
		}
		if err := <-added; err != nil {
			t.Error(err)
		}
	})
	t.Run("keeps room for reports", func(t *testing.T) {
		t.Parallel()
		s := full(t)
		if _, err := s.Append(transcript.EntryReport, []byte(`"the end"`), true); err != nil {
			t.Error(err)
		}
	})
	t.Run("Stop and Close end the wait", func(t *testing.T) {
		t.Parallel()
		cause := errors.New("fenced")
		for want, end := range map[error]func(*transcript.Spool){
			cause:                func(s *transcript.Spool) { s.Stop(cause) },
			transcript.ErrClosed: func(s *transcript.Spool) { _ = s.Close() },
		} {
			s := full(t)
			waited := make(chan error, 1)
			go func() {
				_, err := s.Append(transcript.EntryEvent, []byte(`"`+strings.Repeat("z", 900)+`"`), false)
				waited <- err
			}()
			select {
			case err := <-waited:
				t.Fatalf("did not wait: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
			end(s)
			if err := <-waited; !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
	})
	t.Run("takes one entry above the limit", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir(), transcript.SpoolOptions{Limit: 1 << 10})
		for range 3 {
			n := add(t, s, transcript.EntryEvent, `"`+strings.Repeat("x", 3000)+`"`)
			if err := s.Ack(n); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// full returns a spool in which no further event of 900 bytes fits.
func full(t *testing.T) *transcript.Spool {
	t.Helper()
	s := open(t, t.TempDir(), transcript.SpoolOptions{Limit: 8 << 10, Reserve: 4 << 10})
	for range 7 { // each makes a segment, which has a header
		add(t, s, transcript.EntryEvent, `"`+strings.Repeat("x", 900)+`"`)
	}
	return s
}
