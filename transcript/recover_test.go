package transcript_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"blaise.dev/blaise/transcript"
)

// crashed returns the bytes of a segment with n events and a report.
func crashed(t testing.TB, n int) []byte {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir, transcript.SpoolOptions{})
	for i := range n {
		add(t, s, transcript.EntryEvent, fmt.Sprintf(`{"i":%d,"text":"häuser"}`, i))
	}
	if _, err := s.Append(transcript.EntryReport, []byte(`{"report":1}`), true); err != nil {
		t.Fatal(err)
	}
	s.Crash()
	return []byte(onDisk(t, dir))
}

func spoolOf(t testing.TB, segment []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%020d.jsonl", 1)), segment, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRecover(t *testing.T) {
	t.Parallel()
	t.Run("a record cut at any byte is cut off whole", func(t *testing.T) {
		t.Parallel()
		before, whole := crashed(t, 3), crashed(t, 4)
		from := len(before) - len(`{"n":4,"kind":"report","crc":"00000000","data":{"report":1}}`) - 1
		for end := from; end < len(whole); end++ {
			s := open(t, spoolOf(t, whole[:end]), transcript.SpoolOptions{Reserve: 1})
			want := int64(3)
			if end >= from+len(`{"n":4,"kind":"event","crc":"00000000","data":{"i":3,"text":"häuser"}}`)+1 {
				want = 4
			}
			if s.Last() != want {
				t.Fatalf("cut at %d of %d: got last %d, want %d", end, len(whole), s.Last(), want)
			}
			if n := add(t, s, transcript.EntryEvent, `"after"`); n != want+1 {
				t.Fatalf("got number %d, want %d", n, want+1)
			}
			if got := readAll(t, s, 1); len(got) != int(want)+1 {
				t.Fatalf("got %d entries, want %d", len(got), want+1)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("zeros at the end are cut off", func(t *testing.T) {
		t.Parallel()
		s := open(t, spoolOf(t, append(crashed(t, 3), make([]byte, 4096)...)), transcript.SpoolOptions{})
		if s.Last() != 4 {
			t.Errorf("got last %d, want 4", s.Last())
		}
	})
	t.Run("a number that was acknowledged is not given again", func(t *testing.T) {
		t.Parallel()
		dir := spoolOf(t, crashed(t, 3))
		if err := os.WriteFile(filepath.Join(dir, "acked"), fmt.Appendf(nil, "%020d\n", 9), 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, dir, transcript.SpoolOptions{})
		if n := add(t, s, transcript.EntryEvent, `1`); n != 10 {
			t.Errorf("got number %d, want 10", n)
		}
		if count, _ := s.Digest(); count != 4 {
			t.Errorf("got %d events, want 4", count)
		}
	})
	t.Run("a lost acknowledgement only repeats", func(t *testing.T) {
		t.Parallel()
		dir := spoolOf(t, crashed(t, 3))
		s := open(t, dir, transcript.SpoolOptions{})
		if err := s.Ack(3); err != nil {
			t.Fatal(err)
		}
		s.Crash()
		if s = open(t, dir, transcript.SpoolOptions{}); s.Acked() != 3 {
			t.Errorf("got acked %d, want 3", s.Acked())
		}
		s.Crash()
		if err := os.WriteFile(filepath.Join(dir, "acked"), []byte("0000"), 0o600); err != nil {
			t.Fatal(err)
		}
		if s = open(t, dir, transcript.SpoolOptions{}); s.Acked() != 0 {
			t.Errorf("got acked %d, want 0", s.Acked())
		}
	})
	t.Run("damage in the middle is an error, not a gap", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := open(t, dir, transcript.SpoolOptions{Limit: 8 << 10})
		for range 70 {
			add(t, s, transcript.EntryEvent, `"0123456789 0123456789"`)
		}
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		first := filepath.Join(dir, fmt.Sprintf("%020d.jsonl", 1))
		b, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		b[300] ^= 1
		if err := os.WriteFile(first, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Read(1, 1000, 1<<20); err == nil {
			t.Error("read over damage")
		}
	})
}

func FuzzRecover(f *testing.F) {
	whole := crashed(f, 3)
	f.Add(whole, 10, byte(0))
	f.Add(whole, len(whole)-5, byte('\n'))
	f.Fuzz(func(t *testing.T, segment []byte, at int, b byte) {
		if at >= 0 && at < len(segment) {
			segment[at] = b
		}
		dir := spoolOf(t, segment)
		s, err := transcript.OpenSpool(dir, transcript.SpoolOptions{Log: quiet, Reserve: 1})
		if err != nil {
			return // the header is damaged: said, not guessed at
		}
		last := s.Last()
		if n := add(t, s, transcript.EntryEvent, `"after"`); n != last+1 {
			t.Errorf("got number %d, want %d", n, last+1)
		}
		want := readAll(t, s, 1)
		count, sum := s.Digest()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir, transcript.SpoolOptions{})
		if got := readAll(t, s, 1); len(got) != len(want) {
			t.Errorf("got %d entries after reopening, want %d", len(got), len(want))
		}
		if c, d := s.Digest(); c != count || d != sum {
			t.Errorf("got digest %d %s after reopening, want %d %s", c, d, count, sum)
		}
		_ = s.Close()
	})
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, transcript.SpoolOptions{Reserve: 4 << 10})
	var noSpace atomic.Bool
	s.FillDisk(noSpace.Load, 4<<10)
	if _, err := s.Append(transcript.EntryEvent, []byte(`"before"`), true); err != nil {
		t.Fatal(err)
	}
	noSpace.Store(true)
	waited := make(chan error, 1)
	go func() {
		_, err := s.Append(transcript.EntryEvent, []byte(`"during"`), true)
		waited <- err
	}()
	select {
	case err := <-waited:
		t.Fatalf("a durable event did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if _, err := s.Append(transcript.EntryReport, []byte(`"report"`), true); err != nil {
		t.Errorf("a report did not get the reserve: %v", err)
	}
	if err := <-waited; err != nil { // it went to disk with the report
		t.Error(err)
	}
	go func() {
		_, err := s.Append(transcript.EntryEvent, []byte(`"more"`), true)
		waited <- err
	}()
	time.Sleep(20 * time.Millisecond)
	noSpace.Store(false)
	if err := s.Ack(3); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
	got := readAll(t, s, 4)
	if len(got) != 1 || string(got[0].Data) != `"more"` {
		t.Errorf("got %v", got)
	}
	cause := errors.New("fenced")
	noSpace.Store(true)
	s.Stop(cause)
	if _, err := s.Append(transcript.EntryEvent, []byte(`"late"`), true); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
	noSpace.Store(false)
}
