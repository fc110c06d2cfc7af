package server_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"golang.org/x/sys/unix"
)

// Who asks for something that the full disk has no room for is told so, and what
// to do; when there is room it is done.
func TestAFullDiskIsSaid(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("no small disk can be made here: mount: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("TMPDIR", dir)
	h := newHouse(t)
	rest := filepath.Join(dir, "rest")
	if err := os.WriteFile(rest, make([]byte, 32<<20), 0o600); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	start := api.StartSession{Agent: "demo", Text: strings.Repeat("many words ", 1<<15)}
	var err error
	for n := 0; err == nil && n < 1000; n++ { // the log has room for some
		_, err = h.user.StartSession(t.Context(), start)
	}
	var told *blaise.Error
	if !errors.As(err, &told) || told.Code != blaise.CodeUnreachable ||
		!strings.Contains(told.Message, "the disk of the store is full") || !strings.Contains(told.Hint, "make room") {
		t.Errorf("on a full disk: %v", err)
	}
	if err := os.Remove(rest); err != nil {
		t.Fatal(err)
	}
	if _, err := h.user.StartSession(t.Context(), start); err != nil {
		t.Errorf("there is room again: %v", err)
	}
}
