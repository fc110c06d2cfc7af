package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"blaise.dev/blaise"
)

// A Problem is the body of every answer that is an error (RFC 9457), with the
// code and the hint of a blaise.Error.
type Problem struct {
	Type   string      `json:"type,omitempty"`
	Title  string      `json:"title"`
	Status int         `json:"status"`
	Detail string      `json:"detail"`
	Code   blaise.Code `json:"code"`
	Hint   string      `json:"hint,omitempty"`

	Verdict blaise.Verdict `json:"verdict,omitempty"` // void: of a directive that was taken back
}

// A voidError says that a directive was taken back.
type voidError struct{ err *blaise.Error }

func (v *voidError) Error() string { return v.err.Error() }
func (v *voidError) Unwrap() error { return v.err }

// ProblemType is the content type of a Problem.
const ProblemType = "application/problem+json"

// maxProblem bounds what is read of an error: a proxy's page may be long.
const maxProblem = 64 << 10

// problem makes an error of an answer that is one.
func (c *Client) problem(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProblem))
	var p Problem
	if err == nil && json.Unmarshal(body, &p) == nil && p.Code != "" {
		text := p.Detail
		if text == "" {
			text = p.Title
		}
		e := &blaise.Error{Code: p.Code, Message: text, Hint: p.Hint}
		if p.Verdict == blaise.VerdictVoid {
			return &voidError{e}
		}
		return e
	}
	return &blaise.Error{
		Code:    codeOf(resp.StatusCode),
		Message: fmt.Sprintf("Blaise at %s answered %s%s", c.url, resp.Status, firstLine(body)),
		Hint:    "is this the address of Blaise, and no proxy between?",
	}
}

func firstLine(body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if line == "" || strings.HasPrefix(line, "<") {
		return ""
	}
	if len(line) > 200 {
		line = line[:200]
	}
	return ": " + line
}

// codeOf is for answers that are not Blaise's own. What a gateway says of a
// server that is away means that Blaise cannot be reached.
func codeOf(status int) blaise.Code {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return blaise.CodeDenied
	case http.StatusNotFound:
		return blaise.CodeNotFound
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		http.StatusTooManyRequests:
		return blaise.CodeUnreachable
	case http.StatusConflict:
		return blaise.CodeRefused
	}
	if status >= 400 && status < 500 {
		return blaise.CodeInvalid
	}
	return blaise.CodeInternal
}
