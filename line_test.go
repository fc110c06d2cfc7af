package blaise_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
)

// One person's fifty do not come before another's one: the first of every line
// is served, then the second of every line; who was served longest ago goes first.
func TestConcurrency_LinesAreServedRoundRobin(t *testing.T) {
	t.Parallel()
	type run struct {
		name          string
		served, since int
	}
	for want, all := range map[string][]run{
		"a1 b1 a2 a3":       {{"a1", 0, 1}, {"a2", 0, 2}, {"a3", 0, 3}, {"b1", 0, 4}},
		"b1 a1 a2":          {{"a1", 9, 1}, {"a2", 9, 2}, {"b1", 5, 3}},
		"c1 b1 a1 b2 a2 a3": {{"a3", 7, 9}, {"a1", 7, 1}, {"b2", 6, 8}, {"b1", 6, 7}, {"a2", 7, 2}, {"c1", 0, 10}},
		"":                  nil,
	} {
		rand := slices.Clone(all)
		slices.Reverse(rand)
		for _, list := range [][]run{all, rand} {
			blaise.RoundRobin(list, func(r run) (string, time.Time, time.Time) {
				return r.name[:1], second(r.served), second(r.since)
			})
			var got []string
			for _, r := range list {
				got = append(got, r.name)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("served %v, want %s", got, want)
			}
		}
	}
}

func second(n int) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(int64(n), 0)
}

// Where a run is told to stand is where it is served.
func TestConcurrency_ThePlaceToldIsThePlaceServed(t *testing.T) {
	t.Parallel()
	type run struct {
		author string
		since  int
	}
	served := map[string]int{"a": 3, "b": 0, "c": 8, "d": 3}
	var all []run
	lines := map[string]blaise.Line{}
	for i, author := range strings.Split("caabadacadcbaa", "") {
		all = append(all, run{author, i + 1})
		l, known := lines[author]
		if !known {
			l = blaise.Line{Author: author, Oldest: second(i + 1), Served: second(served[author])}
		}
		l.Waiting++
		lines[author] = l
	}
	var list []blaise.Line
	for _, l := range lines {
		list = append(list, l)
	}
	blaise.RoundRobin(all, func(r run) (string, time.Time, time.Time) {
		return r.author, second(served[r.author]), second(r.since)
	})
	ahead := map[string]int{}
	for i, r := range all {
		if place, of := blaise.Place(list, r.author, ahead[r.author]); place != i+1 || of != len(all) {
			t.Errorf("run %d of %s is served as number %d of %d, and told %d of %d", ahead[r.author], r.author, i+1, len(all), place, of)
		}
		ahead[r.author]++
	}
	if place, of := blaise.Place(list, "nobody", 0); place != 0 || of != 0 {
		t.Errorf("who does not wait is told %d of %d", place, of)
	}
}

func TestConcurrency_StandingInWords(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]blaise.Standing{
		"3rd of 7 for agent x: 2 of 2 runs are at work": {Agent: "x", Place: 3, Of: 7, AtWork: 2, Limit: 2},
		"1st of 1 for agent x: 1 of 1 run is at work":   {Agent: "x", Place: 1, Of: 1, AtWork: 1, Limit: 1},
		"12th of 22 for agent x":                        {Agent: "x", Place: 12, Of: 22, AtWork: 5},
	} {
		if got := fmt.Sprint(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, s := range map[string]*blaise.Standing{
		"|": {Place: 1, Of: 1},
		"no runner|waiting, no runner is here that may take it":                   {Place: 1, Of: 1, Lacks: blaise.LacksRunner},
		"no free slot|waiting, every runner that may take it has its slots taken": {Place: 2, Of: 3, Lacks: blaise.LacksSlot},
		"1st of 1|waiting, 1st of 1 for agent x: 1 of 1 run is at work":           {Agent: "x", Place: 1, Of: 1, AtWork: 1, Limit: 1},
	} {
		if got := s.Short() + "|" + s.Waits(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
