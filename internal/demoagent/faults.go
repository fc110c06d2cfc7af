package demoagent

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

func burst(ctx context.Context, t *turn, rest string) error {
	args := strings.Fields(rest)
	if len(args) == 0 || len(args) > 2 {
		return errUsage
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return errUsage
	}
	size := 0
	if len(args) == 2 {
		if size, err = strconv.Atoi(args[1]); err != nil {
			return errUsage
		}
	}
	return t.chunks(ctx, n, size)
}

func flood(ctx context.Context, t *turn, rest string) error {
	n, err := strconv.Atoi(rest)
	if err != nil {
		return errUsage
	}
	return t.chunks(ctx, n, 10<<10)
}

// chunks says the numbers from 1 to n, each filled up to size bytes.
func (t *turn) chunks(ctx context.Context, n, size int) error {
	for i := 1; i <= n && ctx.Err() == nil; i++ {
		text := strconv.Itoa(i) + " "
		t.say(text + strings.Repeat(".", max(0, size-len(text))))
	}
	return ctx.Err()
}

func printStderr(_ context.Context, t *turn, rest string) error {
	_, err := fmt.Fprintln(t.a.o.Log, rest)
	t.say("I printed that.")
	return err
}

func junk(_ context.Context, t *turn, _ string) error {
	t.a.wire.raw([]byte("this line is no JSON\n\n[INFO] {neither is this\n{\"level\":\"info\"}\n"))
	t.say("I printed junk.")
	return nil
}

func refuse(_ context.Context, t *turn, _ string) error {
	t.stop = "refusal"
	return nil
}

func forget(_ context.Context, t *turn, _ string) error {
	t.say("I will not know this conversation again.")
	return t.s.talk.add(record{Kind: "forgotten"})
}

// ignoreTerm undoes also what the program around us does on SIGTERM.
func ignoreTerm(_ context.Context, t *turn, _ string) error {
	signal.Ignore(syscall.SIGTERM)
	t.a.stubborn.Store(true)
	t.say("I ignore SIGTERM and the end of stdin from now on.")
	return nil
}

func crash(_ context.Context, t *turn, _ string) error {
	t.say("I am about to crash.")
	os.Exit(3)
	return nil
}

func die(_ context.Context, t *turn, _ string) error {
	t.say("I am about to die.")
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		return fmt.Errorf("die: %w", err)
	}
	select {} // the signal is on its way
}

func exitAfter(_ context.Context, t *turn, _ string) error {
	t.say("Good bye.")
	t.after = func() { os.Exit(0) }
	return nil
}
