//go:build linux

package plug_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

const fetchVerb = "fetch-of-test"

// fetch gets an address through the proxy that the environment names, though
// it be one of this machine, and prints what came.
func fetch(address string) {
	proxy, err := url.Parse(os.Getenv("http_proxy"))
	if err != nil || proxy.Host == "" {
		fmt.Println("there is no proxy:", err)
		return
	}
	c := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	resp, err := c.Get(address)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, strings.TrimSpace(string(b)))
}

// A sandbox with a list of domains reaches them through the proxy, by HTTP and
// CONNECT, and nothing else; what was refused stands in the session, once.
func TestSandboxReachesWhatItsNetworkAllows(t *testing.T) {
	t.Parallel()
	for _, driver := range sandboxDrivers {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			needDriver(t, driver)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "served %s", r.Host)
			}))
			defer server.Close()
			_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
			w := plugtest.NewWorld(t, host(t, plugtest.TempDir(t)), plug.NewSpec("sandbox", "", map[string]any{
				"driver": driver, "read": []string{prisonerProgram(t)},
				"network": map[string]any{"allow": []string{"localhost:" + port, "127.0.0.1:" + port}},
			}))
			stack := w.Open()
			get := func(address string) string {
				return plugtest.Sh(t, stack.Env(), prisonerProgram(t)+" "+fetchVerb+" "+address)
			}
			if got := get("http://localhost:" + port); got != "200 served localhost:"+port {
				t.Errorf("what is allowed: %q", got)
			}
			for range 2 {
				if got := get("http://refused.invalid/"); !strings.HasPrefix(got, "403 ") {
					t.Errorf("what is not allowed: %q", got)
				}
			}
			if got := get("https://refused.invalid/"); !strings.Contains(got, "Forbidden") {
				t.Errorf("what is not allowed, by CONNECT: %q", got)
			}
			want := "The sandbox refused a connection to refused.invalid:80"
			for deadline := time.Now().Add(5 * time.Second); !strings.Contains(w.Notices(), want) && time.Now().Before(deadline); {
				time.Sleep(10 * time.Millisecond)
			}
			if n := strings.Count(w.Notices(), want); n != 1 {
				t.Errorf("the refusal is noted %d times: %s", n, w.Notices())
			}
			if err := stack.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := stack.Destroy(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := w.Leftovers(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// With the user's own home, keys and the runner's state are not to be seen, and
// what is above them cannot be moved away for something else to take its place.
func TestSandboxInTheUsersOwnHome(t *testing.T) {
	t.Parallel()
	for _, driver := range []string{"bubblewrap", "namespaces"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			needDriver(t, driver)
			h := host(t, plugtest.TempDir(t))
			w := plugtest.NewWorld(t, h, plug.NewSpec("sandbox", "", map[string]any{"driver": driver, "home": "outer"}))
			w.State = filepath.Join(h.Home, ".local/state/blaise")
			write(t, filepath.Join(w.State, "token"), "t")
			write(t, filepath.Join(h.Home, ".ssh/id"), "k")
			w.Options.Private = []string{filepath.Join(h.Dir, "blaise.yml")}
			write(t, w.Options.Private[0], "version: 1")
			env := w.Open().Env()
			defer func() {
				if err := w.Stack().Destroy(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			plugtest.Sh(t, env, `cd; echo mine >file; ! cat .ssh/id; ! cat .local/state/blaise/token
				! mv .local .moved; ! mv .local/state .local/moved; ! rmdir .ssh; ! touch .ssh/x`)
			plugtest.Sh(t, env, "! cat blaise.yml; ! echo x >>blaise.yml")
			if got := read(t, filepath.Join(h.Home, "file")); got != "mine\n" {
				t.Errorf("a file of the home: %q", got)
			}
		})
	}
}

// What the operator requires and the machine cannot give is refused, by name.
func TestSandboxRefusesLessThanIsRequired(t *testing.T) {
	t.Parallel()
	needDriver(t, "landlock")
	w := plugtest.NewWorld(t, host(t, plugtest.TempDir(t)), plug.NewSpec("sandbox", "", map[string]any{
		"driver": "landlock", "require": []string{"files", "processes"},
	}))
	err := w.Stack().Open(t.Context())
	if err == nil || !strings.Contains(err.Error(), "require: processes cannot be enforced here") {
		t.Errorf("open: %v", err)
	}
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Error(err)
	}
}
