package dashboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// A conversation joins the events of a transcript to what a reader sees. The
// first rendering and the live one both come from it.
type conversation struct {
	items     []*item
	tools     map[string]*item     // by run and the agent's own id
	asked     map[string]bool      // the calls that were asked about, by the same
	questions map[string]*item     // by run and number
	began     map[string]time.Time // the turns
	touched   []touch              // in the order of events
	last      int64                // seq of the last event
}

func newConversation() *conversation {
	return &conversation{
		tools: map[string]*item{}, asked: map[string]bool{},
		questions: map[string]*item{}, began: map[string]time.Time{},
	}
}

// A touch is a change of an item by an event.
type touch struct {
	seq  int64
	item *item
}

// since gives the items that were touched after an event, in the order of the page.
func (c *conversation) since(seq int64) []*item {
	at, _ := slices.BinarySearchFunc(c.touched, seq+1, func(t touch, seq int64) int { return cmp.Compare(t.seq, seq) })
	var list []*item
	for _, t := range c.touched[at:] {
		list = append(list, t.item)
	}
	slices.SortFunc(list, func(a, b *item) int { return cmp.Compare(a.Seq, b.Seq) })
	return slices.Compact(list)
}

func (c *conversation) touch(i *item, e transcript.Event) {
	i.Until, i.sent = e.At, nil
	c.touched = append(c.touched, touch{c.last, i})
}

// begin adds an item.
func (c *conversation) begin(kind string, e transcript.Event) *item {
	i := &item{Kind: kind, Seq: e.Seq, Turn: e.Turn, At: e.At, Late: e.Late, session: blaise.RunID(e.Run).Session()}
	c.items = append(c.items, i)
	c.touch(i, e)
	return i
}

// piece finds the item that e goes on with: the last one, if it is of the same
// kind and part; else it begins one.
func (c *conversation) piece(kind, part string, e transcript.Event) *item {
	part = e.Run + " " + e.Turn + " " + part
	if n := len(c.items); n > 0 {
		last := c.items[n-1]
		if last.Kind == kind && last.part == part {
			c.touch(last, e)
			return last
		}
	}
	i := c.begin(kind, e)
	i.part = part
	return i
}

// data are the fields that events of all kinds but updates may have.
type data struct {
	Message  string       `json:"message"`
	Author   string       `json:"author"`
	Text     string       `json:"text"`
	Repeat   int          `json:"repeat"`
	GoOn     bool         `json:"goOn"`
	Result   string       `json:"result"`
	Stop     string       `json:"stopReason"`
	Reason   string       `json:"reason"`
	Title    string       `json:"title"`
	Options  []option     `json:"options"`
	Choice   string       `json:"choice"`
	By       string       `json:"by"`
	Subject  string       `json:"subject"`
	From     any          `json:"from"`
	To       any          `json:"to"`
	Source   string       `json:"source"`
	What     string       `json:"what"`
	Done     float64      `json:"done"`
	Total    float64      `json:"total"`
	Unit     string       `json:"unit"`
	Name     string       `json:"name"`
	Version  string       `json:"version"`
	Why      string       `json:"why"`
	Question string       `json:"question"`
	Tool     string       `json:"tool"`
	Rule     string       `json:"rule"`
	Used     blaise.Usage `json:"used"`

	Attachments []saidFile `json:"attachments"`
}

// add takes the next event.
func (c *conversation) add(e transcript.Event) {
	c.last = e.Seq
	if cut, ok := transcript.CutOf(e); ok {
		c.shortened(e, cut)
		return
	}
	if e.Kind == transcript.KindUpdate {
		c.update(e)
		return
	}
	var d data
	_ = json.Unmarshal(e.Data, &d) // loose: what cannot be read is not shown
	switch e.Kind {
	case transcript.KindMessage:
		i := c.begin("said", e)
		i.Who = d.Author
		if d.GoOn || d.Repeat > 0 {
			i.Status = "repeat"
		}
		i.text.WriteString(d.Text)
		i.withFiles(e, d.Attachments)
	case transcript.KindTurnBegan:
		c.began[e.Turn] = e.At
	case transcript.KindTurnEnded:
		c.turnEnded(e, d)
	case transcript.KindAsked:
		c.asks(e, d)
	case transcript.KindDecided:
		c.decides(e, d)
	case transcript.KindOutput:
		i := c.piece("output", d.Source, e)
		i.Who = d.Source
		i.text.WriteString(d.Text)
	case transcript.KindProgress:
		i := c.piece("progress", d.What, e)
		i.Title, i.Done, i.Total, i.Who = d.What, d.Done, d.Total, d.Unit
	default:
		c.remark(e, d)
	}
}

