package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/chat"
	"blaise.dev/blaise/transcript"

	"github.com/spf13/cobra"
)

func watchCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "watch ID", Short: "Show what a session does, from now until it ends",
		Long: "Shows what is said and done as it happens, until the session has ended and nothing of it is\n" +
			"left, or you press q. A key answers what the agent asks. Where there is no terminal it prints the\n" +
			"whole transcript and every change of state, line by line.",
		Example: "  blaise watch k3v9", Args: exactArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			id, err := session(ctx, c, args[0])
			if err != nil {
				return err
			}
			if a.interactive() {
				return a.watchLive(ctx, c, id)
			}
			w := &watcher{a: a, teller: teller{w: a.out, times: true}}
			return done(c.Follow(ctx, id, 0, w.follow))
		}),
	})
}

func (a *app) watchLive(ctx context.Context, c *api.Client, id blaise.SessionID) error {
	_, err := chat.Run(ctx, chat.Options{
		Client: c, Session: id, Watch: true, Look: a.look(), In: os.Stdin, Out: os.Stdout,
	})
	return done(err)
}

func transcriptCommand(a *app) *cobra.Command {
	var follow bool
	var after, event int64
	c := a.jsonFlag(&cobra.Command{
		Use: "transcript ID", Short: "Print what was said and done in a session",
		Long: "Prints the transcript; with --json one event a line, as docs/protocol.md describes them. An event\n" +
			"of more than 1 MB is printed in part; --event prints all of it.",
		Example: "  blaise transcript k3v9 --json | jq -r .kind\n  blaise transcript k3v9 --event 217", Args: exactArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			id, err := session(ctx, c, args[0])
			if err != nil {
				return err
			}
			if event != 0 {
				e, err := c.Event(ctx, id, event)
				if err != nil {
					return err
				}
				return printJSONLine(a.out, e)
			}
			w := &watcher{a: a, teller: teller{w: a.out, times: true, look: a.look()}, quiet: true}
			if follow {
				return done(c.Follow(ctx, id, after, w.follow))
			}
			err = c.Transcript(ctx, id, after, w.event)
			w.teller.endLine()
			if err != nil || a.json {
				return err
			}
			return a.unheard(ctx, c, id)
		}),
	})
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the session has ended")
	c.Flags().Int64Var(&after, "after", 0, "begin after this seq")
	c.Flags().Int64Var(&event, "event", 0, "print the event of this seq alone, all of it, as JSON")
	return c
}

// unheard prints the messages that the agent never got, of a session that has
// ended: the transcript has none of them. Of one that goes on they are to come.
func (a *app) unheard(ctx context.Context, c *api.Client, id blaise.SessionID) error {
	s, err := c.Session(ctx, id)
	if err != nil || s.State != blaise.SessionEnded {
		return err
	}
	for _, m := range s.Messages {
		if m.DeliveredAt == nil {
			fmt.Fprintf(a.out, "· %s, to an agent that never got it: %s\n  (%s)\n",
				harmless(m.Author), harmless(m.Text), because(string(m.State), harmless(m.Why())))
		}
	}
	return nil
}

// done is the error of a following that was left on purpose.
func done(err error) error {
	if errors.Is(err, errSeen) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// A watcher prints a session as it changes.
type watcher struct {
	a      *app
	teller teller
	quiet  bool // the transcript alone
	state  string

	explained map[blaise.EnvironmentState]bool
}

func (w *watcher) follow(f api.Followed) error {
	if f.Event != nil {
		return w.event(*f.Event)
	}
	return w.session(*f.Session)
}

func (w *watcher) event(e transcript.Event) error {
	if w.a.json {
		return printJSONLine(w.a.out, e)
	}
	w.teller.tell(e)
	return nil
}

func (w *watcher) session(s api.Session) error {
	now := fmt.Sprintf("session %s, environment %s", s.State, s.Environment.State)
	if waits := s.Queue.Waits(); waits != "" {
		now = fmt.Sprintf("session %s, %s", s.State, waits)
	}
	if now != w.state && !w.quiet && !w.a.json {
		w.teller.endLine()
		fmt.Fprintf(w.a.out, "%s= %s\n", w.teller.stamp(w.a.now()), because(now, w.meaning(s.Environment)))
		w.state = now
	}
	if s.Over() {
		w.teller.endLine()
		return errSeen
	}
	return nil
}

// meaning explains a state of the environment the first time it is there.
func (w *watcher) meaning(e api.Environment) string {
	if w.explained[e.State] {
		return ""
	}
	if w.explained == nil {
		w.explained = map[blaise.EnvironmentState]bool{}
	}
	w.explained[e.State] = true
	return e.Meaning
}
