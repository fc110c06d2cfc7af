package main

import (
	"context"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

// completeWithin is how long a completion may ask Blaise: a person waits at a
// prompt, and no answer is better than a late one.
const completeWithin = time.Second

// A completer lists what may stand for an argument, each with what it is after
// a tab. Its errors are not shown: the line that is typed is none of theirs.
type completer func(ctx context.Context, c *api.Client, args []string) []string

// complete makes a completion for each argument in turn; nil completes nothing.
func (a *app) complete(each ...completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(each) || each[len(args)] == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c, err := a.client()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, cancel := context.WithTimeout(ctx, completeWithin)
		defer cancel()
		var fit []string
		for _, one := range each[len(args)](ctx, c, args) {
			if strings.HasPrefix(one, typed) {
				fit = append(fit, one)
			}
		}
		return fit, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeFlag completes the value of a flag, whatever arguments there are.
func (a *app) completeFlag(f completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		each := make([]completer, len(args)+1)
		each[len(args)] = f
		return a.complete(each...)(cmd, args, typed)
	}
}

func completeSession(ctx context.Context, c *api.Client, _ []string) []string {
	l, err := c.Sessions(ctx, api.SessionFilter{Limit: 100})
	if err != nil {
		return nil
	}
	var all []string
	for _, s := range l.Sessions {
		all = append(all, string(s.ID)+"\t"+oneLine(stateOf(s)+": "+s.Title, 60))
	}
	return all
}

func completeMessage(ctx context.Context, c *api.Client, args []string) []string {
	s, err := c.Session(ctx, blaise.SessionID(args[0]))
	if err != nil {
		return nil
	}
	var all []string
	for _, m := range s.Messages {
		if m.State == blaise.MessageQueued {
			_, short := splitID(string(m.ID))
			all = append(all, short+"\t"+oneLine(m.Text, 60))
		}
	}
	return all
}

func completeQuestion(ctx context.Context, c *api.Client, args []string) []string {
	s, err := c.Session(ctx, blaise.SessionID(args[0]))
	if err != nil {
		return nil
	}
	var all []string
	for _, w := range s.Waits {
		_, short := splitID(string(w.ID))
		all = append(all, short+"\t"+oneLine(w.What, 60))
	}
	return all
}

// completeChoice lists the options of a question, or of all that are open.
func completeChoice(ctx context.Context, c *api.Client, args []string) []string {
	s, err := c.Session(ctx, blaise.SessionID(first(args)))
	if err != nil {
		return nil
	}
	var all []string
	for _, w := range s.Waits {
		if len(args) > 1 && string(w.ID) != within(s.ID, args[1]) {
			continue
		}
		for _, o := range w.Options {
			all = append(all, o.ID+"\t"+oneLine(o.Name, 60))
		}
	}
	return all
}

// completeSetting lists the values of a setting of the agent's.
func completeSetting(id string) completer {
	return func(ctx context.Context, c *api.Client, args []string) []string {
		s, err := c.Session(ctx, blaise.SessionID(first(args)))
		if err != nil {
			return nil
		}
		var all []string
		for _, x := range s.Settings {
			if x.ID != id {
				continue
			}
			for _, v := range x.Choices {
				all = append(all, v.Value+"\t"+oneLine(v.Name, 60))
			}
		}
		return all
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func completeAgent(ctx context.Context, c *api.Client, _ []string) []string {
	list, err := c.Agents(ctx)
	if err != nil {
		return nil
	}
	var all []string
	for _, g := range list {
		all = append(all, string(g.Name)+"\t"+g.State)
	}
	return all
}

func completeRunner(ctx context.Context, c *api.Client, _ []string) []string {
	list, err := c.Runners(ctx)
	if err != nil {
		return nil
	}
	var all []string
	for _, r := range list {
		state, _ := runnerState(r)
		all = append(all, r.Name+"\t"+state)
	}
	return all
}

// completeRun lists the runs that daemons have.
func completeRun(ctx context.Context, c *api.Client, _ []string) []string {
	list, err := c.Runners(ctx)
	if err != nil {
		return nil
	}
	var all []string
	for _, r := range list {
		for _, in := range r.Instances {
			for _, run := range in.Runs {
				all = append(all, string(run)+"\ton "+oneLine(in.Host, 60))
			}
		}
	}
	return all
}

// listStates are what list may choose by.
var listStates = []string{
	"needs", string(blaise.SessionQueued), string(blaise.SessionWorking), string(blaise.SessionParked),
	string(blaise.SessionIdle), string(blaise.SessionPaused), string(blaise.SessionEnded),
	string(blaise.OutcomeSucceeded), string(blaise.OutcomeFailed), string(blaise.OutcomeCancelled),
	string(blaise.OutcomeTimedOut),
}

// completions gives every command below c the completion of its arguments, by
// how its usage names them, and of its flags.
func (a *app) completions(c *cobra.Command) {
	words := strings.Fields(c.Use)
	switch {
	case len(words) < 2:
	case words[1] == "ID" && len(words) > 2 && words[2] == "MESSAGE":
		c.ValidArgsFunction = a.complete(completeSession, completeMessage)
	case words[1] == "ID" && len(words) > 2 && words[2] == "[REQUEST]":
		c.ValidArgsFunction = a.complete(completeSession, completeQuestion)
	case words[1] == "ID" || words[1] == "[ID]":
		c.ValidArgsFunction = a.complete(completeSession)
	case words[1] == "RUNNER":
		c.ValidArgsFunction = a.complete(completeRunner)
	case words[1] == "RUN":
		c.ValidArgsFunction = a.complete(completeRun)
	case words[1] == "WEBHOOK":
		c.ValidArgsFunction = a.complete(completeWebhook)
	case words[1] == "NAME" && c.Parent().Name() == "agent":
		c.ValidArgsFunction = a.complete(completeAgent)
	}
	for flag, f := range map[string]cobra.CompletionFunc{
		"agent":  a.completeFlag(completeAgent),
		"from":   a.completeFlag(completeSession),
		"again":  a.completeFlag(completeSession),
		"choice": a.completeFlag(completeChoice),
		"model":  a.completeFlag(completeSetting("model")),
		"mode":   a.completeFlag(completeSetting("mode")),
		"state":  cobra.FixedCompletions(listStates, cobra.ShellCompDirectiveNoFileComp),
	} {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, f) // fails for a flag that is not there alone
		}
	}
	for _, below := range c.Commands() {
		a.completions(below)
	}
}
