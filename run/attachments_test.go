package run_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/transcript"
)

// R18, A23: what came with a message is fitted to what the agent takes, told
// where it is left out, and sent with each repeat of the message; one that is
// not to be had fails the message and no other.
func TestR18Attachments(t *testing.T) {
	t.Parallel()
	h, c := newHouse(t), newControl(t)
	done := h.begin(t.Context(), c, apitest.Lease(blaise.RunStart, 1))
	c.Report(blaise.EventOpened)
	files := []blaise.Attachment{
		c.Attach("a.png", "image/png", "picture"), c.Attach("b.txt", "text/plain", "words"),
		c.Attach("c.wav", "audio/wav", "sound"), {Name: "d", URL: "https://example.org/d"},
	}
	send := func(n int, repeat bool, files ...blaise.Attachment) {
		d := blaise.Directive{
			Kind: blaise.DirectivePrompt, Message: blaise.SessionID("stestone").Message(n), Text: "attachments",
			Attachments: files,
		}
		if repeat {
			d.GoOn, d.Repeat = true, 1
		}
		c.Tell(d)
	}
	send(1, false, files...)
	got := c.answered(1, blaise.MessageAnswered).Text
	for _, want := range []string{"image image/png", "resource attachment:///b.txt text/plain, 5 bytes", "link d to", "3 attachments"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	c.Event("notice of what is left out", func(e transcript.Event) bool {
		return e.Kind == transcript.KindNotice && strings.Contains(string(e.Data), "c.wav") && e.Turn == "stestone.m1"
	})
	said := c.Event("message", func(e transcript.Event) bool { return e.Kind == transcript.KindMessage })
	for _, want := range []string{`"sent":"image"`, `"sent":"resource"`, `"sent":"left out"`, `"sent":"link"`} {
		if !strings.Contains(string(said.Data), want) {
			t.Errorf("no %s in %s", want, said.Data)
		}
	}
	send(2, true, files...)
	if got := c.answered(2, blaise.MessageAnswered).Text; !strings.Contains(got, "3 attachments") {
		t.Errorf("repeated: %q", got)
	}
	send(3, false, blaise.Attachment{Name: "gone.txt", Type: "text/plain", SHA256: strings.Repeat("0", 64)})
	if rep := c.answered(3, blaise.MessageFailed); !strings.Contains(rep.Reason, `attachment "gone.txt" cannot be read`) {
		t.Errorf("the reason is %q", rep.Reason)
	}
	send(4, false)
	c.answered(4, blaise.MessageAnswered)
	c.Stop(true)
	if err := done(); err != nil {
		t.Error(err)
	}
}
