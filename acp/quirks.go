package acp

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
)

// A Fault is something an agent does otherwise than the protocol says, and
// that a client can work around if it knows.
type Fault string

// The faults that matter to a client. What is done about each stands with it.
const (
	// LoadAfterResponse: the replay comes after the answer to session/load.
	// The window stays open until the agent is quiet, however much was seen.
	LoadAfterResponse Fault = "load_after_response"
	// NoReplay: session/load restores and plays nothing back. The context is
	// unverified, not lost.
	NoReplay Fault = "no_replay"
	// LoadMinAge: a load in the UTC minute in which the session was begun or
	// last loaded destroys it. The load waits for the next minute.
	LoadMinAge Fault = "load_min_age"
	// LoadBroken: session/load is advertised and does not work; resume, where
	// there is one, is used in its place.
	LoadBroken Fault = "load_broken"
	// ResumeBroken: session/resume is advertised and does not work.
	ResumeBroken Fault = "resume_broken"
	// BrokenAfterCrash: a session whose process was killed cannot be loaded.
	BrokenAfterCrash Fault = "broken_after_crash"
	// UnknownLoads: session/load of an id that the agent does not have answers
	// as if it had. Only the replay tells.
	UnknownLoads Fault = "unknown_loads"
	// DeletesLoaded: at its start the agent deletes conversations that were
	// loaded before. The user is told what to set: no client can prevent it.
	DeletesLoaded Fault = "deletes_loaded"
	// CancelReasonLies: a cancelled turn ends with another stop reason. The
	// outcome is cancelled all the same, for every agent.
	CancelReasonLies Fault = "cancel_reason_lies"
	// NoCancel: session/cancel does nothing. The agent is killed without
	// waiting for the grace.
	NoCancel Fault = "no_cancel"
	// ShiftedByCancel: after a cancel each prompt is answered at once and its
	// output comes in the next turn. The agent is started anew after a cancel.
	ShiftedByCancel Fault = "shifted_by_cancel"
	// NeedsAuthenticate: authenticate must be called, even with a key in the
	// environment.
	NeedsAuthenticate Fault = "needs_authenticate"
	// MCPStdioIgnored: stdio MCP servers are taken and never started.
	MCPStdioIgnored Fault = "mcp_stdio_ignored"
	// IgnoresTERM and IgnoresEOF: so it does not exit. That step of the stop
	// is left out.
	IgnoresTERM Fault = "ignores_term"
	IgnoresEOF  Fault = "ignores_eof"
)

// Faults are the faults of one agent, each with how it shows.
type Faults map[Fault]string

// Has tells whether f is among them.
func (f Faults) Has(fault Fault) bool {
	_, ok := f[fault]
	return ok
}

// A Quirk is a fault that an agent was seen to have in a range of versions.
type Quirk struct {
	// Agent is agentInfo.name.
	Agent string
	// From is the first version with the fault, Before the first without it;
	// empty for no bound. A version that cannot be read is in every range.
	From, Before string
	Fault        Fault
	// Shows is what was seen.
	Shows string
}

// Covers tells whether the quirk is that of this agent.
func (q Quirk) Covers(name, version string) bool {
	if !strings.EqualFold(q.Agent, name) {
		return false
	}
	if q.From != "" && compareVersions(version, q.From) < 0 {
		return false
	}
	return q.Before == "" || version == "" || compareVersions(version, q.Before) < 0
}

// FaultsOf are the faults that the table knows of an agent. An agent that
// gives no version has the faults of all versions.
func FaultsOf(name, version string) Faults {
	faults := Faults{}
	for _, q := range Quirks {
		if q.Covers(name, version) {
			faults[q.Fault] = q.Shows
		}
	}
	return faults
}

// With is f corrected by a probe of the same agent on this machine: what the
// probe tried counts, whatever the table says.
func (f Faults) With(p Probe) Faults {
	all := maps.Clone(f)
	if all == nil {
		all = Faults{}
	}
	for _, tried := range p.Tried {
		delete(all, tried)
	}
	maps.Copy(all, p.Faults)
	return all
}

// compareVersions compares the numbers of two versions. One without a number
// is as new as any: -1 and 0 only come from what could be read.
func compareVersions(a, b string) int {
	if a == "" {
		return 0
	}
	as, bs := numbers(a), numbers(b)
	for i := range max(len(as), len(bs)) {
		if c := cmp.Compare(at(as, i), at(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func at(list []int, i int) int {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// numbers are the dotted numbers at the beginning of a version: v1.2.3-rc1 is
// 1, 2, 3.
func numbers(version string) []int {
	version = strings.TrimPrefix(version, "v")
	if end := strings.IndexAny(version, "-+ "); end >= 0 {
		version = version[:end]
	}
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		list = append(list, n)
	}
	return list
}
