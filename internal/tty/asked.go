package tty

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// askedLongest is how much of one line of a request is shown where it is
// shortened: it is wrapped again each time the screen is painted.
const askedLongest = 4 << 10

// A request is what is read of the tool call that an agent asks about.
type request struct {
	ToolCall struct {
		Content   []shown
		RawInput  json.RawMessage
		Locations []struct{ Path string }
	}
}

// A shown part is a change of a file, or text.
type shown struct {
	Type, Path       string
	OldText, NewText string
	Content          json.RawMessage
}

// Asked shows what exactly an agent asks for, given the detail of its question:
// the command, the paths, the change or the content, harmless and indented. It
// takes at most rows lines, the last of which then says how many are left out;
// with 0 all are shown. It is empty where the agent told nothing.
func (l Look) Asked(detail json.RawMessage, rows int) []string {
	var r request
	_ = json.Unmarshal(detail, &r) // agents are loose: what can be read is shown
	all := r.lines()
	var lines []string
	for i, one := range all {
		paint := func(s string) string { return s }
		switch {
		case strings.HasPrefix(one, "+ "):
			paint = l.Good
		case strings.HasPrefix(one, "- "):
			paint = l.Bad
		}
		if rows > 0 && len(one) > askedLongest {
			one = strings.ToValidUTF8(one[:askedLongest], "") + " …"
		}
		for _, line := range l.Wrap(Harmless(one), "  ", "    ") {
			lines = append(lines, paint(line))
		}
		if rest := len(all) - i - 1; rows > 0 && (len(lines) > rows || len(lines) == rows && rest > 0) {
			cut := len(lines) - (rows - 1)
			return append(lines[:rows-1], l.Dim(fmt.Sprintf("  … %d more lines", rest+cut)))
		}
	}
	return lines
}

// lines are those of the request, as long as they are.
func (r request) lines() []string {
	var lines, texts []string
	for _, c := range r.ToolCall.Content {
		if c.Type == "diff" {
			lines = append(lines, c.diff()...)
			texts = append(texts, c.OldText, c.NewText, c.Path)
			continue
		}
		if text := strings.TrimRight(words(c.Content), "\n"); text != "" {
			lines = append(lines, strings.Split(text, "\n")...)
			texts = append(texts, text)
		}
	}
	lines = append(lines, inputLines(r.ToolCall.RawInput, texts)...)
	if len(lines) == 0 {
		for _, at := range r.ToolCall.Locations {
			lines = append(lines, "path: "+at.Path)
		}
	}
	return lines
}

// inputLines tell the input of the tool, field by field, without what the texts
// have told.
func inputLines(raw json.RawMessage, texts []string) []string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		if text := strings.TrimSpace(string(raw)); text != "" && text != "null" {
			return []string{text}
		}
		return nil
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := string(fields[name])
		var text string
		if json.Unmarshal(fields[name], &text) == nil {
			value = strings.TrimRight(text, "\n")
		}
		if value == "" || slices.ContainsFunc(texts, func(t string) bool {
			return strings.TrimRight(t, "\n") == value || strings.Contains(value, "\n") && strings.Contains(t, value)
		}) {
			continue
		}
		if !strings.Contains(value, "\n") {
			lines = append(lines, name+": "+value)
			continue
		}
		lines = append(lines, name+":")
		for _, one := range strings.Split(value, "\n") {
			lines = append(lines, "  "+one)
		}
	}
	return lines
}

// diff are the lines that go and those that come, without what both texts begin
// and end with.
func (c shown) diff() []string {
	was, is := splitLines(c.OldText), splitLines(c.NewText)
	same := 0
	for same < len(was) && same < len(is) && was[same] == is[same] {
		same++
	}
	head := c.Path
	if same > 0 {
		head = fmt.Sprintf("%s, from line %d", c.Path, same+1)
	}
	was, is = was[same:], is[same:]
	for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	lines := []string{head}
	for _, one := range was {
		lines = append(lines, "- "+one)
	}
	for _, one := range is {
		lines = append(lines, "+ "+one)
	}
	return lines
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
