package dashboard

import (
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// An answer is what became of a question.
type answer struct {
	Choice, Who string
	Rule        string // of the gate, in words
	Why         string // of one that was not a person's, or that came to nothing
}

type option struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// asks adds a question, and marks the call that it is about.
func (c *conversation) asks(e transcript.Event, d data) {
	i := c.begin("asked", e)
	i.Title, i.options = d.Title, d.Options
	c.questions[questionKey(e, d)] = i
	if d.Tool == "" {
		return
	}
	c.asked[e.Run+" "+d.Tool] = true
	if t := c.tools[e.Run+" "+d.Tool]; t != nil {
		t.Asked = true
		c.touch(t, transcript.Event{At: t.Until})
	}
}

// decides adds what became of a question to it. One that was asked before the
// window begins is not known here: its answer stands alone.
func (c *conversation) decides(e transcript.Event, d data) {
	i := c.questions[questionKey(e, d)]
	if i == nil {
		i = c.begin("asked", e)
		i.Title = "a question from before"
	} else {
		c.touch(i, e)
	}
	a := answer{Choice: firstOf(d.Choice, "no answer"), Who: d.By, Why: d.Reason, Rule: d.Rule}
	for _, o := range i.options {
		if o.ID == d.Choice {
			a.Choice = firstOf(o.Name, o.ID)
		}
	}
	if d.Rule != "" && d.By != blaise.ByGate {
		a.Rule = "put to a person by " + d.Rule
	}
	i.Answers = append(i.Answers, a)
}

// questionKey is the same whether the question is named over its run or alone.
func questionKey(e transcript.Event, d data) string {
	return e.Run + "/" + d.Question[strings.LastIndexByte(d.Question, '/')+1:]
}
