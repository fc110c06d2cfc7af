package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver NAME SECRET FILE: sets NAME to the address of a receiver of webhooks,
// which verifies what comes with the secret in a file, by the library of the
// specification's authors, and adds a line of type, session and id to FILE. It
// refuses the first one.
func receiver(ts *testscript.TestScript, _ bool, args []string) {
	secret, path := ts.MkAbs(args[1]), ts.MkAbs(args[2])
	var mu sync.Mutex // guards the file and refused
	refused := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		line, err := verified(secret, r.Header, body)
		if err == nil {
			err = appendLine(path, line)
		}
		if err != nil || !refused {
			refused = true
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
}

func verified(secret string, h http.Header, body []byte) (string, error) {
	key, err := os.ReadFile(secret)
	if err != nil {
		return "", err
	}
	hook, err := standardwebhooks.NewWebhook(strings.TrimSpace(string(key)))
	if err == nil {
		err = hook.Verify(body, h)
	}
	if err != nil {
		return "", err
	}
	var told struct {
		Type string
		Data struct{ Session string }
	}
	err = json.Unmarshal(body, &told)
	return fmt.Sprintf("%s %s %s\n", told.Type, told.Data.Session, h.Get("webhook-id")), err
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line)
	return err
}
