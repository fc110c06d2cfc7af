package acp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

const longTask = "Count from 1 to 300, one number on each line, without using any tool."

// cancelAfter is when a turn that says nothing is cancelled.
const cancelAfter = 3 * time.Second

// cancel begins a long turn in a session of its own and cancels it.
func (p *prober) cancel(ctx context.Context) (string, error) {
	if _, err := p.begin(ctx); err != nil {
		return "", err
	}
	if _, err := p.new(ctx); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	var r PromptResult
	go func() {
		var err error
		r, err = p.now.client.Prompt(ctx, p.id, []ContentBlock{Text(cmp.Or(p.o.Preset.Long, longTask))})
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			return "", err
		}
		return "its turn was over before it could be cancelled", errSkip
	case <-p.now.seen.spoke:
	case <-time.After(cancelAfter):
	}
	if err := p.now.client.Cancel(p.id); err != nil {
		return "", err
	}
	select {
	case err := <-ended:
		return p.cancelled(r, err)
	case <-time.After(4 * p.o.Exit):
		return "", p.fault(NoCancel, fmt.Sprintf("the turn went on %v after session/cancel", 4*p.o.Exit))
	}
}

func (p *prober) cancelled(r PromptResult, err error) (string, error) {
	switch {
	case err != nil:
		return "", err
	case !r.Cancelled:
		return "its turn was over before it could be cancelled", errSkip
	}
	if _, answer := p.now.seen.take(); strings.Contains(answer, "300") {
		return "it was done before it saw the cancel", errSkip
	}
	p.tried(NoCancel, CancelReasonLies)
	if r.Fault != nil {
		return "", p.fault(CancelReasonLies, "it answers with an error: "+r.Fault.Error())
	}
	if r.Reported != StopCancelled && !r.Unsent {
		return "", p.fault(CancelReasonLies, fmt.Sprintf("the turn ended with %q", r.Reported))
	}
	return "", nil
}

func (p *prober) exitEOF(ctx context.Context) (string, error) {
	if _, err := p.begin(ctx); err != nil {
		return "", err
	}
	p.now.client.CloseInput()
	return "", p.exits(IgnoresEOF, "the end of stdin")
}

func (p *prober) exitTERM(ctx context.Context) (string, error) {
	if _, err := p.begin(ctx); err != nil {
		return "", err
	}
	p.now.proc.Term()
	return "", p.exits(IgnoresTERM, "SIGTERM")
}

func (p *prober) exits(f Fault, after string) error {
	select {
	case <-p.now.proc.Exited:
		p.tried(f)
		return nil
	case <-time.After(p.o.Exit):
		return p.fault(f, fmt.Sprintf("alive %v after %s", p.o.Exit, after))
	}
}
