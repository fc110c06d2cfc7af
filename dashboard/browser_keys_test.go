package dashboard_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserKeys holds that sessions are found, chosen and opened by keys
// alone, and that the keys are told.
func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := d.browser()
	for n := range 3 {
		d.begin(fmt.Sprintf("task %d", n))
	}
	d.until(ctx, `document.querySelectorAll(".row").length === 3`)
	press := func(keys string) { d.steps(ctx, chromedp.KeyEvent(keys)) }
	press("jj")
	d.until(ctx, `document.activeElement === document.querySelectorAll(".row")[1]`)
	press("k")
	d.until(ctx, `document.activeElement === document.querySelectorAll(".row")[0]`)
	press("?")
	d.until(ctx, `document.querySelector("#keys").open`)
	d.steps(ctx, chromedp.Click(chromedp.CSS("#keys button")))
	d.until(ctx, `!document.querySelector("#keys").open`)
	press("/")
	d.until(ctx, `document.activeElement.type === "search"`)
	// The driver sends a key and its letter apart: the page cannot withhold the letter.
	d.until(ctx, `(document.activeElement.value = "", true)`)
	press("task 1")
	d.until(ctx, `document.activeElement.value === "task 1"`)
	press("\r")
	d.until(ctx, `document.readyState === "complete" && location.search.includes("task") && document.querySelectorAll(".row").length === 1`)
	press("j")
	d.until(ctx, `document.activeElement === document.querySelector(".row")`)
	press("\r")
	d.until(ctx, `document.readyState === "complete" && !!document.querySelector("[data-session]")`)
	press("/")
	d.until(ctx, `document.activeElement.id === "text"`)
}
