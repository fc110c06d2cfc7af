package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/chat"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func chatCommand(a *app) *cobra.Command {
	var agent string
	var set map[string]string
	var choose chosen
	var plain bool
	var c *cobra.Command
	c = &cobra.Command{
		Use: "chat [ID]", Short: "Talk to an agent: a live conversation on the terminal",
		Long: "Talks to a session, or to a new one, which the first message begins. You see what the agent\n" +
			"says and does as it happens, answer what it asks (a key and Enter; Ctrl-O shows all of it), and\n" +
			"may write on while it works: messages wait their turn. Enter sends, Alt-Enter begins a line, Esc\n" +
			"or Ctrl-C cancels the turn, the up key takes a queued message back, Ctrl-C twice leaves. The session goes on without you.\n" +
			"Where there is no terminal, or with --plain, each line of stdin is a message, and its answer is\n" +
			"printed before the next is read.",
		Example: "  blaise chat --agent claude\n  blaise chat k3v9", Args: rangeArgs(0, 1, "a session"),
		RunE: a.asks(func(ctx context.Context, cl *api.Client, args []string) error {
			settings, err := choose.settings(c.Flags().Changed)
			if err != nil {
				return err
			}
			t := talk{a: a, c: cl, start: api.StartSession{Set: set, Settings: settings}}
			if len(args) == 1 {
				if t.id, err = session(ctx, cl, args[0]); err != nil {
					return err
				}
			} else if t.start.Agent, err = pickAgent(ctx, cl, agent); err != nil {
				return err
			}
			if plain || !a.interactive() {
				return t.plainly(ctx)
			}
			return t.live(ctx)
		}),
	}
	f := c.Flags()
	choose.flags(f)
	f.StringVar(&agent, "agent", "", "the agent of a new session; may be left out where there is one, or one named default")
	f.StringToStringVar(&set, "set", nil, "an input that the agent declares, `name=value`")
	f.BoolVar(&plain, "plain", false, "one line, one answer, as without a terminal")
	return c
}

// A talk is a conversation with a session, or with one that its first message
// begins.
type talk struct {
	a     *app
	c     *api.Client
	id    blaise.SessionID
	start api.StartSession
}

func (t *talk) begin(ctx context.Context, text, key string) (api.Posted, error) {
	start := t.start
	start.Text, start.Key = text, key
	p, err := t.c.StartSession(ctx, start)
	if err != nil {
		return p, nameAgents(ctx, t.c, start.Agent, err)
	}
	return p, nil
}

func (t *talk) live(ctx context.Context) error {
	id, err := chat.Run(ctx, chat.Options{
		Client: t.c, Session: t.id, Begin: t.begin, Look: t.a.look(), In: os.Stdin, Out: os.Stdout,
	})
	if err == nil && id != "" {
		s, serr := t.c.Session(ctx, id)
		if serr == nil && s.State != blaise.SessionEnded {
			fmt.Fprintf(t.a.err, "session %s goes on: blaise chat %s\n", id, id)
		}
	}
	return err
}

// plainly sends each line of stdin, and prints its answer before the next.
func (t *talk) plainly(ctx context.Context) error {
	lines := bufio.NewScanner(t.a.in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		p, err := t.say(ctx, text)
		if err != nil {
			return err
		}
		t.id = p.Session
		if err := t.a.await(ctx, t.c, p, true); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read messages from stdin: %w", err)
	}
	return nil
}

func (t *talk) say(ctx context.Context, text string) (api.Posted, error) {
	key := uuid.NewString()
	return again(ctx, t.a, func() (api.Posted, error) {
		if t.id == "" {
			return t.begin(ctx, text, key)
		}
		return t.c.PostMessage(ctx, t.id, api.PostMessage{Text: text, Key: key})
	})
}
