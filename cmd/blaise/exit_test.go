package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/tty"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	refused := blaise.Errorf(blaise.CodeRefused, "no")
	for _, c := range []struct {
		name string
		err  error
		want int
	}{
		{"done", nil, exitDone},
		{"any error", errors.New("x"), exitFailed},
		{"bad usage", usage("x"), exitUsage},
		{"not found", blaise.Errorf(blaise.CodeNotFound, "x"), exitNotFound},
		{"refused", refused, exitRefused},
		{"stale", blaise.Errorf(blaise.CodeStale, "x"), exitRefused},
		{"denied", blaise.Errorf(blaise.CodeDenied, "x"), exitRefused},
		{"wrapped", fmt.Errorf("end: %w", refused), exitRefused},
		{"unreachable", blaise.Errorf(blaise.CodeUnreachable, "x"), exitUnreachable},
		{"waited for", waitedFor(refused), exitWaited},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	refused := blaise.Errorf(blaise.CodeRefused, "it is ended").WithHint("start another")
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"message and hint", refused, "blaise: it is ended\nhint: start another\n"},
		{"what was added stays", fmt.Errorf("say: %w", refused), "blaise: say: it is ended\nhint: start another\n"},
		{"waited for", waitedFor(refused), "blaise: it is ended\nhint: start another\n"},
		{"interrupted", fmt.Errorf("follow: %w", context.Canceled), "blaise: interrupted\n"},
		{"an agent's escapes are harmless", errors.New("x\x1b[2Jy"), "blaise: x\uFFFD[2Jy\n"},
	} {
		var b bytes.Buffer
		explain(&b, tty.Look{}, c.err)
		if got := b.String(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
