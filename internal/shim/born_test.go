//go:build linux

package shim_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise/internal/shim"
)

// A program that is asked to be a shim and is none, such as a test that forgets
// to be one, starts no shim of its own: it would go on without end.
func TestWhatIsNoShimStartsNone(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "program")
	syscall.ForkLock.RLock() // a child forked meanwhile would keep it from being started
	err := os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\nexec %q nested\n", self()), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = shim.Start(t.Context(), shim.Command{Program: program, Args: []string{"true"}, Stdout: w})
	w.Close()
	if err == nil || !strings.Contains(err.Error(), "is no shim") {
		t.Errorf("error = %v", err)
	}
	said, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := "does not call shim.Main"; !strings.Contains(string(said), want) {
		t.Errorf("the program got %q, want %q in it", said, want)
	}
}
