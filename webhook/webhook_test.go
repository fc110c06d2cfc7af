package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/webhook"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// What is sent verifies with the library of the specification's authors, and
// does not once a byte of it has changed.
func TestSend(t *testing.T) {
	t.Parallel()
	secret := webhook.NewSecret()
	hook, err := standardwebhooks.NewWebhook(secret.Shown())
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := hook.Verify(body, r.Header); err != nil {
			t.Error(err)
		}
		if hook.Verify(append(body, ' '), r.Header) == nil {
			t.Error("a changed body verifies")
		}
		if got := r.Header.Get("webhook-id"); got != "msg_1" {
			t.Errorf("id %q", got)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer s.Close()
	sender := &webhook.Sender{AllowPrivate: true, Version: "test"}
	r := sender.Send(t.Context(), webhook.Message{
		URL: s.URL, Secret: secret, ID: "msg_1", At: time.Now(), Body: []byte(`{"a":1}`),
	})
	if !r.OK() || r.Status != http.StatusAccepted {
		t.Errorf("got %+v", r)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", secret, secret, secret, secret); strings.Contains(text, secret.Shown()) {
		t.Error("the secret prints")
	}
}

// A redirection is not followed: it could lead anywhere.
func TestSendFollowsNoRedirection(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			t.Errorf("it went to %s", r.URL)
		}
		http.Redirect(w, r, "/inside", http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	r := (&webhook.Sender{AllowPrivate: true}).Send(t.Context(), webhook.Message{URL: s.URL, At: time.Now()})
	if r.OK() || r.Status != http.StatusTemporaryRedirect {
		t.Errorf("got %+v", r)
	}
}

// No address of this machine or its network is reached, by whatever name, and
// nothing is sent there.
func TestSendReachesPublicAddressesAlone(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	connected := make(chan struct{}, 1)
	go func() { // ends with the listener
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			connected <- struct{}{}
			_ = c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	var s webhook.Sender
	for _, host := range []string{
		"127.0.0.1", "localhost", "localhost.", "x.localhost", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1",
		"192.168.1.1", "169.254.169.254", "100.64.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
		"[fe80::1]", "[fc00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::127.0.0.1]", "255.255.255.255",
	} {
		r := s.Send(t.Context(), webhook.Message{URL: "https://" + host + ":" + port, At: time.Now()})
		if !errors.Is(r.Err, webhook.ErrPrivate) {
			t.Errorf("%s: got %v", host, r.Err)
		}
	}
	select {
	case <-connected:
		t.Error("a connection was made")
	default:
	}
}

// A name is looked at when it stands for an address: that it was a public one
// before counts for nothing.
func TestGuardLooksBehindNames(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"93.184.216.34:443": true, "[2606:2800:220:1:248:1893:25c8:1946]:443": true,
		"127.0.0.1:443": false, "[::ffff:10.1.2.3]:443": false, "[fe80::1%eth0]:443": false, "10.0.0.1:80": false,
		"nonsense": false,
	} {
		if err := webhook.Guard(address); (err == nil) != want {
			t.Errorf("%s: got %v", address, err)
		}
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	var strict webhook.Sender
	for given, want := range map[string]bool{
		"https://example.org/hook?x=1": true, "https://example.org:8443": true,
		"http://example.org": false, "ftp://example.org": false, "example.org": false, "https://": false,
		"https://ann:secret@example.org": false, "https://example.org/#part": false, "https://%zz": false, "": false,
	} {
		if err := strict.CheckURL(given); (err == nil) != want {
			t.Errorf("%s: got %v", given, err)
		}
	}
	if err := (&webhook.Sender{AllowPrivate: true}).CheckURL("http://10.0.0.1/x"); err != nil {
		t.Error(err)
	}
}

// Who ends the attempt is told why.
func TestSendEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("Blaise ends")
	asked := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer s.Close()
	go func() { <-asked; cancel(why) }() // ends with the request
	r := (&webhook.Sender{AllowPrivate: true}).Send(ctx, webhook.Message{URL: s.URL, At: time.Now()})
	if !errors.Is(r.Err, why) {
		t.Errorf("got %v", r.Err)
	}
}
