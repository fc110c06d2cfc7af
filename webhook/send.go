package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// timeout is how long an address may take to answer: what has long work to do
// answers first and does it then.
const timeout = 15 * time.Second

// maxAnswer is how much of an answer is read, so that the connection can be
// used again; none of it is kept.
const maxAnswer = 64 << 10

// A Sender sends. The zero value works, and reaches public addresses alone. It
// is safe for concurrent use.
type Sender struct {
	// AllowPrivate also reaches this machine and its own network, and plain http.
	AllowPrivate bool
	Version      string // of the program that sends

	once   sync.Once
	client *http.Client
}

// A Message is what is sent. The same ID is the same message to its receiver,
// however often it comes.
type Message struct {
	URL    string
	Secret Secret
	ID     string
	At     time.Time // of this attempt
	Body   []byte    // JSON
}

// A Result is what came of an attempt: the answer's status, or why there was
// none.
type Result struct {
	Status int
	Err    error
	Took   time.Duration
}

// OK says that the receiver has taken the message.
func (r Result) OK() bool { return r.Err == nil && r.Status >= 200 && r.Status < 300 }

// Send sends a message once and waits for the answer. A redirection is an
// answer like any other, and not followed.
func (s *Sender) Send(ctx context.Context, m Message) Result {
	began := time.Now()
	status, err := s.post(ctx, m)
	return Result{Status: status, Err: err, Took: time.Since(began)}
}

func (s *Sender) post(ctx context.Context, m Message) (int, error) {
	if err := s.CheckURL(m.URL); err != nil {
		return 0, err // it was allowed by a flag that is not given any more
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %s", timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Blaise-Webhook/"+s.Version)
	req.Header.Set("webhook-id", m.ID)
	req.Header.Set("webhook-timestamp", strconv.FormatInt(m.At.Unix(), 10))
	req.Header.Set("webhook-signature", m.Secret.sign(m.ID, m.At, m.Body))
	resp, err := s.http().Do(req)
	if err != nil {
		return 0, plain(ctx, err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // the status is the answer
	return resp.StatusCode, nil
}

// plain is why no answer came, without the address that everybody knows.
func plain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func (s *Sender) http() *http.Client {
	s.once.Do(func() {
		d := &net.Dialer{Timeout: timeout, KeepAlive: timeout}
		if !s.AllowPrivate {
			d.Control = guard
		}
		s.client = &http.Client{
			// No proxy: it would make the connection, and nobody would look where to.
			Transport: &http.Transport{
				DialContext: d.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: timeout,
				IdleConnTimeout: time.Minute, MaxIdleConns: 100, MaxIdleConnsPerHost: 8,
				MaxResponseHeaderBytes: maxAnswer,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	})
	return s.client
}