// turnEnded closes a turn.
func (c *conversation) turnEnded(e transcript.Event, d data) {
	i := c.begin("turn", e)
	if began, ok := c.began[e.Turn]; ok {
		i.At = began
	}
	i.Status, i.Title, i.Used = d.Result, d.Reason, d.Used.Words()
	if d.Result != "answered" {
		i.Title = firstOf(d.Reason, d.Stop)
	}
}

// remark adds what is only said beside the conversation.
func (c *conversation) remark(e transcript.Event, d data) {
	switch e.Kind {
	case transcript.KindAgent:
		c.begin("info", e).Title = strings.TrimSpace("agent " + d.Name + " " + d.Version)
	case transcript.KindState:
		c.begin("state", e).Title = strings.TrimSpace(
			fmt.Sprintf("%s: %v → %v %s", d.Subject, d.From, d.To, d.Reason))
	case transcript.KindGap:
		c.begin("gap", e).Title = firstOf(d.Text, d.Why, "events are missing here")
	default: // notices, and kinds of a later version
		if text := firstOf(d.Text, d.Title, d.What); text != "" {
			c.begin("notice", e).Title = text
		}
	}
}

// update takes what the agent said or did.
func (c *conversation) update(e transcript.Event) {
	var u update
	_ = json.Unmarshal(e.Data, &u) // loose: what cannot be read is not shown
	switch u.Kind {
	case "agent_message_chunk":
		c.chunk("agent", u, e)
	case "agent_thought_chunk":
		c.chunk("thought", u, e)
	case "tool_call", "tool_call_update":
		c.tool(u, e)
	case "plan":
		i := c.planOf(e)
		i.Plan = u.Entries
	}
}

func (c *conversation) chunk(kind string, u update, e transcript.Event) {
	i := c.piece(kind, u.MessageID, e)
	for _, b := range blocks(u.Content) {
		i.text.WriteString(b.text())
		if p := b.picture(); p != "" {
			i.picture = append(i.picture, p)
		}
	}
}

// planOf is the plan of the turn: each update replaces it.
func (c *conversation) planOf(e transcript.Event) *item {
	for n := len(c.items) - 1; n >= 0 && c.items[n].Turn == e.Turn; n-- {
		if c.items[n].Kind == "plan" {
			c.touch(c.items[n], e)
			return c.items[n]
		}
	}
	return c.begin("plan", e)
}

func (c *conversation) tool(u update, e transcript.Event) {
	key := e.Run + " " + u.ID
	i := c.tools[key]
	if i == nil {
		i = c.begin("tool", e)
		i.Asked = c.asked[key]
		c.tools[key] = i
	}
	c.touch(i, e)
	i.Title = firstOf(u.Title, i.Title, "tool call")
	i.ToolKind = firstOf(u.ToolKind, i.ToolKind)
	i.Status = firstOf(u.Status, i.Status, "pending")
	if len(u.Locations) > 0 {
		i.Places = nil
		for _, l := range u.Locations {
			place := l.Path
			if l.Line > 0 {
				place = fmt.Sprintf("%s:%d", l.Path, l.Line)
			}
			i.Places = append(i.Places, place)
		}
	}
	if len(u.RawInput) > 0 && string(u.RawInput) != "null" {
		i.input = string(u.RawInput)
	}
	if list := contents(u.Content); list != nil {
		i.Contents = list
	}
}
