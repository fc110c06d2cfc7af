package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/transcript"
)

// soon is for what goes on after the session has ended: its run says its last
// words, the daemon ships the rest and forgets.
const soon = time.Minute

// check looks at what a life that is over has left.
func (l *life) check(ctx context.Context) {
	var s api.Session
	var events []transcript.Event
	must := func(what string, ask func() error) {
		if err := eventually(ctx, soon, ask); err != nil {
			l.violates("%s: %v", what, err)
		}
	}
	must("what the runners keep", func() error { return l.kept() })
	must("processes", func() error { return l.processes() })
	must("records", func() (err error) {
		if s, err = l.show(ctx); err != nil {
			return err
		}
		return recordsClosed(s)
	})
	must("transcript", func() (err error) {
		events, err = l.transcript(ctx)
		return err
	})
	l.report(l.w.claims.check(l.id))
	l.report(l.alone())
	l.messages(s, events)
	l.report(gapless(events))
	l.gitLeft(ctx, s)
	l.outcome(s)
	l.w.f.count("runs", len(s.Runs))
	l.w.f.count("messages", len(s.Messages))
}

func (l *life) report(err error) {
	if err != nil {
		l.violates("%v", err)
	}
}

// kept: neither runner keeps anything of the session.
func (l *life) kept() error {
	for i := range l.w.runner {
		for _, pattern := range []string{"runs/*", "runs/.gone-*", "env/*", "environments/*"} {
			found, _ := filepath.Glob(filepath.Join(l.w.state(i), pattern))
			for _, path := range found {
				if strings.Contains(filepath.Base(path), string(l.id)) {
					return fmt.Errorf("runner%d still has %s", i, path)
				}
			}
		}
	}
	return nil
}

func (l *life) processes() error {
	if left := l.w.within(l.id); len(left) > 0 {
		return fmt.Errorf("still there: %v", left)
	}
	return nil
}

// alone: no agent has met another one in the environment.
func (l *life) alone() error {
	raw, err := os.ReadFile(l.w.at("locks", overlaps))
	if err != nil {
		return nil // nobody has met anybody
	}
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, " "+string(l.id)) {
			return fmt.Errorf("two agents in one environment: %s", line)
		}
	}
	return nil
}

// recordsClosed: of every run it is known whether its record is whole.
func recordsClosed(s api.Session) error {
	for _, r := range s.Runs {
		if r.State != blaise.RunEnded {
			return fmt.Errorf("run %s is %s", r.ID, r.State)
		}
		if r.AcceptedAt != nil && r.Record == "open" {
			return fmt.Errorf("the record of run %s (%s) is neither complete nor incomplete", r.ID, r.Outcome)
		}
	}
	return nil
}

func (l *life) transcript(ctx context.Context) ([]transcript.Event, error) {
	var all []transcript.Event
	err := l.w.people.Transcript(ctx, l.id, 0, func(e transcript.Event) error {
		all = append(all, e)
		return nil
	})
	return all, err
}

// gapless: nothing is missing in the transcript that is not said to be.
func gapless(events []transcript.Event) error {
	next := map[string]int64{}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			return fmt.Errorf("transcript: event %d has seq %d", i+1, e.Seq)
		}
		if e.N == 0 {
			continue // Blaise's own
		}
		if next[e.Run]++; e.N != next[e.Run] {
			return fmt.Errorf("transcript: of run %s event %d comes after %d", e.Run, e.N, next[e.Run]-1)
		}
	}
	return nil
}

// outcome: who fails has a reason, and enough has happened to it.
func (l *life) outcome(s api.Session) {
	l.w.f.count("outcome: "+string(s.Outcome), 1)
	if s.Outcome == blaise.OutcomeFailed && s.Reason == "" {
		l.violates("it failed and says no reason")
	}
	for _, r := range s.Runs {
		l.w.f.count("run outcome: "+string(r.Outcome), 1)
	}
	if s.Environment.Generation > 1 {
		l.w.f.count("environments made anew", s.Environment.Generation-1)
	}
}

// gitLeft: no worktree and no branch of the session, unless it has commits of
// its own; and all that was written, and answered, is saved.
func (l *life) gitLeft(ctx context.Context, s api.Session) {
	trees, err := l.w.git(ctx, "worktree", "list", "--porcelain")
	l.report(err)
	if strings.Contains(trees, string(l.id)) {
		l.violates("a worktree is left:\n%s", trees)
	}
	refs, err := l.w.git(ctx, "for-each-ref", "--format=%(refname) %(objectname)",
		"refs/heads/blaise/"+string(l.id)+"*", "refs/blaise/"+string(l.id))
	l.report(err)
	last := ""
	for ref := range strings.Lines(refs) {
		name, _, _ := strings.Cut(strings.TrimSpace(ref), " ")
		if own := strings.HasPrefix(name, "refs/heads/"); own {
			l.branch(ctx, name)
		} else if last == "" || saveNumber(name) > saveNumber(last) {
			last = name
		}
	}
	l.written(ctx, s, last)
}

// branch: it is left because it has commits that base has not.
func (l *life) branch(ctx context.Context, name string) {
	out, err := l.w.git(ctx, "rev-list", "--count", "main.."+name)
	l.report(err)
	if strings.TrimSpace(out) == "0" {
		l.violates("branch %s is left and has no commits of its own", name)
	}
}

func saveNumber(ref string) int {
	n := 0
	_, _ = fmt.Sscanf(ref[strings.LastIndexByte(ref, '/')+1:], "%d", &n) // 0 for no number
	return n
}

func (l *life) written(ctx context.Context, s api.Session, ref string) {
	for _, m := range l.sent {
		i := slices.IndexFunc(s.Messages, func(got api.Message) bool { return got.ID == m.id })
		if m.file == "" || i < 0 || !strings.Contains(s.Messages[i].Answer, "I wrote "+m.file) {
			continue
		}
		l.w.f.count("files written", 1)
		got, err := l.w.git(ctx, "show", ref+":"+m.file)
		if ref == "" || err != nil || got != m.mark {
			l.violates("file %s was written (%s) and is not in %q: %q, %v", m.file, m.id, ref, got, err)
		}
	}
}
