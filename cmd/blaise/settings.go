package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// chosen are the settings of the agent that flags choose.
type chosen struct {
	model, mode string
	options     []string
}

func (s *chosen) flags(f *pflag.FlagSet) {
	f.StringVar(&s.model, "model", "", "the `model`, one of those that 'blaise show' lists")
	f.StringVar(&s.mode, "mode", "", "the mode, as the model")
	f.StringArrayVar(&s.options, "set-option", nil, "an option of the agent's own, `name=value`")
}

// settings are those that were given, by their ids.
func (s *chosen) settings(given func(flag string) bool) (map[string]string, error) {
	m, err := pairs("--set-option", s.options)
	if err != nil {
		return nil, err
	}
	if given("model") {
		m["model"] = s.model
	}
	if given("mode") {
		m["mode"] = s.mode
	}
	if len(m) == 0 {
		return nil, nil
	}
	return m, nil
}

func setCommand(a *app) *cobra.Command {
	var s chosen
	c := a.jsonFlag(&cobra.Command{
		Use: "set ID", Short: "Choose the model, the mode or an option of a session's agent",
		Long: "Chooses the model, the mode or an option of a session's agent. It takes effect at once while the\n" +
			"session is idle, when the turn has ended, or when the next run begins. `blaise show` lists what there\n" +
			"is. An empty value takes a choice back that the agent has not taken yet.",
		Example: "  blaise set k3v9 --model opus\n  blaise session set k3v9 --mode plan --set-option effort=high",
		Args:    exactArgs("a session"),
	})
	c.RunE = a.asks(func(ctx context.Context, cl *api.Client, args []string) error {
		set, err := s.settings(c.Flags().Changed)
		if err != nil {
			return err
		}
		if set == nil {
			return usage("nothing is chosen").WithHint("--model, --mode or --set-option name=value")
		}
		id, err := session(ctx, cl, args[0])
		if err != nil {
			return err
		}
		done, err := cl.Choose(ctx, id, api.ChooseSettings{Settings: set})
		if err != nil {
			return err
		}
		if a.json {
			return printJSON(a.out, done)
		}
		for _, name := range slices.Sorted(maps.Keys(set)) {
			fmt.Fprintf(a.out, "%s: %s, %s\n", name, dash(set[name]), done.Applies)
		}
		return nil
	})
	s.flags(c.Flags())
	return c
}

// printStatus shows what the agent says of the session.
func (a *app) printStatus(s api.Session) {
	if n := len(s.Plan); n > 0 {
		a.field("plan", "%d of %d done%s", blaise.AgentStatus{Plan: s.Plan}.Done(), n, underWay(s.Plan))
	}
	for _, one := range s.Settings {
		text := one.Value
		for _, c := range one.Choices {
			if c.Value == one.Value && c.Name != "" && c.Name != c.Value {
				text += " (" + c.Name + ")"
			}
		}
		if want, ok := s.Wanted[one.ID]; ok {
			text += ", chosen: " + want
		}
		a.field(settingName(one.ID), "%s%s", oneLine(text, 100), oneLine(others(one), 200))
	}
	for _, id := range slices.Sorted(maps.Keys(s.Wanted)) {
		if !slices.ContainsFunc(s.Settings, func(x blaise.Setting) bool { return x.ID == id }) {
			a.field(settingName(id), "chosen: %s", oneLine(s.Wanted[id], 100))
		}
	}
	if n := len(s.Commands); n > 0 {
		names := ""
		for _, c := range s.Commands {
			names += " /" + c.Name
		}
		a.field("commands", "%s", oneLine(names, 300))
	}
}

func settingName(id string) string {
	if id == "mode" || id == "model" {
		return id
	}
	return "option " + id
}

// others are what can be chosen instead.
func others(s blaise.Setting) string {
	text := ""
	for _, c := range s.Choices {
		if c.Value != s.Value {
			text += " " + c.Value
		}
	}
	if text == "" {
		return ""
	}
	return "; or" + text
}

// underWay is the step that is being done.
func underWay(plan []blaise.PlanStep) string {
	for _, p := range plan {
		if p.Status == "in_progress" {
			return ": " + oneLine(p.Text, 80)
		}
	}
	return ""
}
