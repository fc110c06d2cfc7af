package run

import (
	"context"
	"strings"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
)

// A replay is what an agent plays back while it loads a conversation. It is
// compared with the record by the turns of the user: agents join chunks, change
// ids and leave out the last turn, so nothing finer can be (X6).
type replay struct {
	mu    sync.Mutex // guards what follows
	open  bool
	late  bool     // the agent plays back after its answer: nothing is whole before it is quiet
	n     int      // updates
	users []string // what the user said, turn by turn
	began bool     // the last update belongs to the last of users
	last  time.Time
}

// take counts u and says whether it belongs to the replay. Updates about the
// state of the session come at any time and are never a replay.
func (p *replay) take(u acp.Update) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.open {
		return false
	}
	switch u.Kind {
	case acp.KindCommands, acp.KindMode, acp.KindConfig, acp.KindInfo, acp.KindUsage:
		return false
	}
	p.last = time.Now()
	p.n++
	text, _ := u.Text()
	switch {
	case u.Kind == acp.KindUserChunk && notSaid(text): // nobody said it: no turn
	case u.Kind != acp.KindUserChunk:
		p.began = false
	case strings.TrimSpace(text) == "" && !p.began: // Copilot adds an empty one
	case p.began:
		p.users[len(p.users)-1] += text
	default:
		p.users, p.began = append(p.users, text), true
	}
	return true
}

// notSaid tells what agents put among the words of the user: Gemini what it
// knows of the place, and results of tools; Claude its own commands.
func notSaid(text string) bool {
	text = strings.TrimSpace(text)
	for _, start := range []string{
		"<session_context>", "[Function Response", "<command-name>", "<local-command-",
	} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

func (p *replay) begin(late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open, p.late, p.n = true, late, 0
	p.users, p.began, p.last = nil, false, time.Now()
}

// answered is the answer to the load: silence counts from here.
func (p *replay) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
}

// close ends the window at once.
func (p *replay) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = false
}

// The window of a replay stays open after the answer: Gemini sends the history
// only then.
const (
	replayQuiet = 250 * time.Millisecond
	replayLimit = 10 * time.Second
)

// finish waits for the end of the replay and closes the window.
func (p *replay) finish(ctx context.Context, expected int) {
	for end := time.Now().Add(replayLimit); time.Now().Before(end); {
		left := p.quiet(expected)
		if left <= 0 {
			break
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
			end = time.Time{}
		}
	}
	p.close()
}

// quiet is how much longer there must be silence. A replay that has every turn
// and an answer to the last of them is whole: there is nothing to wait for,
// unless the agent is known to play back late.
func (p *replay) quiet(expected int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	quiet := replayQuiet
	switch {
	case p.late, len(p.users) == 0:
	case len(p.users) >= expected && !p.began:
		return 0
	case len(p.users) >= expected:
		quiet = replayQuiet / 5
	}
	return quiet - time.Since(p.last)
}

// compare says how much of the turns that were answered the agent has.
func (p *replay) compare(expected int) blaise.ContextState {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(p.users) >= expected:
		return blaise.ContextFull
	case len(p.users) > 0:
		return blaise.ContextPartial
	}
	return blaise.ContextNone
}

// holds says whether the last thing the user said in the replay is text.
func (p *replay) holds(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.users) == 0 {
		return false
	}
	last := strings.Join(strings.Fields(p.users[len(p.users)-1]), " ")
	want := strings.Join(strings.Fields(text), " ")
	return want != "" && strings.Contains(last, want)
}

func (p *replay) turns() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.users)
}

func (p *replay) updates() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}
