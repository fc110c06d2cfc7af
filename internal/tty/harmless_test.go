package tty_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"blaise.dev/blaise/internal/tty"
	"blaise.dev/blaise/transcript"

	"github.com/charmbracelet/x/ansi"
)

// hostile are texts that would take a terminal over: they move the cursor, change
// its title, write to the clipboard, hide what follows, or read as another.
var hostile = []string{
	"\x1b[2J\x1b[H", "\x1b]0;title\a", "\x1b]52;c;aGk=\x1b\\", "\x1b]8;;http://evil\x1b\\good\x1b]8;;\x1b\\",
	"\x9b2J", "caf\xe9 \x9b31m", "\u009d0;title\u009c", "\x1bP+q544e\x1b\\", "\x1b[8mhidden\x1b[0m", "a\rb", "a\bb", "\x00", "\x7f",
	"rm \u202e fdp.exe", "\u2066x\u2069", "\u200f", "\u061c", "\u200e", "&#x61c;",
	"&#27;[2J", "&#x1b;]0;title&#7;", "&#x9b;2J", "&#8238;abc", "`&#27;`", "[&#27;[8m](http://x)",
	"<&#27;[2J>", "| &#27; |\n|---|\n| \x1b[2J |", "```\x1b[2J\n\x1b]0;t\a\n```", "[x](http://a\x1b[2J)", "![\x1b](\x1b)",
}

var colour = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// quiet fails where a line holds more than text and colours.
func quiet(t *testing.T, source string, lines []string, colours bool) {
	t.Helper()
	for _, line := range lines {
		text := line
		if colours {
			text = colour.ReplaceAllString(line, "")
		}
		if !utf8.ValidString(line) {
			t.Errorf("%q became %q, which is no text", source, line)
		}
		for _, r := range text {
			if unicode.IsControl(r) || strings.ContainsRune("\u202e\u2066\u200e\u200f\u061c", r) {
				t.Errorf("%q became %q, with %U", source, line, r)
			}
		}
		if strings.Contains(line, "\x1b[8m") {
			t.Errorf("%q became %q, which hides text", source, line)
		}
	}
}

func TestNothingHostileReachesTheTerminal(t *testing.T) {
	t.Parallel()
	for _, colours := range []bool{false, true} {
		look := tty.Look{Width: 40, Colour: colours}
		for _, h := range hostile {
			quiet(t, h, []string{tty.OneLine(h, 100)}, false)
			quiet(t, h, strings.Split(tty.Harmless(h), "\n"), false)
			quiet(t, h, look.Markdown(h), colours)
			quiet(t, h, look.Markdown("# "+h+"\n\n- "+h+"\n\n> "+h+"\n\n**"+h+"**"), colours)
			quiet(t, h, tell(look, hostileEvents(h)...), colours)
		}
	}
}

// hostileEvents say h wherever an agent, a plug or a repository may say something.
func hostileEvents(h string) []transcript.Event {
	update := func(v map[string]any) transcript.Event { return transcript.New(transcript.KindUpdate, v) }
	words := map[string]any{"type": "text", "text": h}
	return []transcript.Event{
		transcript.New(transcript.KindMessage, map[string]any{"text": h, "attachments": []any{map[string]any{"name": h}}}),
		update(map[string]any{"sessionUpdate": "agent_thought_chunk", "content": words}),
		update(map[string]any{"sessionUpdate": "agent_message_chunk", "content": words}),
		update(map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": h, "uri": h}}),
		update(map[string]any{"sessionUpdate": "tool_call", "toolCallId": h, "title": h, "status": "completed"}),
		update(map[string]any{"sessionUpdate": "tool_call", "toolCallId": "2", "title": h, "status": "pending"}),
		update(map[string]any{"sessionUpdate": "current_mode_update", "currentModeId": h}),
		update(map[string]any{"sessionUpdate": h, "title": h}),
		transcript.New(transcript.KindAsked, map[string]any{"question": "1", "title": h}),
		transcript.New(transcript.KindDecided, map[string]any{"question": "1", "choice": h, "by": h, "reason": h}),
		transcript.New(transcript.KindNotice, map[string]any{"text": h}),
		transcript.New(transcript.KindOutput, map[string]any{"source": h, "text": h + "\n" + h}),
		transcript.New(transcript.KindProgress, map[string]any{"what": h, "unit": h, "total": 1, "done": 1}),
		transcript.New(transcript.KindState, map[string]any{"subject": h, "to": h}),
		transcript.New(transcript.KindGap, map[string]any{"why": h}),
		transcript.New(transcript.Kind(h), map[string]any{"text": h}),
		transcript.New(transcript.KindTurnEnded, map[string]any{"result": h, "reason": h, "stopReason": h}),
	}
}

// No line that is shown is longer than the terminal is wide, whatever is in it.
func TestLinesFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wide 漢字 👩‍👩‍👧 ", 200)
	for _, width := range []int{20, 40, 79} {
		look := tty.Look{Width: width, Colour: true}
		for _, line := range tell(look, hostileEvents(long)...) {
			if got := ansi.StringWidth(line); got > width {
				t.Errorf("width %d: a line of %d: %q", width, got, line)
			}
		}
	}
	for _, s := range []string{
		"a" + strings.Repeat(" -", 60), strings.Repeat("-", 60), "http://x.y/---", "漢字" + strings.Repeat("-漢", 40),
		"# a" + strings.Repeat(" -", 60), "- **a" + strings.Repeat(" -", 60) + "**", "> x-" + strings.Repeat("y- ", 60),
	} {
		for width := 13; width < 41; width++ {
			look := tty.Look{Width: width, Colour: true}
			for _, line := range append(look.Markdown(s), look.Wrap(s, "", "")...) {
				if got := ansi.StringWidth(line); got > width {
					t.Errorf("width %d: a line of %d: %q", width, got, line)
				}
			}
		}
	}
}
