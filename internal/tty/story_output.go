package tty

import (
	"encoding/json"
	"fmt"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// outputShown is how many lines of output are shown as they came; of more, only
// how many there were.
const outputShown = 3

// An output is what a plug, a hook or a command prints, folded to a line.
type output struct {
	source string
	lines  int
	last   string   // the last line, until the next
	first  []string // as many as are shown
}

func (s *Story) print(e transcript.Event) []string {
	var d struct{ Source, Text string }
	_ = json.Unmarshal(e.Data, &d) // what cannot be read is an empty line
	var lines []string
	if s.output.lines > 0 && d.Source != s.output.source {
		lines = s.endOutput()
	}
	s.output.source = d.Source
	for one := range strings.Lines(d.Text) {
		if one = OneLine(one, 400); one == "" {
			continue
		}
		s.output.lines++
		s.output.last = strings.TrimSpace(OneLine(d.Source, 40) + ": " + one)
		if len(s.output.first) < outputShown {
			s.output.first = append(s.output.first, s.output.last)
		}
	}
	return lines
}

func (s *Story) endOutput() []string {
	o := s.output
	s.output = output{}
	var lines []string
	for _, one := range o.first {
		lines = append(lines, s.Look.Dim(s.Look.Cut("· "+one)))
	}
	if more := o.lines - len(o.first); more > 1 {
		lines = append(lines, s.Look.Dim(fmt.Sprintf("· … %d more lines of output", more-1)))
	}
	if o.lines > len(o.first) {
		lines = append(lines, s.Look.Dim(s.Look.Cut("· "+o.last)))
	}
	return s.lines(lines...)
}

// A progress is long work under way.
type progress struct {
	what, unit  string
	done, total float64
}

// advance follows long work; it returns the line of what went before.
func (s *Story) advance(e transcript.Event) []string {
	lines := s.endOutput()
	var d struct {
		What, Unit  string
		Done, Total float64
	}
	if json.Unmarshal(e.Data, &d) != nil || d.What == "" {
		return lines
	}
	now := progress{what: OneLine(d.What, 200), unit: OneLine(d.Unit, 12), done: d.Done, total: d.Total}
	if now.kind() != s.work.kind() {
		lines = append(lines, s.endWork()...)
	}
	s.work = now
	return lines
}

// kind is what work has in common that is told in several steps, as the layers of
// an image are.
func (p progress) kind() string {
	kind, _, _ := strings.Cut(p.what, ": ")
	return kind
}

// endWork tells of long work when it is done: when something else is.
func (s *Story) endWork() []string {
	was := s.work
	s.work = progress{}
	if was.what == "" {
		return nil
	}
	return s.lines(s.Look.Dim(s.Look.Cut("· " + was.what + was.amount())))
}

// bar is how many cells a bar has.
const bar = 20

// line shows the work with a bar, where it is known how much there is.
func (p progress) line(l Look) string {
	if p.total <= 0 {
		return l.Dim("▸ ") + p.what + l.Dim(p.amount())
	}
	full := min(max(int(p.done/p.total*bar), 0), bar)
	return l.Dim("▸ ") + p.what + " " + l.Good(strings.Repeat("━", full)) + l.Dim(strings.Repeat("─", bar-full)+p.amount())
}

func (p progress) amount() string {
	switch {
	case p.done == 0 && p.total == 0:
		return ""
	case p.total == 0:
		return fmt.Sprintf(", %s", quantity(p.done, p.unit))
	}
	return fmt.Sprintf(", %s of %s", quantity(p.done, p.unit), quantity(p.total, p.unit))
}

// quantity is an amount; of bytes, in the unit that suits it.
func quantity(n float64, unit string) string {
	if unit != "bytes" && unit != "B" {
		return strings.TrimSpace(fmt.Sprintf("%.0f %s", n, unit))
	}
	return blaise.Size(int64(n))
}
