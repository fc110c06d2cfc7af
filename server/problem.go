package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"

	"github.com/danielgtaylor/huma/v2"
)

// A problem is an api.Problem as huma wants errors to be.
type problem struct {
	api.Problem
	Retry int `json:"-"` // after how many seconds to try again, in a header
}

var _ huma.StatusError = (*problem)(nil)
var _ huma.ContentTypeFilter = (*problem)(nil)
var _ huma.HeadersError = (*problem)(nil)

func (p *problem) Error() string             { return p.Detail }
func (p *problem) GetStatus() int            { return p.Status }
func (p *problem) ContentType(string) string { return api.ProblemType }

// GetHeaders are what belongs to the problem beside its text.
func (p *problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.Retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.Retry))
	}
	return h
}

// statuses are the HTTP statuses of the codes.
var statuses = map[blaise.Code]int{
	blaise.CodeInvalid:     http.StatusBadRequest,
	blaise.CodeNotFound:    http.StatusNotFound,
	blaise.CodeRefused:     http.StatusConflict,
	blaise.CodeStale:       http.StatusConflict,
	blaise.CodeUnreachable: http.StatusServiceUnavailable,
	blaise.CodeDenied:      http.StatusForbidden,
	blaise.CodeInternal:    http.StatusInternalServerError,
}

// fail makes a problem of an error. What is ours to mend is logged, and not
// told.
func (s *Server) fail(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return problemOf(ctx, s.log, err)
}

// problemOf is err itself where it is a problem already.
func problemOf(ctx context.Context, log *slog.Logger, err error) *problem {
	var known *problem
	var e *blaise.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &e) && e.Code != blaise.CodeInternal:
	case errors.Is(err, control.ErrFull):
		log.Error("request failed", append(about(ctx), "error", err)...)
		e = control.Full()
	case ctx.Err() != nil:
		e = blaise.Errorf(blaise.CodeUnreachable, "Blaise is shutting down, or the request was given up").
			WithHint("try again")
	default:
		log.Error("request failed", append(about(ctx), "error", err)...)
		e = blaise.Errorf(blaise.CodeInternal, "Blaise could not do it; its log says why")
	}
	return newProblem(e)
}

func newProblem(e *blaise.Error) *problem {
	status, ok := statuses[e.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	return &problem{Problem: api.Problem{
		Title: http.StatusText(status), Status: status, Detail: e.Message, Code: e.Code, Hint: e.Hint,
	}}
}

// denied is for who brought no token at all.
func denied(status int, format string, args ...any) *problem {
	p := newProblem(blaise.Errorf(blaise.CodeDenied, format, args...))
	p.Status, p.Title = status, http.StatusText(status)
	return p
}

func (p *problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", api.ProblemType)
	maps.Copy(w.Header(), p.GetHeaders())
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p.Problem) // who asked is gone: nobody to tell
}

// useProblems makes huma's own errors problems too. It is a global of huma.
var useProblems = sync.OnceFunc(func() {
	huma.NewError = humaProblem
})

func humaProblem(status int, text string, errs ...error) huma.StatusError {
	code := blaise.CodeInvalid
	switch {
	case status == http.StatusNotFound:
		code = blaise.CodeNotFound
	case status >= 500:
		code, errs = blaise.CodeInternal, nil
	}
	p := newProblem(blaise.Errorf(code, "%s", text))
	p.Status, p.Title = status, http.StatusText(status)
	if status == http.StatusRequestEntityTooLarge {
		p.Detail = "the request is too large: " + text
		p.Hint = "put long input into a file of the repository and name the file"
	}
	var details []string
	for _, err := range errs {
		if err != nil {
			details = append(details, err.Error())
		}
	}
	if len(details) > 0 {
		p.Detail = fmt.Sprintf("%s: %s", text, strings.Join(details, "; "))
	}
	return p
}

// unknown answers paths of the API that are none.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	hangUp(w, r)
	newProblem(blaise.Errorf(blaise.CodeNotFound, "no route %s %s", r.Method, r.URL.Path).
		WithHint("/docs lists the routes of this version (%s)", s.o.Version)).write(w)
}
