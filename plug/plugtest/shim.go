package plugtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// ShimVariable names a shim that is there already, for tests that are run as
// another user, who can build none.
const ShimVariable = "PLUGTEST_SHIM"

// Shim is the small static program, as it is copied into containers. The layers
// of tests start everything under it: the test binary does too, but takes ten
// times as long to begin, and some tests begin hundreds. Main removes it.
func Shim(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(ShimVariable); path != "" {
		return path
	}
	path, err := buildShim()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var shimDir string // "" if none was built

var buildShim = sync.OnceValues(func() (path string, err error) {
	if shimDir, err = os.MkdirTemp("", "blaise-shim-*"); err != nil {
		return "", err
	}
	path = filepath.Join(shimDir, "blaise-shim")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "blaise.dev/blaise/cmd/shim")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build shim: %w: %s", err, out)
	}
	return path, os.Chmod(shimDir, 0o755) // another user runs it too
})
