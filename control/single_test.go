package control_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// A single-use token that nobody uses is worthless after a quarter of an hour;
// one that is used serves its daemon on.
func TestSingleUseTokenExpires(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	now := time.Now()
	c := control.New(control.Options{DB: h.db, Secret: make([]byte, 32), Now: func() time.Time { return now }})
	ctx := t.Context()
	_, unused, err := c.NewRunner(ctx, "ann", "unused", nil, true)
	if err != nil {
		t.Fatal(err)
	}
	r, used, err := c.NewRunner(ctx, "ann", "used", nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Hello(ctx, store.Instance{ID: "i7", Runner: r.ID, Boot: "b"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Hello(ctx, store.Instance{ID: "i8", Runner: r.ID, Boot: "b"}); blaise.CodeOf(err) != blaise.CodeDenied {
		t.Errorf("a second daemon: %v", err)
	}
	now = now.Add(control.SingleUseLife + time.Second)
	if _, err := c.ByRunnerToken(ctx, used); err != nil {
		t.Errorf("a token in use: %v", err)
	}
	_, err = c.ByRunnerToken(ctx, unused)
	if blaise.CodeOf(err) != blaise.CodeDenied || !strings.Contains(err.Error(), "--single-use") {
		t.Errorf("a token that nobody used: %v", err)
	}
}
