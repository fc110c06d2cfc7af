package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/browser"

	"github.com/chromedp/chromedp"
)

// A surfer is a person at a real browser, who looks at the built Blaise.
type surfer struct {
	lab
	ctx context.Context
}

// surf opens a browser and signs it in by the link of `blaise open`.
func (b lab) surf() surfer {
	b.t.Helper()
	s := b.window()
	if err := browser.SignIn(s.ctx, strings.TrimSpace(b.run("open", "--print"))); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// window opens a browser that nobody is signed in with. Without chromium the
// test is skipped.
func (b lab) window() surfer {
	b.t.Helper()
	tab, closes, err := browser.Start(b.t.Context())
	if errors.Is(err, browser.ErrNone) {
		b.t.Skipf("the programs are not tried in a browser: %v", err)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(closes)
	return surfer{b, tab}
}

// visit goes to an address, or to a path of Blaise.
func (s surfer) visit(where string) {
	s.t.Helper()
	if strings.HasPrefix(where, "/") {
		where = s.url() + where
	}
	if err := browser.Do(s.ctx, chromedp.Navigate(where)); err != nil {
		s.t.Fatalf("visit %s: %v", where, err)
	}
}

// holds waits until an expression of the page is true.
func (s surfer) holds(expression string) {
	s.t.Helper()
	if err := browser.Until(s.ctx, expression); err != nil {
		s.t.Fatal(err)
	}
}

// see waits until an element has words.
func (s surfer) see(selector, words string) {
	s.t.Helper()
	s.holds(fmt.Sprintf(`document.querySelector(%q)?.textContent.includes(%q) ?? false`, selector, words))
}

// press waits for a button and presses it, once. What it is folded into is opened.
func (s surfer) press(selector string) {
	s.t.Helper()
	s.holds(fmt.Sprintf(`(() => { const b = document.querySelector(%q); if (!b || b.disabled) return false;
		for (let d = b.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
		b.focus(); b.click(); return true; })()`, selector))
}

// write puts a text into a field as a person does who types.
func (s surfer) write(selector, text string) {
	s.t.Helper()
	s.holds(fmt.Sprintf(`(() => { const f = document.querySelector(%q); if (!f) return false;
		f.value = %q; f.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`, selector, text))
}

func (s surfer) deed(name string) { s.t.Helper(); s.press(`form[action$="/act/` + name + `"] button`) }

func (s surfer) say(text string) {
	s.t.Helper()
	s.write("#text", text)
	s.press("#say button.primary")
}

// begin begins a session on the page for it.
func (s surfer) begin(text string) blaise.SessionID {
	s.t.Helper()
	s.visit("/new?agent=coder")
	s.write(`textarea[name="text"]`, text)
	s.press(`form[action="/new"] button.primary`)
	return s.at()
}

// at is the session whose page is looked at, or is about to be.
func (s surfer) at() blaise.SessionID {
	s.t.Helper()
	s.holds(`location.pathname.startsWith("/sessions/")`)
	path, err := chromedp.Run(s.ctx, chromedp.Evaluate[string](`location.pathname`))
	if err != nil {
		s.t.Fatal(err)
	}
	return blaise.SessionID(strings.TrimPrefix(path, "/sessions/"))
}

// The life of a session by the buttons of its page alone: begun, asked, queued
// behind, withdrawn, cancelled, paused, woken, held, ended, gone on from, deleted.
func TestBrowser_LifeOfASession(t *testing.T) {
	b := newLab(t, "{}")
	s := b.surf()
	id := s.begin("write notes.txt kept by the page")
	s.see(".card.ask .what", "notes.txt")
	s.holds(`document.title.startsWith("(1)")`)
	s.press(".card.ask button.allow_once")
	b.answered(id, 1)
	s.holds(`document.title.startsWith("(1)") === false && !document.querySelector(".card.ask")`)

	s.say("sleep 100")
	s.see("#head", "working")
	s.say("never heard")
	s.write("#text", "not sent yet") // also while the other is under way
	s.see("#queue", "never heard")
	s.holds(`document.querySelector("#text").value === "not sent yet" && !document.querySelector("#say button").disabled`)
	s.press("#queue button")
	b.message(id, 3, blaise.MessageWithdrawn)
	s.deed("cancel")
	b.message(id, 2, blaise.MessageCancelled)

	s.deed("pause")
	b.environment(id, blaise.EnvPaused)
	s.see("#head", "paused")
	s.say("recall")
	s.see("#items li", "write notes.txt kept by the page")
	b.answered(id, 4)

	s.press(`#head a[href$="/changes"]`)
	s.see("#main", "kept by the page")
	s.visit("/sessions/" + string(id))
	s.press(`#head a[href$="/history"]`)
	s.see("#main", "pause")

	s.visit("/sessions/" + string(id))
	s.deed("hold")
	s.see("#head", "held")
	s.deed("release")
	s.holds(`!document.querySelector("#head .held")`)
	s.deed("end")
	b.environment(id, blaise.EnvDestroyed)
	s.press(`#queue a[href*="from="]`)
	s.write(`textarea[name="text"]`, "hello")
	s.press(`form[action="/new"] button.primary`)
	s.see("#items", "Hello!")

	after := s.at()
	s.visit("/sessions/" + string(id))
	s.press(`form[action$="/act/delete"] input[name="sure"]`)
	s.deed("delete")
	s.see("#errors", string(after)+" goes on from its saved work")
	s.visit("/sessions/" + string(after))
	s.deed("end")
	b.environment(after, blaise.EnvDestroyed)
	s.visit("/sessions/" + string(id))
	s.press(`form[action$="/act/delete"] input[name="sure"]`)
	s.deed("delete")
	s.holds(`location.pathname === "/"`)
	b.fails(3, "show", string(id))
}

// A teardown that fails, by the buttons of its page (A19).
func TestBrowser_OrphanedEnvironment(t *testing.T) {
	b := newBusyLab(t, "{policy: {teardownRetry: []}}")
	s := b.surf()
	id := s.begin("hello")
	s.see("#items", "Hello!")
	s.deed("end")
	b.environment(id, blaise.EnvOrphaned)
	s.visit("/")
	s.see("#list .left", "the database is in use")
	s.press(`#list .left a[href="/sessions/` + string(id) + `"]`)
	s.deed("retry-teardown")
	b.runState(id, 2, blaise.RunEnded)
	b.environment(id, blaise.EnvOrphaned)
	s.deed("mark-destroyed")
	s.holds(`document.querySelector('form[action$="/act/mark-destroyed"] input[name="reason"]:invalid') !== null`)
	s.write(`form[action$="/act/mark-destroyed"] input[name="reason"]`, "looked, and removed it")
	s.deed("mark-destroyed")
	b.environment(id, blaise.EnvDestroyed)
	s.see("#side", "destroyed")
}

// What administrators do on the pages: agents, runners, webhooks, the record.
func TestBrowser_Administration(t *testing.T) {
	b := newLab(t, "{}")
	s := b.surf()
	s.visit("/agents")
	s.write(`textarea[name="manifest"]`, "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: second}\nspec: {}\n")
	s.press(`form[action="/agents"] button[name="dry"]`)
	s.see("[role=status].foreseen", "nothing is written yet")
	s.press(`form[action="/agents"] button.primary`)
	s.see("[role=status].good", "created")
	s.visit("/agents/second")
	s.write(`input[name$="idle.after"]`, "7m")
	s.press(`form[action$="/policy"] button.primary`)
	s.see("[role=status].good", "revision 2")
	for _, state := range []string{"disabled", "archived", "enabled"} {
		s.press(`form[action="/agents/second/state"]:has(input[value="` + state + `"]) button`)
		s.see("h1 .state", state)
	}

	s.visit("/runners")
	s.see("table", "online")
	s.write(`form[action="/runners"] input[name="name"]`, "spare")
	s.press(`form[action="/runners"] button.primary`)
	s.see(".good", "The token of spare")
	spare := `section:has(h2 bdi) form[action$="%s"] button`
	s.holds(`[...document.querySelectorAll("h2 bdi")].some((e) => e.textContent === "spare")`)
	s.press(fmt.Sprintf(spare, "/rotate"))
	s.see(".good", "The token of")
	s.press(fmt.Sprintf(spare, "/revoke"))
	s.see(".state.failed", "revoked")

	s.visit("/webhooks")
	s.write(`input[name="url"]`, "https://example.org/hook")
	s.press(`form[action="/webhooks"] input[name="event"]`)
	s.press(`form[action="/webhooks"] button.primary`)
	s.see(".good pre", "whsec_")
	s.press(`a.row[href^="/webhooks/"]`)
	s.press(`form[action$="/delete"] button`)
	s.see("#main", "There is no webhook yet")

	s.visit("/audit")
	s.see("#main", "second")
	s.see("#main", "spare")
	s.press(`form[action="/logout"] button`)
	s.holds(`location.pathname !== "/audit"`)
	s.visit("/agents")
	s.holds(`!document.querySelector("h1")?.textContent.includes("Agents")`)
}
