package tty

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// remarked are the fields of the events that have a line of their own.
type remarked struct {
	Text, Title, Question, Tool, Choice, By, Result, StopReason, Reason string

	GoOn        bool
	Used        blaise.Usage
	Attachments []struct{ Name string }
}

// remark tells an event that is whole by itself.
func (s *Story) remark(e transcript.Event) []string {
	var d remarked
	_ = json.Unmarshal(e.Data, &d) // its line is then told as it is
	switch e.Kind {
	case transcript.KindMessage:
		return s.message(d)
	case transcript.KindTurnBegan:
		s.began, s.plan = e.At, nil
		return nil
	case transcript.KindTurnEnded:
		return append(s.endCalls(), s.turnEnded(e.At, d)...)
	case transcript.KindAsked:
		s.ask(e, d)
		return nil // who shows the story shows what is open
	case transcript.KindDecided:
		return s.decided(e, d)
	case transcript.KindNotice:
		return s.lines(s.Look.Wrap(Harmless(OneLine(d.Text, 4000)), s.Look.Ask("! "), "  ")...)
	}
	return s.lines(s.Look.Dim(s.Look.Cut("· " + transcript.Line(e))))
}

// ask remembers what the agent asked, and about which call.
func (s *Story) ask(e transcript.Event, d remarked) {
	if s.asked == nil {
		s.asked, s.titles = map[string]bool{}, map[string]string{}
	}
	s.titles[questionKey(e.Run, d.Question)] = d.Title
	if d.Tool != "" {
		s.asked[d.Tool] = true
	}
}

// questionKey is the same whether the question is named over its run or alone.
func questionKey(run, question string) string {
	return run + "/" + question[strings.LastIndexByte(question, '/')+1:]
}

// decided tells what became of a question. What the rules allow is not worth a
// line.
func (s *Story) decided(e transcript.Event, d remarked) []string {
	key := questionKey(e.Run, d.Question)
	title := cmp.Or(s.titles[key], "a question") // one from before, or answered once already
	delete(s.titles, key)
	if d.By == blaise.ByGate && d.Reason == "" {
		return nil
	}
	answer := OneLine(cmp.Or(d.Choice, "no answer")+" by "+cmp.Or(d.By, "nobody")+because(d.Reason), 200)
	return s.lines(s.Look.Wrap(OneLine(title, 600)+s.Look.Dim(" → "+answer), s.Look.Ask("? "), "  ")...)
}

// message tells what a person said.
func (s *Story) message(d remarked) []string {
	text := Harmless(strings.TrimSpace(d.Text))
	if d.GoOn {
		text = "(Blaise asks the agent to go on)"
	}
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + " …"
	}
	for _, a := range d.Attachments {
		text += "\n[with " + OneLine(a.Name, 80) + "]"
	}
	lines := s.Look.Wrap(text, "› ", "  ")
	for i := range lines {
		lines[i] = s.Look.Strong(lines[i])
	}
	if s.told {
		lines = append([]string{""}, lines...)
	}
	s.spoke, s.told = false, true
	return lines
}

// turnEnded closes a turn: what it took, or that it failed.
func (s *Story) turnEnded(at time.Time, d remarked) []string {
	parts := []string{}
	if took := at.Sub(s.began); !s.began.IsZero() && took > 0 {
		parts = append(parts, took.Round(time.Second/10).String())
	}
	parts = append(parts, Spent(d.Used)...)
	if d.StopReason != "" && d.StopReason != "end_turn" && d.StopReason != d.Result {
		parts = append(parts, OneLine(strings.ReplaceAll(d.StopReason, "_", " "), 40))
	}
	line := s.Look.Dim("─ " + strings.Join(parts, " · "))
	if d.Result != "answered" && d.Result != "" {
		line = s.Look.Bad("■ "+OneLine(d.Result, 20)+because(OneLine(d.Reason, 1000))) + s.Look.Dim(" · "+strings.Join(parts, " · "))
	}
	return s.lines(s.Look.Cut(line))
}

// Spent is what was used, in words: tokens and cost, as far as is known.
func Spent(u blaise.Usage) []string {
	var parts []string
	if u.Total > 0 {
		parts = append(parts, blaise.TokenCount(u.Total)+" tokens")
	}
	if u.Cost > 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%.4g %s", u.Cost, OneLine(u.Currency, 8))))
	}
	return parts
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
