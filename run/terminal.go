package run

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/transcript"
)

const (
	terminalKept = 1 << 20 // unless the agent says otherwise
	terminalMost = 8 << 20
	// terminalSlack is kept beside the limit, so that not each write copies it.
	terminalSlack = 64 << 10
)

// A terminal is one command of the agent's, with the end of its output. What it
// writes is recorded as it comes.
type terminal struct {
	id    string
	limit int
	tell  func(transcript.Event)
	proc  plug.Process  // nil before it runs; guarded by terminals.mu until then
	done  chan struct{} // closed when exit is set

	mu        sync.Mutex // guards what follows
	kept      []byte
	truncated bool
	begun     []byte // the first bytes of a character
	exit      plug.Exit
	err       error
}

func newTerminal(id string, limit *int, tell func(transcript.Event)) *terminal {
	t := &terminal{
		id: id, limit: terminalKept, tell: tell, done: make(chan struct{}),
	}
	if limit != nil && *limit >= 0 {
		t.limit = min(*limit, terminalMost)
	}
	return t
}

func (t *terminal) begin(args []string) {
	t.say("$ " + strings.Join(args, " ") + "\n")
}

// say records what is no output of the command.
func (t *terminal) say(text string) {
	t.tell(transcript.New(transcript.KindOutput, map[string]string{
		"source": "terminal " + t.id, "terminal": t.id, "text": text,
	}))
}

// Write takes output. It never fails.
func (t *terminal) Write(p []byte) (int, error) {
	if text := t.take(p); text != "" {
		t.say(text)
	}
	return len(p), nil
}

// take keeps p and gives the characters that it makes whole.
func (t *terminal) take(p []byte) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*t.limit+terminalSlack {
		t.kept, t.truncated = append([]byte(nil), t.last()...), true
	}
	whole := append(t.begun, p...)
	end := len(whole)
	for back := 1; back < utf8.UTFMax && back <= end; back++ {
		if b := whole[end-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(whole[end-back:]) {
				end -= back
			}
			break
		}
	}
	text := strings.ToValidUTF8(string(whole[:end]), "�")
	t.begun = append([]byte(nil), whole[end:]...)
	return text
}

// last is the end of the output, no more than the limit. It cuts no character.
func (t *terminal) last() []byte {
	over := max(0, len(t.kept)-t.limit)
	for over > 0 && over < len(t.kept) && !utf8.RuneStart(t.kept[over]) {
		over++
	}
	return t.kept[over:]
}

// follow waits for the end of the command and records it.
func (t *terminal) follow(proc plug.Process) {
	exit, err := proc.Wait()
	t.mu.Lock()
	t.exit, t.err = exit, err
	t.mu.Unlock()
	t.say(fmt.Sprintf("[%s]\n", terminalEnd(exit, err)))
	close(t.done)
}

func terminalEnd(exit plug.Exit, err error) string {
	switch {
	case err != nil:
		return "lost: " + err.Error()
	case exit.Signal != "":
		return "killed by " + exit.Signal
	}
	return fmt.Sprintf("exit code %d", exit.Code)
}

// status is the exit as the protocol has it, nil while the command runs.
func (t *terminal) status() any {
	select {
	case <-t.done:
	default:
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	m := map[string]any{"exitCode": nil, "signal": nil}
	if t.exit.Signal != "" || t.err != nil {
		m["signal"] = cmp.Or(t.exit.Signal, "SIGKILL")
	} else {
		m["exitCode"] = t.exit.Code
	}
	return m
}

func (t *terminal) output() any {
	m := map[string]any{}
	if status := t.status(); status != nil {
		m["exitStatus"] = status
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.last()
	m["output"] = strings.ToValidUTF8(string(last), "�")
	m["truncated"] = t.truncated || len(last) < len(t.kept)
	return m
}

// wait answers when the command has ended. The agent may take the request back.
func (t *terminal) wait(ctx context.Context) (any, error) {
	select {
	case <-t.done:
		return t.status(), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
