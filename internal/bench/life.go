package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

const added = 60 // milliseconds that Blaise may add to a start or a resume

// life measures messages: the first, the one after a pause, and a warm one.
func life(ctx context.Context, o options) ([]row, error) {
	var rows []row
	for _, files := range []int{50, 20000} {
		repo := filepath.Join(o.tmp, fmt.Sprintf("repo%d", files))
		if err := newRepo(repo, files); err != nil {
			return nil, err
		}
		got, floor, err := lives(ctx, o, repo, fmt.Sprintf("dev%d", files))
		if err != nil {
			return nil, err
		}
		rows = append(rows, compare(files, got, floor)...)
	}
	return rows, nil
}

// samples are the times of three kinds of message.
type samples struct{ start, resume, warm []time.Duration }

func compare(files int, got, floor samples) []row {
	rows := []row{
		{
			name: fmt.Sprintf("first message to prompt, %d files, median", files),
			got:  median(got.start), floor: median(floor.start), limit: median(floor.start) + added, unit: "ms",
		},
		{
			name: fmt.Sprintf("message to a paused session to prompt, %d files, median", files),
			got:  median(got.resume), floor: median(floor.resume), limit: median(floor.resume) + added, unit: "ms",
		},
	}
	if files > 50 {
		return rows
	}
	return append(rows, row{
		name: "warm message to prompt, median",
		got:  median(got.warm), floor: median(floor.warm), limit: median(floor.warm) + 5, unit: "ms",
	})
}

// lives takes the samples of both in turns, so that what the machine does
// meanwhile meets both alike.
func lives(ctx context.Context, o options, repo, name string) (got, floor samples, err error) {
	sys, err := startDev(ctx, o, name, repo)
	if err != nil {
		return got, floor, err
	}
	defer sys.close()
	for i := range o.times + 1 {
		if err := floor.bare(ctx, o, repo, fmt.Sprintf("%s-bare-%d", name, i)); err != nil {
			return got, floor, err
		}
		if err := sys.once(ctx, &got, fmt.Sprintf("%s-%d", name, i)); err != nil {
			return got, floor, err
		}
		if i == 0 { // the first warms caches and is left out
			got, floor = samples{}, samples{}
		}
	}
	return got, floor, nil
}

// bare lives one session at the floor: start, a warm message, resume.
func (s *samples) bare(ctx context.Context, o options, repo, mark string) error {
	dir := filepath.Join(o.tmp, mark)
	took, b, err := bareStart(ctx, o, repo, dir, "start-"+mark)
	defer b.close()
	if err != nil {
		return err
	}
	s.start = append(s.start, took)
	if took, err = b.prompt(ctx, time.Now(), "warm-"+mark); err != nil {
		return err
	}
	s.warm = append(s.warm, took)
	b.close()
	took, c, err := bareResume(ctx, o, dir, b.session, "resume-"+mark)
	defer c.close()
	if err != nil {
		return err
	}
	s.resume = append(s.resume, took)
	return git(repo, "worktree", "remove", "--force", dir)
}

// once lives one session: start, a warm message, pause, resume, end.
func (s *system) once(ctx context.Context, all *samples, mark string) error {
	id, took, err := s.say(ctx, "", "start-"+mark)
	if err != nil {
		return err
	}
	all.start = append(all.start, took)
	if _, took, err = s.say(ctx, id, "warm-"+mark); err != nil {
		return err
	}
	all.warm = append(all.warm, took)
	if err := s.Pause(ctx, id, "bench"); err != nil {
		return err
	}
	if err := s.await(ctx, id, "paused"); err != nil {
		return err
	}
	if _, took, err = s.say(ctx, id, "resume-"+mark); err != nil {
		return err
	}
	all.resume = append(all.resume, took)
	if err := s.End(ctx, id, "bench"); err != nil {
		return err
	}
	return s.destroyed(ctx, id) // the next session is not to share the machine with this teardown
}
