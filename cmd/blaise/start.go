package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func startCommand(a *app) *cobra.Command {
	var agent, from, like, key string
	var set map[string]string
	var wait waiting
	var choose chosen
	var attach []string
	var c *cobra.Command
	c = a.jsonFlag(&cobra.Command{
		Use: "start [--agent NAME] TEXT", Short: "Begin a session with its first message",
		Long: "Begins a session. TEXT may be several words, or - to read it from stdin.",
		Example: "  blaise start --agent demo --wait \"write hello.txt Hello\"\n" +
			"  git diff | blaise start --agent claude --model opus -\n" +
			"  blaise start --set base=release-1 \"backport the fix of #123\"\n" +
			"  blaise start --again k3v9 --set base=main\n" +
			"  blaise start --repo https://git.example.com/team/app \"mend the build\"",
		Args: func(cmd *cobra.Command, args []string) error {
			if like != "" {
				return nil
			}
			return minArgs("the first message")(cmd, args)
		},
		RunE: a.asks(func(ctx context.Context, cl *api.Client, args []string) error {
			start := api.StartSession{Agent: blaise.AgentName(agent), Key: key, Set: set}
			var err error
			if like == "" || len(args) > 0 {
				start.Text, err = a.text(args)
			}
			if err != nil {
				return err
			}
			if start.Settings, err = choose.settings(c.Flags().Changed); err != nil {
				return err
			}
			if start.Attachments, err = attached(attach); err != nil {
				return err
			}
			if err := origins(ctx, cl, from, like, &start); err != nil {
				return err
			}
			p, err := again(ctx, a, func() (api.Posted, error) { return cl.StartSession(ctx, start) })
			if err != nil {
				return nameAgents(ctx, cl, start.Agent, err)
			}
			return a.posted(ctx, cl, p, wait)
		}),
	})
	f := c.Flags()
	choose.flags(f)
	attachFlag(f, &attach)
	f.StringVar(&agent, "agent", "", "the agent; may be left out where there is one, or one named default")
	f.StringVar(&from, "from", "", "go on from the work of this session")
	f.StringVar(&like, "again", "", "begin as this `session` did: its agent, inputs and first message, where none is given")
	f.StringToStringVar(&set, "set", nil, "an input that the agent declares, `name=value`")
	f.Func("repo", "a repository by `URL`: the agent's input repo", func(url string) error { return f.Set("set", "repo="+url) })
	wait.flags(f)
	f.StringVar(&key, "key", uuid.NewString(), "idempotency key: the same one begins the same session")
	f.Lookup("key").DefValue = "a new one"
	return c
}

func sayCommand(a *app) *cobra.Command {
	var wait waiting
	var now bool
	var key string
	var attach []string
	c := a.jsonFlag(&cobra.Command{
		Use: "say ID TEXT", Short: "Send a session a message; wakes it if it is paused",
		Long: "Sends a message. TEXT may be several words, or - to read it from stdin.",
		Example: "  blaise say k3v9 --wait \"now add a test\"\n" +
			"  blaise say k3v9 --attach screenshot.png \"the button is cut off\"",
		Args: minArgs("a session", "a message"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			text, err := a.text(args[1:])
			if err != nil {
				return err
			}
			id, err := session(ctx, c, args[0])
			if err != nil {
				return err
			}
			files, err := attached(attach)
			if err != nil {
				return err
			}
			post := api.PostMessage{Text: text, Key: key, Now: now, Attachments: files}
			p, err := again(ctx, a, func() (api.Posted, error) { return c.PostMessage(ctx, id, post) })
			if err != nil {
				return err
			}
			return a.posted(ctx, c, p, wait)
		}),
	})
	f := c.Flags()
	wait.flags(f)
	attachFlag(f, &attach)
	f.BoolVar(&now, "now", false, "interrupt the turn and send this first")
	f.StringVar(&key, "key", uuid.NewString(), "idempotency key: the same one sends the message once")
	f.Lookup("key").DefValue = "a new one"
	return c
}

// text is what was said: the arguments, or stdin for a single dash.
func (a *app) text(args []string) (string, error) {
	if len(args) != 1 || args[0] != "-" {
		text := strings.Join(args, " ")
		if strings.TrimSpace(text) == "" {
			return "", usage("the message is empty").WithHint("say something, or - to read it from stdin")
		}
		return text, nil
	}
	b, err := io.ReadAll(a.in)
	if err != nil {
		return "", fmt.Errorf("read the message from stdin: %w", err)
	}
	return string(b), nil
}

// waiting is how an answer is waited for.
type waiting struct{ wait, patient bool }

func (w *waiting) flags(f *pflag.FlagSet) {
	f.BoolVar(&w.wait, "wait", false, "print the answer as it comes; 6 if there is none, or the agent asks and stderr is no terminal")
	f.BoolVar(&w.patient, "patient", false, "as --wait, but wait until somebody has answered what the agent asks")
}

// posted says what became of a message, and waits for its answer if asked to.
func (a *app) posted(ctx context.Context, c *api.Client, p api.Posted, w waiting) error {
	if w.wait || w.patient {
		return a.await(ctx, c, p, w.patient)
	}
	if a.json {
		return printJSON(a.out, p)
	}
	back := ""
	if p.State == blaise.MessageQueued && p.Message != p.Session.Message(1) {
		back = "; until its turn begins `" + withdrawOf(p.Message) + "` takes it back"
	}
	_, err := fmt.Fprintf(a.out, "session %s, message %s: %s%s\n", p.Session, p.Message, p.State, back)
	return err
}

// pickAgent is the agent that was named; else the only one there is, else the
// one called default.
func pickAgent(ctx context.Context, c *api.Client, name string) (blaise.AgentName, error) {
	if name != "" {
		return blaise.AgentName(name), nil
	}
	all, err := c.Agents(ctx)
	if err != nil {
		return "", err
	}
	var names []string
	for _, g := range all {
		if g.State == "enabled" {
			names = append(names, string(g.Name))
		}
	}
	switch {
	case len(names) == 0:
		return "", blaise.Errorf(blaise.CodeRefused, "Blaise has no enabled agent").
			WithHint("make one with `blaise apply -f agent.yml`")
	case len(names) == 1:
		return blaise.AgentName(names[0]), nil
	case slices.Contains(names, "default"):
		return "default", nil
	}
	return "", usage("which agent?").WithHint("--agent with one of: %s", strings.Join(names, ", "))
}
