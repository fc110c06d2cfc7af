package run_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"blaise.dev/blaise/run"
	"blaise.dev/blaise/transcript"
)

// Of a long file the record says how far it is on its way to Blaise, at most ten
// times and once at its end; of a short one it says nothing.
func TestUploadIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size  int64
		least int
	}{"long": {20 << 20, 1}, "short": {1 << 20, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "work.bundle")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, c.size); err != nil {
				t.Fatal(err)
			}
			u, over := run.NewUpload(path), make(chan struct{})
			var notes []map[string]any
			var telling sync.WaitGroup
			telling.Go(func() {
				u.Tell(over, func(_ transcript.Kind, v any) { notes = append(notes, v.(map[string]any)) })
			})
			for sent := int64(0); sent < c.size; sent += 32 << 10 {
				_, _ = u.Write(make([]byte, 32<<10)) // it counts, and cannot fail
			}
			close(over)
			telling.Wait()
			if len(notes) < c.least || len(notes) > 11*c.least {
				t.Fatalf("%d notes: %v", len(notes), notes)
			}
			if c.least > 0 {
				last := notes[len(notes)-1]
				if last["done"] != c.size>>20 || last["total"] != c.size>>20 || last["what"] != "upload work.bundle" {
					t.Errorf("the last says %v", last)
				}
			}
		})
	}
}
