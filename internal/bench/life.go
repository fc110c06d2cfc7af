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
		floor, err := lifeFloor(ctx, o, repo)
		if err != nil {
			return nil, err
		}
		got, err := lifeSystem(ctx, o, repo, fmt.Sprintf("dev%d", files))
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

func lifeFloor(ctx context.Context, o options, repo string) (samples, error) {
	var s samples
	for i := range o.times {
		dir := filepath.Join(o.tmp, fmt.Sprintf("bare-%s-%d", filepath.Base(repo), i))
		took, b, err := bareStart(ctx, o, repo, dir, fmt.Sprintf("bare-start-%s-%d", filepath.Base(repo), i))
		if err != nil {
			return s, err
		}
		s.start = append(s.start, took)
		warm, err := b.prompt(ctx, time.Now(), fmt.Sprintf("bare-warm-%s-%d", filepath.Base(repo), i))
		if err != nil {
			return s, err
		}
		s.warm = append(s.warm, warm)
		b.close()
		took, c, err := bareResume(ctx, o, dir, b.session, fmt.Sprintf("bare-resume-%s-%d", filepath.Base(repo), i))
		if err != nil {
			return s, err
		}
		s.resume = append(s.resume, took)
		c.close()
		if err := git(repo, "worktree", "remove", "--force", dir); err != nil {
			return s, err
		}
	}
	return s, nil
}

func lifeSystem(ctx context.Context, o options, repo, name string) (samples, error) {
	var s samples
	sys, err := startDev(ctx, o, name, repo)
	if err != nil {
		return s, err
	}
	defer sys.close()
	for i := range o.times + 1 { // the first warms caches and is left out
		if err := sys.once(ctx, &s, fmt.Sprintf("%s-%d", name, i)); err != nil {
			return s, err
		}
		if i == 0 {
			s = samples{}
		}
	}
	return s, nil
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
	return s.End(ctx, id, "bench")
}
