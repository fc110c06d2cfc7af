package run

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
)

// choices are the settings that people have chosen and the agent has not taken
// yet. One that cannot be had is not given up: until another is made it fails
// every message, because what was asked for is not what would answer. It belongs
// to the goroutine that holds the conversation.
type choices struct {
	open  map[string]string // by the id of the setting
	unmet map[string]string // why not
	taken map[string]string // not reported yet
}

func newChoices(wanted map[string]string) *choices {
	c := &choices{open: map[string]string{}, unmet: map[string]string{}, taken: map[string]string{}}
	maps.Copy(c.open, wanted)
	return c
}

// add takes what a directive says; an empty value takes a choice back.
func (c *choices) add(set map[string]string) {
	for id, value := range set {
		delete(c.unmet, id)
		if c.open[id] = value; value == "" {
			delete(c.open, id)
		}
	}
}

// order has the model before the mode, and both before what may depend on them.
func (c *choices) order() []string {
	ids := slices.Sorted(maps.Keys(c.open))
	for _, first := range []string{"mode", "model"} {
		if i := slices.Index(ids, first); i > 0 {
			ids = append([]string{first}, slices.Delete(ids, i, i+1)...)
		}
	}
	return ids
}

// report gives what the agent has taken since the last call.
func (c *choices) report() map[string]string {
	if len(c.taken) == 0 {
		return nil
	}
	taken := c.taken
	c.taken = map[string]string{}
	return taken
}

// why is the reason why no message can be sent, "" if there is none.
func (c *choices) why() string {
	for _, id := range slices.Sorted(maps.Keys(c.unmet)) {
		return c.unmet[id]
	}
	return ""
}

// unsendable is why a message cannot be sent as it was meant: it fails.
type unsendable string

func (e unsendable) Error() string { return string(e) }

// choose sets what people have chosen, and tells what came of it.
func (c *conversation) choose(ctx context.Context) {
	for _, id := range c.choices.order() {
		asked := c.choices.open[id]
		value, err := c.pick(ctx, id, asked)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			why := fmt.Sprintf("%s %q cannot be had: %v", id, asked, err)
			c.choices.unmet[id] = why
			c.r.notice("The chosen "+why+".", map[string]any{"setting": id, "value": asked})
			continue
		}
		delete(c.choices.open, id)
		delete(c.choices.unmet, id)
		c.choices.taken[id] = asked
		c.settings.keep(id, value)
		c.r.notice(fmt.Sprintf("The agent's %s is %s now.", id, value),
			map[string]any{"setting": id, "value": value})
	}
}

// pick sets one setting to what a person means by value.
func (c *conversation) pick(ctx context.Context, id, value string) (string, error) {
	value, err := blaise.AgentStatus{Settings: c.settings.shown()}.Choose(id, value)
	if err != nil {
		return "", err
	}
	one, _ := c.settings.find(id)
	if one.Value == value {
		return value, nil
	}
	if why := c.set(ctx, one, value); why != "" {
		return "", fmt.Errorf("%s", why)
	}
	return value, nil
}

// obeySet is a person's choice, heard between two turns.
func (c *conversation) obeySet(ctx context.Context, d blaise.Directive) {
	if !c.r.receive(ctx, d) {
		c.r.prompts.Void(d.N)
		return
	}
	c.choices.add(d.Set)
	c.choose(ctx)
	c.tell("")
	c.tellStatus()
}

// shown are the settings as people see them.
func (s *settings) shown() []blaise.Setting {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []blaise.Setting
	for _, one := range s.now[:min(len(s.now), statusMost)] {
		list = append(list, blaise.Setting{
			ID: one.ID, Name: short(one.Name), Category: one.Category, Value: one.Value,
			Boolean: one.Boolean, Choices: shownChoices(one.Choices),
		})
	}
	return list
}

func shownChoices(all []acp.Choice) []blaise.Choice {
	var list []blaise.Choice
	for _, c := range all[:min(len(all), statusMost)] {
		list = append(list, blaise.Choice{Value: c.Value, Name: short(c.Name)})
	}
	return list
}
