package api

import (
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// Connected answers POST /api/run/connect, a run's first call: the directives
// it has not received.
type Connected struct {
	Directives []blaise.Directive `json:"directives"`
	Time       time.Time          `json:"time"`
}

// Beat is a heartbeat: POST /api/run/beat.
type Beat struct {
	Spooled int64 `json:"spooled"`        // entries on disk that are not acknowledged
	Held    bool  `json:"held,omitempty"` // the agent is slowed down for want of space
}

// Beaten answers a heartbeat. Directive is the highest number there is, so
// that a run whose stream is stuck knows it.
type Beaten struct {
	Directive int64     `json:"directive"`
	Time      time.Time `json:"time"`
}

// Directives answers GET /api/run/directives?after=&wait=, the polling form of
// the stream /api/run/directives/stream, whose events carry it too: all directives not received with a number above after, and the
// numbers of those taken back.
type Directives struct {
	Directives []blaise.Directive `json:"directives"`
	Void       []int64            `json:"void,omitempty"`
}

// Received answers POST /api/run/directives/{n}/received: whether the
// directive binds. A void one is to be forgotten.
type Received struct {
	Verdict blaise.Verdict `json:"verdict"`
}

// Outbox takes a part of the run's spool: POST /api/run/outbox, answered with
// a transcript.Receipt. Entries are gapless and may have been sent before.
type Outbox struct {
	Entries []transcript.Entry `json:"entries"`
}

// A Report is an entry of the spool that is no event: what happened to the
// run, its environment, its turn. Which fields count follows from Event.
type Report struct {
	Event        blaise.EventKind     `json:"event"`
	At           time.Time            `json:"at"`
	Reason       string               `json:"reason,omitempty"`
	Plugs        []blaise.PlugRecord  `json:"plugs,omitempty"`
	Conversation *blaise.Conversation `json:"conversation,omitempty"`
	Context      blaise.ContextState  `json:"context,omitempty"`
	Message      blaise.MessageID     `json:"message,omitempty"`
	Result       blaise.MessageState  `json:"result,omitempty"`
	StopReason   string               `json:"stopReason,omitempty"`
	Text         string               `json:"text,omitempty"`
	Question     *blaise.Question     `json:"question,omitempty"`
	Saved        *blaise.SavedWork    `json:"saved,omitempty"`
	Clean        bool                 `json:"clean,omitempty"`
	Resource     *blaise.Resource     `json:"resource,omitempty"`
	Plug         string               `json:"plug,omitempty"`  // of a state save
	State        []byte               `json:"state,omitempty"` // nil forgets
	Config       []byte               `json:"config,omitempty"`
	Count        int64                `json:"count,omitempty"`  // the last report: events recorded
	Digest       string               `json:"digest,omitempty"` // the last report: over all of them
	Chosen       bool                 `json:"chosen,omitempty"` // refused: for what the session was begun with, as its inputs
	Usage        *blaise.Usage        `json:"usage,omitempty"`  // of a turn that ended
	Status       *blaise.AgentStatus  `json:"status,omitempty"`
	Set          map[string]string    `json:"set,omitempty"` // conversation: the choices of people it has taken
}

// EventStateSaved, EventConfigKept and EventStatusTold are reports that Blaise
// keeps without a decision: a plug's state, the blaise.yml an environment was
// opened with, and what the agent says of its session.
const (
	EventStateSaved blaise.EventKind = "state_saved"
	EventConfigKept blaise.EventKind = "config_kept"
	EventStatusTold blaise.EventKind = "agent_status"
)

// An Answer is what Blaise says to a report. A refused report carries Error;
// the run then stops as Code says.
type Answer struct {
	Verdict blaise.Verdict `json:"verdict,omitempty"`
	Code    blaise.Code    `json:"code,omitempty"`
	Error   string         `json:"error,omitempty"`
	Hint    string         `json:"hint,omitempty"`
}

// Claimed answers POST /api/run/messages/{message}/claim: the message is
// delivered, write its prompt now (X1).
type Claimed struct {
	Turn    int `json:"turn"`
	Repeats int `json:"repeats"`
}

// PlugState answers GET /api/run/plugs/{plug}/state: what the plug saved last in
// this environment, nil for nothing.
type PlugState struct {
	State []byte `json:"state"`
}
