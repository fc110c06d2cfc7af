package authority_test

import (
	"crypto/x509"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"blaise.dev/blaise/internal/authority"
)

// TestMain is also a program that says whether it has authorities.
func TestMain(m *testing.M) {
	if os.Getenv("AUTHORITY_TEST") == "" {
		os.Exit(m.Run())
	}
	authority.Ensure()
	authority.Ensure() // harmless twice
	pool, err := x509.SystemCertPool()
	fmt.Println(err == nil && !pool.Equal(x509.NewCertPool()))
}

// With nothing on the machine, the authorities are those that the program
// carries; with something, they are the machine's.
func TestThereAreAuthorities(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"a machine without any": {"SSL_CERT_FILE=/nowhere", "SSL_CERT_DIR=/nowhere"},
		"this machine":          nil,
		"ours are asked for":    {"GODEBUG=x509usefallbackroots=1"},
	} {
		c := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test
		c.Env = append([]string{"AUTHORITY_TEST=1"}, env...)
		out, err := c.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != "true" {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
