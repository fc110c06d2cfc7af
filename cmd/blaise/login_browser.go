package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"blaise.dev/blaise"

	"golang.org/x/sync/errgroup"
)

// browserPatience is how long a person may take in the browser.
const browserPatience = 10 * time.Minute

// newCheck is what a terminal and a page both show.
func newCheck() string { s := rand.Text(); return s[:4] + "-" + s[4:8] }

// throughBrowser asks the person to sign this terminal in with a browser of
// this machine, and answers the code that it brings.
func (a *app) throughBrowser(ctx context.Context, base string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, browserPatience)
	defer cancel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("wait for the browser: %w", err)
	}
	port, check := l.Addr().(*net.TCPAddr).Port, newCheck()
	a.askBrowser(base, url.Values{"check": {check}, "port": {strconv.Itoa(port)}})
	came := make(chan string, 1)
	srv := &http.Server{Handler: takesCode(check, came), ReadHeaderTimeout: 10 * time.Second}
	code := ""
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		select {
		case code = <-came:
		case <-ctx.Done():
		}
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = srv.Shutdown(grace) // the browser has its answer, or nobody waits for one
		return nil
	})
	if err := g.Wait(); err != nil {
		return "", err
	}
	if code == "" {
		return "", blaise.Errorf(blaise.CodeUnreachable, "no browser came to sign this terminal in").
			WithHint("if the browser is on another machine: blaise login --paste %s", base)
	}
	return code, nil
}

// askBrowser says where to go.
func (a *app) askBrowser(base string, q url.Values) {
	fmt.Fprintf(a.err, "Open in a browser, and see that the page shows %s:\n  %s/login/terminal?%s\n", q.Get("check"), base, q.Encode())
}

// takesCode takes the code of the page that shows the check, once.
func takesCode(check string, came chan<- string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		q := r.URL.Query()
		if q.Get("code") == "" || subtle.ConstantTimeCompare([]byte(q.Get("check")), []byte(check)) != 1 {
			http.Error(w, "this is not what the terminal waits for", http.StatusForbidden)
			return
		}
		select {
		case came <- q.Get("code"):
			fmt.Fprintln(w, "The terminal has it. This page can be closed.")
		default:
			http.Error(w, "the terminal has a code already", http.StatusConflict)
		}
	})
}

// pasted asks the person to sign this terminal in with a browser of any
// machine, and to paste what the page shows.
func (a *app) pasted(base string) (link string, err error) {
	a.askBrowser(base, url.Values{"check": {newCheck()}})
	fmt.Fprint(a.err, "Paste what it shows then: ")
	text, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("read what was pasted: %w", err)
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", usage("nothing was pasted").WithHint("paste the link that the page shows")
	}
	return text, nil
}
