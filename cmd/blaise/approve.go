package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func approveCommand(a *app) *cobra.Command {
	return answerCommand(a, true, "approve", "Allow what a session asks for")
}

func denyCommand(a *app) *cobra.Command {
	return answerCommand(a, false, "deny", "Refuse what a session asks for")
}

func answerCommand(a *app, allow bool, verb, short string) *cobra.Command {
	var choice string
	var set []string
	c := &cobra.Command{
		Use: verb + " ID [REQUEST]", Short: short,
		Long:    short + ". Without REQUEST it answers the only open one.",
		Example: "  blaise " + verb + " k3v9\n  blaise " + verb + " k3v9 q2",
		Args:    rangeArgs(1, 2, "a session", "a request"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			s, err := found(ctx, c, args[0])
			if err != nil {
				return err
			}
			w, err := pickWait(s, args[1:])
			if err != nil {
				return err
			}
			answer := api.AnswerQuestion{Choice: choice}
			if answer.Set, err = pairs("--set", set); err != nil {
				return err
			}
			if choice == "" {
				answer.Allow = &allow
			}
			if err := c.AnswerQuestion(ctx, w, answer); err != nil {
				return nameWaits(s, err)
			}
			_, err = fmt.Fprintf(a.out, "request %s: %s\n", w, answered(allow, choice))
			return err
		}),
	}
	if allow {
		c.Long += "\nOf an agent's own options, one that is for always goes around the gate: the agent does not ask again."
		c.Flags().StringArrayVar(&set, "set", nil, "fill in a field of what is asked for, `name=value`")
	}
	c.Flags().StringVar(&choice, "choice", "", "take this option of the request")
	return c
}

func answered(allow bool, choice string) string {
	switch {
	case choice != "":
		return "answered " + choice
	case allow:
		return "approved"
	}
	return "denied"
}

// pairs reads flags of the form name=value; a value may hold anything.
func pairs(flag string, all []string) (map[string]string, error) {
	m := map[string]string{}
	for _, one := range all {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" {
			return nil, usage("%s %q: want name=value", flag, one)
		}
		m[name] = value
	}
	return m, nil
}

// pickWait is the request that was named, else the only one that waits.
func pickWait(s api.Session, args []string) (blaise.QuestionID, error) {
	if len(args) == 1 {
		return blaise.QuestionID(within(s.ID, args[0])), nil
	}
	switch len(s.Waits) {
	case 0:
		return "", blaise.Errorf(blaise.CodeRefused, "session %s asks for nothing", s.ID).
			WithHint("see `blaise show %s`", s.ID)
	case 1:
		return s.Waits[0].ID, nil
	}
	return "", usage("session %s asks for %d things: say which", s.ID, len(s.Waits)).WithHint("one of%s", asksFor(s))
}

// asksFor lists what a session asks for, each on a line.
func asksFor(s api.Session) string {
	var b strings.Builder
	for _, w := range s.Waits {
		fmt.Fprintf(&b, "\n  %s  %s", w.ID, oneLine(w.What, 70))
	}
	return b.String()
}

// nameWaits gives the error of a question that is not there those that are.
func nameWaits(s api.Session, err error) error {
	var e *blaise.Error
	if !errors.As(err, &e) || e.Code != blaise.CodeNotFound {
		return err
	}
	if len(s.Waits) == 0 {
		return e.WithHint("session %s asks for nothing now; see `blaise show %[1]s`", s.ID)
	}
	return e.WithHint("it asks for%s", asksFor(s))
}
