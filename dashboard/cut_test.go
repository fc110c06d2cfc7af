package dashboard_test

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// A page that is open hears nothing more when its browser has signed out.
func TestLivePagesEndWithTheSignIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.begin("hello")
	over := make(chan string, 2)
	for _, path := range []string{"/live", "/sessions/" + string(d.id) + "/live"} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", d.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.AddCookie(d.cookie)
		resp, err := d.client.Do(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v", path, resp, err)
		}
		go func() {
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, resp.Body)
			over <- path
		}()
	}
	if resp, _ := d.do("POST", "/logout", nil, "Origin", d.server.URL); resp.StatusCode != http.StatusSeeOther {
		t.Fatal(resp.Status)
	}
	for range 2 {
		select {
		case <-over:
		case <-time.After(10 * time.Second):
			t.Fatal("a page that is signed out goes on to hear")
		}
	}
}
