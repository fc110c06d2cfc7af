package dashboard

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/syntax"
)

// textMost bounds what is shown of a text that a page has no other use for.
const textMost = 256 << 10

// An item is one thing in the conversation: often many events, joined.
type item struct {
	Kind  string // said, agent, thought, tool, plan, notice, state, output, asked, turn, info, progress, gap
	Seq   int64  // of its first event; with it goes the id on the page
	Turn  string
	At    time.Time
	Until time.Time // of its last event
	Late  bool

	Who    string // author or source
	Title  string
	Status string
	Used   string // what a turn has used
	Plan   []planEntry

	text    strings.Builder
	sent    []byte // it as it is sent to browsers, nil before it is rendered
	part    string // what a piece must have in common with those before it
	picture []template.URL

	session blaise.SessionID
	colours *syntax.Budget // for the code in its text, set before it is rendered
	cut     bool           // the record has only the ends of an event of it

	Files []saidFile // what came with a message

	ToolKind string
	Asked    bool // the agent asked before it did it
	Places   []string
	input    string
	Contents []content
	Answers  []answer // to a question
	options  []option
	Done     float64
	Total    float64
}

// ID is the item's id on the page.
func (i *item) ID() string { return fmt.Sprintf("e%d", i.Seq) }

// Text is what it says.
func (i *item) Text() string {
	return cutTo(plain(i.text.String()), textMost)
}

// HTML is its text as markdown, "" to show it as it is.
func (i *item) HTML() template.HTML { return rendered(plain(i.text.String()), i.colours) }

// Pictures are the images in it.
func (i *item) Pictures() []template.URL { return i.picture }

// Took is how long it went on, "" when that says nothing.
func (i *item) Took() string {
	d := i.Until.Sub(i.At)
	switch {
	case d < 100*time.Millisecond:
		return ""
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// Sign shows the status of a tool call.
func (i *item) Sign() string {
	switch i.Status {
	case "completed":
		return "✓"
	case "failed":
		return "✗"
	}
	return "…"
}

// Running says that a tool call goes on.
func (i *item) Running() bool { return i.Status != "completed" && i.Status != "failed" }

// Ungated says that a tool call was done without asking (B4).
func (i *item) Ungated() bool { return i.Status == "completed" && !i.Asked }

// Diffs are the changes of files that a tool call shows.
func (i *item) Diffs() []content { return i.only("diff") }

// Outputs are the texts that a tool call shows.
func (i *item) Outputs() []string {
	var list []string
	for _, c := range i.only("content") {
		if t := c.Block.text(); t != "" {
			list = append(list, shortened(plain(t)))
		}
	}
	return list
}

// Input is what a tool was called with.
func (i *item) Input() string { return shortened(plain(i.input)) }

func (i *item) only(kind string) []content {
	var list []content
	for _, c := range i.Contents {
		if c.Type == kind {
			list = append(list, c)
		}
	}
	return list
}

// Lines is the change as lines.
func (c content) Lines() []diffLine { return diff(c.OldText, c.NewText) }

// Percent is how far long work is, -1 if nobody knows.
func (i *item) Percent() int {
	if i.Total <= 0 {
		return -1
	}
	return int(100 * i.Done / i.Total)
}

// Finished says that long work has been done: how far it is interests nobody then.
func (i *item) Finished() bool { return i.Percent() >= 100 }

// outputMost bounds what is shown of what a tool takes or gives.
const outputMost = 64 << 10

func shortened(t string) string { return cutTo(t, outputMost) }

// cutTo leaves out the middle of a text that is longer than most.
func cutTo(t string, most int) string {
	if len(t) <= most {
		return t
	}
	return strings.ToValidUTF8(t[:most/2], "") + "\n… cut …\n" + strings.ToValidUTF8(t[len(t)-most/2:], "")
}
