package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A sign-in link may lead to a session's page, and nowhere else.
func TestLoginGoesOnToASession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for session, want := range map[string]string{
		"":                             "url=/\"",
		"k3v9aaaa":                     "url=/sessions/k3v9aaaa\"",
		"//evil.example":               "url=/\"",
		"../login":                     "url=/\"",
		"x\"><script>alert(1)</script": "url=/\"",
		"javascript:alert(1)":          "url=/\"",
	} {
		link, err := h.user.LoginLink(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(link.URL)
		if err != nil {
			t.Fatal(err)
		}
		resp := h.request("GET", u.RequestURI()+"&session="+url.QueryEscape(session), "", "")
		text := body(t, resp)
		if resp.StatusCode != http.StatusOK || !strings.Contains(text, want) || strings.Contains(text, "evil") || strings.Contains(text, "alert") {
			t.Errorf("session %q: %s, want %s in:\n%s", session, resp.Status, want, text)
		}
	}
}
