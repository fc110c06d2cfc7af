package demoagent

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// errUsage makes the turn say how the command is used.
var errUsage = errors.New("usage")

type command struct {
	usage, what string
	do          func(ctx context.Context, t *turn, rest string) error
}

// name is the first word of the usage.
func (c command) name() string {
	name, _, _ := strings.Cut(c.usage, " ")
	return name
}

// commands is the table that help prints and the package comment repeats.
func commands() []command {
	return []command{
		{"hello", "greets, and tells how many messages it remembers", hello},
		{"recall", "lists all earlier messages; also: what did I say", recall},
		{"count", "tells the number of turns so far", count},
		{"echo TEXT", "says TEXT", echo},
		{"write NAME TEXT", "writes a file in the working directory; asks", write},
		{"append NAME TEXT", "adds a line to it; asks", appendTo},
		{"read NAME", "says what is in it", read},
		{"run CMD...", "runs a shell command, streams its output; asks", runCommand},
		{"ask QUESTION", "asks a question and says the answer", ask},
		{"fsread NAME", "has the client read a file, and says what is in it", fsRead},
		{"fswrite NAME TEXT", "has the client write a file", fsWrite},
		{"term CMD...", "runs a shell command in a terminal of the client", term},
		{"elicit QUESTION", "asks for a name, a number and a colour; or to visit https://", elicit},
		{"attachments", "says what came with the message beside its text", attachments},
		{"mode [MODE]", "changes the mode on its own, says which it is", mode},
		{"model [MODEL]", "changes the model on its own, says which it is", model},
		{"odd", "asks what no client knows, and for a session that nobody began", odd},
		{"take-back QUESTION", "asks a question and takes it back", takeBack},
		{"plan", "shows a plan, whose entries get done", plan},
		{"think TEXT", "thinks TEXT", think},
		{"usage", "reports tokens and cost", usage},
		{"secret NAME", "says the value of an environment variable", secret},
		{"sleep SECONDS", "waits; can be cancelled", sleep},
		{"burst N [SIZE]", "says N chunks of SIZE bytes, numbered", burst},
		{"flood N", "says N chunks of 10 KB", flood},
		{"stderr TEXT", "prints TEXT on stderr", printStderr},
		{"junk", "prints lines that are no JSON on stdout, then answers", junk},
		{"refuse", "ends the turn with the stop reason refusal", refuse},
		{"forget", "makes every later session/load of this conversation fail", forget},
		{"spawn", "starts sleep 1000 in a session of its own, says its pid", spawn},
		{"ignore-term", "from now on ignores SIGTERM and the end of stdin", ignoreTerm},
		{"crash", "exits with 3 in the middle of the turn, after one chunk", crash},
		{"die", "kills itself with SIGKILL", die},
		{"exit-after", "answers, then exits", exitAfter},
		{"help", "lists all this", help},
	}
}

func commandNamed(name string) (command, bool) {
	for _, c := range commands() {
		if c.name() == name {
			return c, true
		}
	}
	return command{}, false
}

func help(_ context.Context, t *turn, _ string) error {
	var b strings.Builder
	for _, c := range commands() {
		b.WriteString(c.usage + strings.Repeat(" ", max(1, 20-len(c.usage))) + c.what + "\n")
	}
	t.say(b.String())
	t.announce()
	return nil
}

// earlier lists the messages before this one.
func (t *turn) earlier() []string {
	said := t.s.talk.said()
	return said[:len(said)-1]
}

func hello(_ context.Context, t *turn, _ string) error {
	t.sayf("Hello! I remember %d messages.", len(t.earlier()))
	return nil
}

func recall(_ context.Context, t *turn, _ string) error {
	said := t.earlier()
	if len(said) == 0 {
		t.say("You have said nothing before.")
		return nil
	}
	var b strings.Builder
	for i, text := range said {
		b.WriteString(strconv.Itoa(i+1) + ". " + text + "\n")
	}
	t.say(b.String())
	return nil
}

func count(_ context.Context, t *turn, _ string) error {
	t.sayf("This is turn %d.", len(t.earlier())+1)
	return nil
}

func echo(_ context.Context, t *turn, rest string) error {
	t.say(rest)
	return nil
}

func think(_ context.Context, t *turn, rest string) error {
	t.send(chunk("agent_thought_chunk", rest))
	t.say("I thought about it.")
	return nil
}

func secret(_ context.Context, t *turn, rest string) error {
	if rest == "" {
		return errUsage
	}
	t.sayf("%s=%s", rest, os.Getenv(rest))
	return nil
}

func usage(_ context.Context, t *turn, _ string) error {
	used := 0
	for _, text := range t.s.talk.said() {
		used += 10 + len(text)/4
	}
	t.send(map[string]any{
		"sessionUpdate": "usage_update", "used": used, "size": 200000,
		"cost": map[string]any{"amount": float64(used) / 1e5, "currency": "USD"},
	})
	t.tokens = map[string]any{
		"inputTokens": used, "outputTokens": 20, "cachedReadTokens": 5, "thoughtTokens": 3, "totalTokens": used + 28,
	}
	t.sayf("I have used %d tokens.", used)
	return nil
}

func plan(ctx context.Context, t *turn, _ string) error {
	steps := []string{"look around", "do the work", "check it"}
	for done := 0; done <= len(steps); done++ {
		var entries []any
		for i, step := range steps {
			status := "pending"
			if i < done {
				status = "completed"
			} else if i == done {
				status = "in_progress"
			}
			entries = append(entries, map[string]any{
				"content": step, "priority": "medium", "status": status,
			})
		}
		t.send(map[string]any{"sessionUpdate": "plan", "entries": entries})
	}
	t.say("The plan is done.")
	return ctx.Err()
}

func ask(ctx context.Context, t *turn, rest string) error {
	if rest == "" {
		return errUsage
	}
	id := t.tool("other", rest, map[string]any{"question": rest})
	choice, err := t.permit(ctx, map[string]any{
		"toolCallId": id, "title": rest, "kind": "other", "status": "pending",
	}, yesNo)
	if err != nil {
		t.change(id, "failed", nil)
		return err
	}
	t.change(id, "completed", nil)
	t.sayf("You answered: %s.", choice)
	return nil
}

func sleep(ctx context.Context, t *turn, rest string) error {
	seconds, err := strconv.ParseFloat(rest, 64)
	if err != nil {
		return errUsage
	}
	t.sayf("Sleeping for %s seconds. ", rest)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(seconds * float64(time.Second))):
		t.say("Awake.")
		return nil
	}
}
