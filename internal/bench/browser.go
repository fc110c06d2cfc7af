package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"blaise.dev/blaise/internal/browser"

	"github.com/chromedp/chromedp"
)

// pages measures a long conversation in a browser: when its page is painted,
// what comes before the conversation, and how smoothly all of it is scrolled
// through. Beside it: the page of a session in which nothing was said.
func pages(ctx context.Context, o options) ([]row, error) {
	s, err := startServed(ctx, o, "pages", nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	long, err := s.converse(ctx, o, told)
	if err != nil {
		return nil, err
	}
	short, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	path, mute := "/sessions/"+string(long.session), "/sessions/"+string(short.session)
	rows, err := s.bodies(ctx, o, path, mute)
	if err != nil {
		return nil, err
	}
	more, err := s.painted(ctx, o, path, mute)
	if errors.Is(err, browser.ErrNone) {
		return rows, nil // what a browser makes of it is not measured
	}
	return append(rows, more...), err
}

// bodies measures the page as it is sent.
func (s *served) bodies(ctx context.Context, o options, path, mute string) ([]row, error) {
	body, err := s.page(ctx, path)
	if err != nil {
		return nil, err
	}
	before := bytes.Index(body, []byte(`id="items"`))
	if before < 0 || !bytes.Contains(body, []byte("words that come")) {
		return nil, fmt.Errorf("read %s: no conversation in it", path)
	}
	got, err := s.timedPage(ctx, o, path)
	if err != nil {
		return nil, err
	}
	floor, err := s.timedPage(ctx, o, mute)
	if err != nil {
		return nil, err
	}
	return []row{
		{name: "page of a session of 10,000 events, before the conversation", got: float64(before) / 1024, limit: 100, unit: "KB"},
		{name: "the same, all of it", got: float64(len(body)) / 1024, limit: 1024, unit: "KB"},
		{name: "the same, fetched, median; beside one without events", got: got, floor: floor, limit: 100, unit: "ms"},
	}, nil
}

// painted measures it in a browser.
func (s *served) painted(ctx context.Context, o options, path, mute string) ([]row, error) {
	ctx, closes, err := browser.Start(ctx)
	if err != nil {
		return nil, err
	}
	defer closes()
	link, err := s.LoginLink(ctx)
	if err != nil {
		return nil, err
	}
	if err := browser.SignIn(ctx, link.URL); err != nil {
		return nil, err
	}
	var paints, floor []time.Duration
	for range o.times {
		for path, all := range map[string]*[]time.Duration{path: &paints, mute: &floor} {
			took, err := s.paint(ctx, path)
			if err != nil {
				return nil, err
			}
			*all = append(*all, took)
		}
	}
	rows := []row{{
		name: "page of a session of 10,000 events, first painted, median; beside one without events",
		got:  median(paints), floor: median(floor), limit: 200, unit: "ms",
	}}
	more, err := s.scrolled(ctx, path)
	return append(rows, more...), err
}

// paint opens a page and answers when something of its content was painted.
func (s *served) paint(ctx context.Context, path string) (time.Duration, error) {
	if err := chromedp.Do(ctx, chromedp.Navigate(s.dev.URL+path)); err != nil {
		return 0, fmt.Errorf("open %s: %w", path, err)
	}
	ms, err := script[float64](ctx, `(async () => {
		for (;;) {
			const p = performance.getEntriesByName("first-contentful-paint")[0];
			if (p) return p.startTime;
			await new Promise((r) => setTimeout(r, 10));
		}
	})()`)
	return time.Duration(ms * float64(time.Millisecond)), err
}

// scrolled reads back to the beginning, scrolls through all of it, and answers
// how long the slowest frames took.
func (s *served) scrolled(ctx context.Context, path string) ([]row, error) {
	if err := chromedp.Do(ctx, chromedp.Navigate(s.dev.URL+path)); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	items, err := script[float64](ctx, `(async () => {
		for (let more; (more = document.querySelector("[data-earlier]"));) {
			more.click();
			while (more.isConnected) await new Promise((r) => setTimeout(r, 5));
		}
		return document.querySelectorAll("#items .item").length;
	})()`)
	if err != nil || items < told/20 {
		return nil, fmt.Errorf("read back: %.0f items: %w", items, err)
	}
	frames := func(px int) ([]time.Duration, error) {
		ms, err := script[[]float64](ctx, strings.ReplaceAll(`(async () => {
			const all = [];
			const frame = () => new Promise(requestAnimationFrame);
			window.scrollTo(0, 0);
			await frame();
			let last = await frame();
			for (let n = 0; n < 300; n++) {
				window.scrollBy(0, PX);
				const now = await frame();
				all.push(now - last);
				last = now;
			}
			return all;
		})()`, "PX", fmt.Sprint(px)))
		var all []time.Duration
		for _, v := range ms {
			all = append(all, time.Duration(v*float64(time.Millisecond)))
		}
		return all, err
	}
	floor, err := frames(0)
	if err != nil {
		return nil, err
	}
	got, err := frames(400)
	return []row{{
		name: "frame of a quick scroll through 10,000 events, p95; beside one that stands",
		got:  quantile(got, 0.95), floor: quantile(floor, 0.95), limit: 34, unit: "ms",
	}}, err
}

// script runs one in the page and answers what it promises.
func script[T any](ctx context.Context, js string) (T, error) {
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		err = fmt.Errorf("run script: %w", err)
	}
	return v, err
}
