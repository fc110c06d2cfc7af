// Package browser looks at Blaise's pages with a real Chromium, for tests and
// measures. It starts one, and does again what a page that was replaced
// meanwhile took along. It is no part of the product, and knows no page but the
// one that a sign-in link leads to.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// ErrNone is what Start answers where no Chromium is installed.
var ErrNone = errors.New("no chromium on this machine")

const (
	life     = 5 * time.Minute // of a browser: for a machine that does much else
	patience = 30 * time.Second
)

// Start starts a Chromium that reaches this machine alone, and answers its tab:
// what chromedp and the functions of this package are given. It is killed when
// ctx ends or when the caller closes it.
func Start(ctx context.Context) (tab context.Context, closes context.CancelFunc, err error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, nil, ErrNone
	}
	ctx, end := context.WithTimeout(ctx, life)
	ctx, kill := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))...)
	tab, leave := chromedp.NewContext(ctx)
	closes = func() { leave(); kill(); end() }
	if err := chromedp.Do(tab, chromedp.EmulateViewport(1280, 900)); err != nil {
		closes()
		return nil, nil, fmt.Errorf("start %s: %w", path, err)
	}
	return tab, closes, nil
}

// SignIn opens a sign-in link of Blaise, and returns when the list of sessions
// is shown.
func SignIn(tab context.Context, link string) error {
	if err := Do(tab, chromedp.Navigate(link)); err != nil {
		return fmt.Errorf("open the sign-in link: %w", err)
	}
	return Until(tab, `document.querySelector("h1")?.textContent === "Sessions"`)
}

// Do does one step after the other. A part of the page that is replaced between
// finding a node in it and touching it takes the node along, and a page that
// goes on to another takes all: before anything was done, so it is done again.
func Do(tab context.Context, steps ...chromedp.Action[chromedp.Void]) error {
	for _, step := range steps {
		err := again(tab, taken, func() error { return chromedp.Do(tab, step) })
		if err != nil {
			return err
		}
	}
	return nil
}

// Until waits until an expression of the page is true, whatever it is or
// throws while the page is not there yet. The error says what the page shows
// instead.
func Until(tab context.Context, expression string) error {
	err := again(tab, func(err error) bool { return !errors.Is(err, chromedp.ErrPollingTimeout) }, func() error {
		_, err := chromedp.Run(tab, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience)))
		return err
	})
	if err == nil {
		return nil
	}
	shown, _ := chromedp.Run(tab, chromedp.Evaluate[string](`location.pathname + "\n" + document.body.innerText`)) // "" of no page
	return fmt.Errorf("never: %s: %w\n%s", expression, err, shown)
}

// taken says that the node or the page of a step is no more: the protocol's
// error for it has no type.
func taken(err error) bool { return strings.Contains(err.Error(), "-32000") }

// again does it until it succeeds, fails in a way that is not worth another
// time, or patience ends.
func again(tab context.Context, worth func(error) bool, do func() error) error {
	for end := time.Now().Add(patience); ; {
		err := do()
		if err == nil || !worth(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-tab.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}
