package plugtest

import (
	"os"
	"testing"

	"blaise.dev/blaise/internal/shim"
)

// Main makes the test binary a shim when it is started as one, and runs the
// tests otherwise.
func Main(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "shim" {
		os.Exit(shim.Main(os.Args[1:]))
	}
	code := m.Run()
	if shimDir != "" {
		_ = os.RemoveAll(shimDir)
	}
	os.Exit(code)
}

// TempDir is t.TempDir on a file system in memory where there is one: making
// many files on a disk is slow.
func TempDir(t testing.TB) string {
	t.Helper()
	if st, err := os.Stat("/dev/shm"); err != nil || !st.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "plugtest-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
