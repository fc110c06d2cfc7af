package blaise

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// A Line is what waits of one person: the runs that need an agent's process,
// the longest waiting first. Lines are served round robin, so that nobody's fifty
// sessions come before another's one.
type Line struct {
	Author  string
	Waiting int
	Oldest  time.Time // since when its first run waits
	Served  time.Time // when a run of this person was taken last; zero: never
}

// Compare orders lines by who is served next: who was served longest ago goes
// first, and of those who never were the one who waits longest.
func (l Line) Compare(o Line) int {
	return cmp.Or(l.Served.Compare(o.Served), l.Oldest.Compare(o.Oldest), cmp.Compare(l.Author, o.Author))
}

// Place is the place, from 1, of a run behind ahead others of its author's own
// line, and of how many that wait.
func Place(lines []Line, author string, ahead int) (place, of int) {
	i := slices.IndexFunc(lines, func(l Line) bool { return l.Author == author })
	if i < 0 {
		return 0, 0
	}
	mine := lines[i]
	place = ahead + 1
	for _, l := range lines {
		of += l.Waiting
		if l.Author == author {
			continue
		}
		place += min(l.Waiting, ahead)
		if l.Waiting > ahead && l.Compare(mine) < 0 {
			place++
		}
	}
	return place, of
}

// RoundRobin puts what waits into the order in which it is served: the first of every
// line, then the second of every line. Of each it is told whose it is, when
// that person was served last, and since when it waits.
func RoundRobin[T any](all []T, of func(T) (author string, served, since time.Time)) {
	type waiter struct {
		one   T
		round int
		since time.Time
	}
	list := make([]waiter, len(all))
	lines := map[string]Line{}
	for i, one := range all {
		_, _, since := of(one)
		list[i] = waiter{one: one, since: since}
	}
	slices.SortStableFunc(list, func(a, b waiter) int { return a.since.Compare(b.since) })
	for i := range list {
		author, served, since := of(list[i].one)
		l, known := lines[author]
		if !known {
			l = Line{Author: author, Oldest: since, Served: served}
		}
		list[i].round = l.Waiting
		l.Waiting++
		lines[author] = l
	}
	slices.SortStableFunc(list, func(a, b waiter) int {
		mine, _, _ := of(a.one)
		other, _, _ := of(b.one)
		return cmp.Or(cmp.Compare(a.round, b.round), lines[mine].Compare(lines[other]))
	})
	for i := range list {
		all[i] = list[i].one
	}
}

// A Standing is where a run stands that waits for an agent, and why.
type Standing struct {
	Agent  AgentName `json:"agent"`
	Place  int       `json:"place"` // from 1, among those that wait for the agent
	Of     int       `json:"of"`
	AtWork int       `json:"at_work"`         // runs of the agent that have its process
	Limit  int       `json:"limit,omitempty"` // as many may; 0: any number
	Lacks  Lack      `json:"lacks,omitempty"` // what keeps it from beginning though the agent has a place free
}

// A Lack is what a run waits for beside a place at work. The empty one is none.
type Lack string

// The lacks.
const (
	LacksRunner Lack = "no runner"    // none that is here may take it
	LacksSlot   Lack = "no free slot" // those that may take it are full
)

// Meaning says it in a sentence, "" of none.
func (l Lack) Meaning() string {
	switch l {
	case LacksRunner:
		return "no runner is here that may take it"
	case LacksSlot:
		return "every runner that may take it has its slots taken"
	}
	return ""
}

// String says it in words, as in "3rd of 7 for agent coder: 2 of 2 runs are at
// work". Where the agent has a place free the run waits for a runner alone.
func (s Standing) String() string {
	text := fmt.Sprintf("%s of %d for agent %s", ordinal(s.Place), s.Of, s.Agent)
	if s.Limit == 0 {
		return text
	}
	is := "are"
	if s.Limit == 1 {
		is = "is"
	}
	return fmt.Sprintf("%s: %d of %s %s at work", text, s.AtWork, Count(s.Limit, "run"), is)
}

// Full says that the run waits for a run of the agent to end.
func (s Standing) Full() bool { return s.Limit > 0 && s.AtWork >= s.Limit }

// Waits says what the run lacks, or where it stands where that is worth a word: it
// is not alone, or waits for another run to end. "" otherwise, and of nil.
func (s *Standing) Waits() string {
	switch {
	case s == nil:
		return ""
	case s.Lacks != "":
		return "waiting, " + s.Lacks.Meaning()
	case !s.Full() && s.Of < 2:
		return ""
	}
	return "waiting, " + s.String()
}

// Short is Waits for a narrow place, as in "no runner" or "3rd of 7".
func (s *Standing) Short() string {
	switch {
	case s.Waits() == "":
		return ""
	case s.Lacks != "":
		return string(s.Lacks)
	}
	return fmt.Sprintf("%s of %d", ordinal(s.Place), s.Of)
}

func ordinal(n int) string {
	end := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		end = "st"
	case n%10 == 2:
		end = "nd"
	case n%10 == 3:
		end = "rd"
	}
	return strconv.Itoa(n) + end
}
