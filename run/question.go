package run

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// questions are what people are asked and have not answered. It is safe for
// concurrent use.
type questions struct {
	mu   sync.Mutex // guards what follows
	n    int
	open map[string]chan blaise.Directive // by key
}

func newQuestions() *questions { return &questions{open: map[string]chan blaise.Directive{}} }

func (q *questions) begin(run blaise.RunID) (key string, answer <-chan blaise.Directive) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n++
	key = fmt.Sprintf("%s/%d", run, q.n)
	c := make(chan blaise.Directive, 1)
	q.open[key] = c
	return key, c
}

func (q *questions) end(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, key)
}

// answer hands d to who waits for it. One for a question that is over goes
// nowhere: its turn was cancelled, or the agent died.
func (q *questions) answer(d blaise.Directive) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c, ok := q.open[d.Key]
	if !ok {
		return
	}
	select {
	case c <- d:
	default: // answered already
	}
}

// Permission puts a request of the agent to a person and waits, as long as the
// turn and the run allow. The question is on disk before it is asked, the
// decision before it is applied. It holds up no end of the run.
func (c *conversation) Permission(ctx context.Context, p acp.PermissionRequest) acp.PermissionOutcome {
	cancelled := acp.PermissionOutcome{Cancelled: true}
	call := c.tools.whole(p.ToolCall)
	q := blaise.Question{
		Kind: blaise.QuestionPermission, Title: title(call), Turn: c.r.turn.now(), Detail: detail(p, call),
		Tool: call.ID, Asks: c.action(ctx, call),
	}
	for _, o := range p.Options {
		q.Options = append(q.Options, blaise.Option{ID: o.ID, Name: o.Name, Kind: o.Kind})
	}
	choice, ok := c.r.askPerson(ctx, q)
	c.verdicts.take(p, choice)
	if !ok || choice == "" {
		return cancelled
	}
	return acp.PermissionOutcome{OptionID: choice}
}

// detailMost is how long a request may be with what was told before it.
const detailMost = 256 << 10

// detail is the request with what the agent told of the call before it asked:
// some name only the call then, and who answers is to see what it does.
func detail(p acp.PermissionRequest, call acp.ToolCall) json.RawMessage {
	var request, told map[string]json.RawMessage
	if json.Unmarshal(p.Raw, &request) != nil || json.Unmarshal(request["toolCall"], &told) != nil || told == nil {
		return p.Raw
	}
	if p.ToolCall.RawInput == nil && call.RawInput != nil {
		told["rawInput"] = call.RawInput
	}
	if p.ToolCall.Content == nil && len(call.Content) > 0 {
		parts := make([]json.RawMessage, len(call.Content))
		for i, c := range call.Content {
			parts[i] = c.Raw
		}
		told["content"], _ = json.Marshal(parts) // they were read from JSON
	}
	var err error
	if request["toolCall"], err = json.Marshal(told); err != nil {
		return p.Raw
	}
	whole, err := json.Marshal(request)
	if err != nil || len(whole) > detailMost {
		return p.Raw
	}
	return whole
}

func title(t acp.ToolCall) string {
	if t.Title != "" {
		return t.Title
	}
	if t.Kind != "" {
		return "a tool of kind " + t.Kind
	}
	return "tool call " + t.ID
}

// askPerson asks q; ok is false when the question is over without an answer.
// An empty choice is the answer "cancelled".
func (r *run) askPerson(ctx context.Context, q blaise.Question) (choice string, ok bool) {
	d, ok := r.askFor(ctx, q)
	return d.Choice, ok
}

// askFor is askPerson with all of the answer.
func (r *run) askFor(ctx context.Context, q blaise.Question) (answered blaise.Directive, ok bool) {
	key, answer := r.asked.begin(r.lease.Run)
	defer r.asked.end(key)
	q.Key, q.Run = key, r.lease.Run
	r.noteAsked(q)
	r.say(api.Report{Event: blaise.EventQuestionAsked, Question: &q, Message: q.Turn})
	select {
	case d := <-answer:
		r.noteDecided(key, d)
		if ctx.Err() == nil {
			r.say(api.Report{Event: blaise.EventQuestionApplied, Question: &q, Message: q.Turn})
		}
		return d, true
	case <-ctx.Done():
		why := unasked(context.Cause(ctx))
		r.note(transcript.KindDecided, map[string]any{
			"question": key, "choice": "", "by": "the run", "reason": "expired: " + why,
		})
		r.say(api.Report{
			Event: blaise.EventQuestionExpired, Question: &q, Message: q.Turn, Reason: why,
		})
		return blaise.Directive{}, false
	}
}

// unasked is why nobody waits for an answer any more.
func unasked(cause error) string {
	if died(cause) {
		return "the agent died"
	}
	return "taken back by the agent, or its turn is over"
}

// noteAsked records what is asked, and what the gate is asked about.
func (r *run) noteAsked(q blaise.Question) {
	said := map[string]any{
		"question": q.Key, "kind": q.Kind, "title": q.Title, "options": q.Options,
		"detail": json.RawMessage(q.Detail),
	}
	if q.Asks != nil {
		said["tool"], said["asks"] = q.Tool, q.Asks
	}
	r.note(transcript.KindAsked, said)
}

// noteDecided records who answered what, and by which rule of the gate it was
// decided or put to a person.
func (r *run) noteDecided(key string, d blaise.Directive) {
	said := map[string]any{
		"question": key, "choice": d.Choice, "by": cmp.Or(d.By, "a person"), "reason": d.Reason,
	}
	if d.Rule != "" {
		said["rule"] = d.Rule
	}
	if d.Content != nil {
		said["content"] = json.RawMessage(d.Content)
	}
	r.note(transcript.KindDecided, said)
}

// cleanQuestion takes the secrets out. What the gate is asked about loses them
// too: it is kept and shown with the question.
func (r *run) cleanQuestion(q blaise.Question) blaise.Question {
	q.Title, q.Detail = r.secrets.String(q.Title), r.secrets.JSON(q.Detail)
	q.Options = slices.Clone(q.Options)
	for i := range q.Options {
		q.Options[i].Name = r.secrets.String(q.Options[i].Name)
	}
	if q.Asks != nil {
		a := *q.Asks
		a.Name, a.Command = r.secrets.String(a.Name), r.secrets.String(a.Command)
		a.Paths = slices.Clone(a.Paths)
		for i, p := range a.Paths {
			a.Paths[i] = r.cleanPath(p)
		}
		q.Asks = &a
	}
	return q
}

// cleanPath leaves open where a path leads that holds a secret: what is left of
// it would look like a file of the workspace.
func (r *run) cleanPath(p blaise.ActionPath) blaise.ActionPath {
	clean := blaise.ActionPath{Said: r.secrets.String(p.Said), Real: r.secrets.String(p.Real)}
	if clean != p {
		clean.Real = ""
	}
	return clean
}
