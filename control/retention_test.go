package control_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// How long ended sessions are kept is the agent's own setting where its manifest
// has one, and Blaise's else; a dry run says what goes, and the audit why.
func TestRetentionOfAnAgent(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	ended := func() blaise.SessionID {
		t.Helper()
		id := h.start("a plan")
		if err := h.act(blaise.EventEndAsked, id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	apply := func(retain string, dry bool) control.Applied {
		t.Helper()
		m, err := control.ParseManifest([]byte(strings.Replace(manifest, "spec: {}", "spec: {policy: {retain: "+retain+"}}", 1)))
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.ApplyAgent(t.Context(), "ann", m, dry)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	one := ended()
	apply("never", false)
	if err := h.DeleteOld(t.Context(), time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	h.want(one, blaise.SessionEnded, blaise.EnvNone)

	foreseen := strings.Join(apply("1ns", true).Effects, "\n")
	if want := "1 session would be deleted within 10m0s, as they ended more than 1ns ago: " + string(one); !strings.Contains(foreseen, want) {
		t.Errorf("foreseen: %q, want %q", foreseen, want)
	}
	h.want(one, blaise.SessionEnded, blaise.EnvNone)

	apply("1ns", false)
	if err := h.DeleteOld(t.Context(), 0); err != nil { // Blaise itself keeps all
		t.Fatal(err)
	}
	lines, err := h.Audits(t.Context(), store.AuditFilter{Limit: 9})
	if err != nil || !strings.Contains(lines[0].Detail, "policy.retain of agent demo") || lines[0].Thing != string(one) {
		t.Errorf("audit: %+v, %v", lines, err)
	}
	if _, err := control.ParseManifest([]byte(strings.Replace(manifest, "spec: {}", "spec: {policy: {retain: soon}}", 1))); err == nil {
		t.Error("a retention that is no duration was taken")
	}
}
