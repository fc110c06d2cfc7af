package dashboard_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/store"

	"github.com/chromedp/chromedp"
)

// TestRunnersPage holds that an instance is shown with what matters about it:
// why it takes nothing, its labels and agents, and how far its clock is off.
func TestRunnersPage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r, _, err := d.control.NewRunner(t.Context(), "ann", "pool", map[string]string{"zone": "a"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.control.Hello(t.Context(), store.Instance{
		ID: "i", Runner: r.ID, Boot: "b", Machine: "m", Host: "big.example", OS: "linux", Arch: "arm64", Version: "v1",
		Slots: 4, Labels: map[string]string{"gpu": "yes"}, Agents: []string{"coder"},
		PausedWhy: "less than 1 GB is free", Ahead: -90 * time.Second,
	}); err != nil {
		t.Fatal(err)
	}
	text := d.page("/runners")
	for _, want := range []string{
		"big.example", "linux/arm64", "0 of 4", "less than 1 GB is free", "gpu=yes", "zone=a", "coder", "1m30s behind",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestBrowserRotate holds that a button gives a runner a new token, shown once,
// and that the page says how long the old one is good.
func TestBrowserRotate(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	if _, _, err := d.control.NewRunner(t.Context(), "ann", "desk", nil, false); err != nil {
		t.Fatal(err)
	}
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/runners"))
	d.js(ctx, `document.querySelector('form[action$="/rotate"] button').click()`)
	d.until(ctx, `document.querySelector("pre.copy")?.textContent.startsWith("blr_")
		&& document.body.innerText.includes("Its old token is good until")`)
	d.steps(ctx, chromedp.Navigate(d.server.URL+"/runners"))
	d.until(ctx, `document.body.innerText.includes("Its old token is good until") && !document.querySelector("pre.copy")`)
}
