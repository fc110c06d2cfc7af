package tty

import (
	"strings"
	"time"

	"blaise.dev/blaise/transcript"
)

// A Story tells a transcript on a terminal, event by event: what is finished as
// lines that stay, what is under way as lines to be shown until it is. It is for
// one goroutine. The zero value with a Look works.
type Story struct {
	Look Look

	speech  passage
	thought strings.Builder
	calls   []call
	asked   map[string]bool   // the tool calls that the agent asked about
	titles  map[string]string // of the questions that are open
	output  output
	work    progress
	plan    []step
	began   time.Time // the turn
	spoke   bool      // the last lines were the agent's words
	told    bool      // there were lines before
}

// Tell returns the lines that an event finishes, none if it finishes nothing.
func (s *Story) Tell(e transcript.Event) []string {
	switch e.Kind {
	case transcript.KindUpdate:
		return s.update(e)
	case transcript.KindOutput:
		return append(s.endSpeech(), s.print(e)...)
	case transcript.KindProgress:
		return append(s.endSpeech(), s.advance(e)...)
	case transcript.KindAgent:
		return append(s.endOutput(), s.endWork()...)
	}
	lines := s.endSpeech()
	lines = append(append(lines, s.endOutput()...), s.endWork()...)
	return append(lines, s.remark(e)...)
}

// End returns the lines of what is under way, at the end of the telling.
func (s *Story) End() []string {
	lines := append(s.endSpeech(), s.endOutput()...)
	return append(append(lines, s.endWork()...), s.endCalls()...)
}

// Pending shows what is under way, in at most so many lines.
func (s *Story) Pending(rows int, now time.Time) []string {
	var lines []string
	if s.thought.Len() > 0 {
		lines = append(lines, s.Look.Dim(s.Look.Cut("thinking: "+tail(s.thought.String(), 400))))
	}
	lines = append(lines, s.speaking(rows)...)
	lines = append(lines, s.running(now)...)
	if last := s.output.last; last != "" {
		lines = append(lines, s.Look.Dim(s.Look.Cut("· "+last)))
	}
	if s.work.what != "" {
		lines = append(lines, s.Look.Cut(s.work.line(s.Look)))
	}
	if len(lines) > rows {
		lines = lines[len(lines)-rows:]
	}
	return lines
}

// speaking is the end of what the agent says now.
func (s *Story) speaking(rows int) []string {
	text := s.speech.text.String()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if len(text) > 4<<10 {
		text = tail(text, 2<<10)
	}
	lines := s.Look.Markdown(text)
	if len(lines) > rows {
		lines = lines[len(lines)-rows:]
	}
	return append([]string{""}, lines...)
}

// say returns words of the agent, apart from what is not.
func (s *Story) say(blocks []string) []string {
	var lines []string
	for _, b := range blocks {
		if strings.TrimSpace(b) == "" {
			continue
		}
		lines = append(append(lines, ""), s.Look.Markdown(b)...)
		s.spoke, s.told = true, true
	}
	return lines
}

// lines returns lines that are not the agent's words, apart from those.
func (s *Story) lines(all ...string) []string {
	if len(all) == 0 {
		return nil
	}
	if s.spoke {
		all = append([]string{""}, all...)
	}
	s.spoke, s.told = false, true
	return all
}

func (s *Story) endSpeech() []string {
	lines := s.endThought()
	return append(lines, s.say([]string{s.speech.rest()})...)
}

func (s *Story) endThought() []string {
	if s.thought.Len() == 0 {
		return nil
	}
	text := OneLine(s.thought.String(), 400)
	s.thought.Reset()
	return s.lines(s.Look.Dim(s.Look.Cut("thought: " + text)))
}

// tail is the end of s, a harmless line of at most n bytes.
func tail(s string, n int) string {
	if len(s) <= n {
		return Harmless(s)
	}
	return "…" + Harmless(strings.ToValidUTF8(s[len(s)-n:], ""))
}
