package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"blaise.dev/blaise"
)

// ClientOptions are the settings of a Client. The zero value works: the
// heartbeats, the uploads and the rest then have a transport each, so that
// none of them waits for a connection of another.
type ClientOptions struct {
	HTTP    *http.Client // for all that the next two do not do
	Beats   *http.Client // for Beat; nil: HTTP, or its own if HTTP is nil too
	Uploads *http.Client // for Send; nil: as Beats
	Version string       // of the program, for the header HeaderVersion

	FirstEvent time.Duration // how long a stream may be silent at first, 5 s
	Silence    time.Duration // how long a stream may be silent, 45 s
	Poll       time.Duration // how long a poll waits where streams are blocked, 25 s
}

// A Client speaks to Blaise with one token: a runner's, a run's lease, or a
// user's. It is safe for concurrent use. Its errors are *blaise.Error:
// CodeUnreachable where no answer came, else what Blaise said. When ctx ends
// first they are ctx's cause. It never tries a request again.
type Client struct {
	url     string
	token   string
	o       ClientOptions
	http    *http.Client
	beats   *http.Client
	uploads *http.Client
}

// The deadlines of requests, on top of what they are asked to wait.
const (
	shortDeadline  = 30 * time.Second
	stopDeadline   = 45 * time.Second // an end waits for the run's receipt
	uploadDeadline = 2 * time.Minute
	beatDeadline   = 15 * time.Second
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 128 << 20

// NewClient returns a client of the Blaise at url; it dials nothing.
func NewClient(url, token string, o ClientOptions) *Client {
	o.FirstEvent = cmp.Or(o.FirstEvent, 5*time.Second)
	o.Silence = cmp.Or(o.Silence, 45*time.Second)
	o.Poll = cmp.Or(o.Poll, 25*time.Second)
	c := &Client{url: strings.TrimRight(url, "/"), token: token, o: o}
	c.http = orClient(o.HTTP, nil)
	c.beats = orClient(o.Beats, o.HTTP)
	c.uploads = orClient(o.Uploads, o.HTTP)
	return c
}

func orClient(c, or *http.Client) *http.Client {
	if c != nil {
		return c
	}
	if or != nil {
		return or
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 4
	return &http.Client{Transport: t, CheckRedirect: noRedirect}
}

// noRedirect keeps a token from going where a proxy points.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// URL is where the client finds Blaise.
func (c *Client) URL() string { return c.url }

// A call is one request and what becomes of its answer.
type call struct {
	method string
	path   string
	query  url.Values
	in     any // JSON; []byte and an io.Reader are sent as they are
	out    any // nil: the answer is not read; an io.Writer gets it as it is
	client *http.Client
	within time.Duration
	size   int64 // of a Reader, if known
}

func (c *Client) do(ctx context.Context, k call) error {
	if k.within == 0 {
		k.within = shortDeadline
	}
	if k.client == nil {
		k.client = c.http
	}
	inner, cancel := context.WithTimeout(ctx, k.within)
	defer cancel()
	req, err := c.request(inner, k)
	if err != nil {
		return err
	}
	resp, err := k.client.Do(req)
	if err != nil {
		return c.unreachable(ctx, k, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return c.problem(resp)
	}
	return c.read(ctx, k, resp.Body)
}

func (c *Client) request(ctx context.Context, k call) (*http.Request, error) {
	body, kind, err := bodyOf(k)
	if err != nil {
		return nil, err
	}
	u := c.url + k.path
	if len(k.query) > 0 {
		u += "?" + k.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, k.method, u, body)
	if err != nil {
		return nil, blaise.Errorf(blaise.CodeInvalid, "the address of Blaise %q is none: %v", c.url, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	if k.size > 0 { // one that is refused is not sent
		req.ContentLength = k.size
		req.Header.Set("Expect", "100-continue")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	req.Header.Set(HeaderProtocol, strconv.Itoa(Protocol))
	if c.o.Version != "" {
		req.Header.Set(HeaderVersion, c.o.Version)
	}
	return req, nil
}

func (c *Client) read(ctx context.Context, k call, from io.Reader) error {
	if to, ok := k.out.(io.Writer); ok {
		if _, err := io.Copy(to, from); err != nil {
			return fmt.Errorf("read %s: %w", k.path, err)
		}
		return nil
	}
	if k.out == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(from, maxProblem)) // so that the connection is used again
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(from, maxAnswer+1))
	switch {
	case err != nil:
		return c.unreachable(ctx, k, err)
	case len(b) > maxAnswer:
		return blaise.Errorf(blaise.CodeInternal, "the answer to %s %s is longer than %d bytes", k.method, k.path, maxAnswer)
	}
	if err := json.Unmarshal(b, k.out); err != nil {
		return blaise.Errorf(blaise.CodeInternal, "the answer of %s to %s %s is not understood: %v", c.url, k.method, k.path, err).
			WithHint("is this the address of Blaise, and of a version near %q?", c.o.Version)
	}
	return nil
}

// bodyOf is what a request carries, and its media type.
func bodyOf(k call) (io.Reader, string, error) {
	switch in := k.in.(type) {
	case nil:
		return nil, "", nil
	case []byte:
		return bytes.NewReader(in), "application/yaml", nil
	case io.Reader:
		return in, "application/octet-stream", nil
	}
	b, err := json.Marshal(k.in)
	if err != nil {
		return nil, "", fmt.Errorf("encode %s %s: %w", k.method, k.path, err)
	}
	return bytes.NewReader(b), "application/json", nil
}

// get, post and drop are the usual calls.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	return c.do(ctx, call{method: http.MethodGet, path: path, query: query, out: out})
}

func (c *Client) post(ctx context.Context, path string, in, out any) error {
	return c.do(ctx, call{method: http.MethodPost, path: path, in: in, out: out})
}

func seconds(d time.Duration) string { return d.Round(time.Millisecond).String() }

func esc[T ~string](s T) string { return url.PathEscape(string(s)) }
