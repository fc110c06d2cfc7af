package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/transcript"
)

// wholeMost is how many events an item is looked for in.
const wholeMost = 20_000

// whole answers an item of the conversation in full, as plain text that no
// browser takes for anything else: an agent wrote it.
func (d *dashboard) whole(w http.ResponseWriter, r *http.Request) {
	id, err := d.views.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	text, err := d.wholeText(r.Context(), id, number(r.PathValue("seq")))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", fmt.Sprintf(`inline; filename="%s-e%s.txt"`, id, r.PathValue("seq")))
	_, _ = w.Write([]byte(text)) // who asked is gone: nobody to tell
}

// wholeText joins the events of the item that begins at seq.
func (d *dashboard) wholeText(ctx context.Context, id blaise.SessionID, seq int64) (string, error) {
	first, err := d.control.WholeEvent(ctx, id, seq)
	if err != nil {
		return "", err
	}
	c := newConversation()
	c.add(first)
	if len(c.items) == 0 { // nothing that the page shows otherwise
		return plain(string(first.Data)), nil
	}
	long := len(first.Data)
	for c.last < seq+wholeMost {
		list, err := d.control.Events(ctx, id, c.last, liveBatch)
		if err != nil {
			return "", err
		}
		if len(list) == 0 {
			break
		}
		for _, e := range list {
			size, goesOn, err := d.join(ctx, id, c, e)
			if err != nil {
				return "", err
			}
			if !goesOn {
				return c.items[0].whole(), nil
			}
			if long += size; long > control.MaxWhole {
				return "", blaise.Errorf(blaise.CodeRefused, "it is longer than %s", blaise.Size(control.MaxWhole)).
					WithHint("blaise transcript %s --json has its events, blaise files %s the long ones", id, id)
			}
		}
	}
	return c.items[0].whole(), nil
}

// join adds the next event to a conversation of one item, if it is of that, and
// says how much that was. It goes on while later ones may be of it: a call of a
// tool to the end of its turn, all else until another item begins, as one that
// the record has the ends of does.
func (d *dashboard) join(
	ctx context.Context, id blaise.SessionID, c *conversation, e transcript.Event,
) (size int, goesOn bool, err error) {
	if c.items[0].Kind == "tool" {
		if !c.calls(e) {
			c.last = e.Seq
			return 0, e.Kind != transcript.KindTurnEnded, nil
		}
		if e, err = d.control.Whole(ctx, id, e); err != nil {
			return 0, false, err
		}
	}
	touched := len(c.touched)
	if c.add(e); len(c.touched) > touched {
		size = len(e.Data)
	}
	return size, len(c.items) == 1, nil
}

// calls says that an event is of a call of a tool that the conversation has.
func (c *conversation) calls(e transcript.Event) bool {
	if e.Kind != transcript.KindUpdate {
		return false
	}
	var u update
	if cut, ok := transcript.CutOf(e); ok {
		u = endsOf(cut)
	} else {
		_ = json.Unmarshal(e.Data, &u) // loose: what cannot be read is not shown
	}
	return strings.HasPrefix(u.Kind, "tool_call") && c.tools[e.Run+" "+u.ID] != nil
}

// whole is all that the item says.
func (i *item) whole() string {
	if i.Kind != "tool" {
		return plain(firstOf(i.text.String(), i.Title))
	}
	var b strings.Builder
	part := func(head, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n=== %s\n%s\n", head, strings.TrimSuffix(plain(text), "\n"))
		}
	}
	fmt.Fprintf(&b, "%s (%s)\n", plain(i.Title), plain(i.Status))
	part("input", i.input)
	for _, c := range i.Contents {
		part("output", c.Block.text())
		part("before: "+plain(c.Path), c.OldText)
		part("after: "+plain(c.Path), c.NewText)
	}
	return b.String()
}

// Whole is where all of the item is shown, "" where the page has it.
func (i *item) Whole() string {
	if !i.cut && !i.long() {
		return ""
	}
	return fmt.Sprintf("/sessions/%s/whole/%d", i.session, i.Seq)
}

// long says that the page leaves out some of it.
func (i *item) long() bool {
	if i.text.Len() > textMost || len(i.input) > outputMost {
		return true
	}
	for _, c := range i.Contents {
		if len(c.Block.text()) > outputMost {
			return true
		}
		if len(c.OldText)+len(c.NewText) <= lineMost {
			continue // the usual change, of which no line can be left out
		}
		for _, l := range c.Lines() {
			if l.Sign == "…" || len(l.Text) > lineMost {
				return true
			}
		}
	}
	return false
}

// shortened takes an event of which the record has only the ends: the call of a
// tool that it belongs to leads to the whole, or an item of its own.
func (c *conversation) shortened(e transcript.Event, cut transcript.Cut) {
	u := endsOf(cut)
	if e.Kind == transcript.KindUpdate && u.ID != "" && strings.HasPrefix(u.Kind, "tool_call") {
		c.tool(u, e)
		c.tools[e.Run+" "+u.ID].cut = true
		return
	}
	i := c.begin("cut", e)
	i.cut = true
	kind := firstOf(u.Kind, string(e.Kind))
	i.Title = fmt.Sprintf("%s of %s, kept in part", firstOf(cutWords[kind], kind), blaise.Size(int64(cut.Size)))
	i.text.WriteString(cutEnds(cut.Head, cut.Tail))
}

// endMost is how much of each end is shown.
const endMost = 2000

func cutEnds(head, tail string) string {
	if len(head) > endMost {
		head = strings.ToValidUTF8(head[:endMost], "")
	}
	if len(tail) > endMost {
		tail = strings.ToValidUTF8(tail[len(tail)-endMost:], "")
	}
	return head + "\n… cut …\n" + tail
}

// scalars are fields of an update as they stand in its JSON: within a text the
// quotes would be escaped.
var scalars = regexp.MustCompile(`[{,]"(sessionUpdate|toolCallId|status)":"([^"\\]*)"`)

// endsOf reads what the ends of an update say of it; agents write its fields in
// any order.
func endsOf(cut transcript.Cut) update {
	found := map[string]string{}
	for _, m := range append(scalars.FindAllStringSubmatch(cut.Tail, -1), scalars.FindAllStringSubmatch(cut.Head, 3)...) {
		found[m[1]] = m[2]
	}
	return update{Kind: found["sessionUpdate"], ID: found["toolCallId"], Status: found["status"]}
}

// cutWords name what an event is that the record has only the ends of.
var cutWords = map[string]string{
	"message": "a message", "output": "an output", "agent_message_chunk": "an answer", "agent_thought_chunk": "a thought",
}
