package api

import (
	"encoding/json"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// A Session is what `blaise session show ID --json` prints and GET
// /api/sessions/{id} answers. Its names are a contract (SPEC, Surfaces).
type Session struct {
	ID          blaise.SessionID    `json:"id"`
	Agent       blaise.AgentName    `json:"agent"`
	State       blaise.SessionState `json:"state"`
	Held        bool                `json:"held"`
	Outcome     blaise.Outcome      `json:"outcome"`
	Reason      string              `json:"reason"`
	Title       string              `json:"title"`
	Author      string              `json:"author"`
	Repo        string              `json:"repo"`
	Context     blaise.ContextState `json:"context"`
	Runner      blaise.RunnerID     `json:"runner"`
	Inputs      map[string]string   `json:"inputs,omitempty"`
	CreatedAt   time.Time           `json:"created_at"`
	EndedAt     *time.Time          `json:"ended_at"`
	Queue       *blaise.Standing    `json:"queue,omitempty"` // where its run stands that waits for the agent
	Environment Environment         `json:"environment"`
	Runs        []Run               `json:"runs"`
	Messages    []Message           `json:"messages"`
	Waits       []Wait              `json:"waits"`
	Clocks      []Clock             `json:"clocks"`
	Saves       []blaise.SavedWork  `json:"saves"`
	Budget      Budget              `json:"budget"`
	Usage       blaise.Usage        `json:"usage"`
	Settings    []blaise.Setting    `json:"settings"`
	Wanted      map[string]string   `json:"wanted,omitempty"` // settings chosen that the agent has not taken yet
	Commands    []blaise.Command    `json:"commands"`
	Plan        []blaise.PlanStep   `json:"plan"` // the latest
}

// Over says that the session has ended, and that nothing more happens to its
// environment by itself.
func (s Session) Over() bool { return s.State == blaise.SessionEnded && s.Environment.State.Rests() }

// An Environment is the environment in a Session.
type Environment struct {
	ID             blaise.EnvironmentID    `json:"id"`
	State          blaise.EnvironmentState `json:"state"`
	Meaning        string                  `json:"meaning"`
	Generation     int                     `json:"generation"`
	DeadlineAt     *time.Time              `json:"deadline_at"`
	DeadlineReason string                  `json:"deadline_reason"`
	LastError      string                  `json:"last_error"`
	LeftBehind     string                  `json:"left_behind,omitempty"`  // why a person must see to what is left
	LeftEarlier    []blaise.EnvironmentID  `json:"left_earlier,omitempty"` // earlier ones, of which the same holds
	Plugs          []Plug                  `json:"plugs"`
}

// A Plug is one plug of an Environment and what it holds.
type Plug struct {
	ID         string            `json:"id"`
	Use        string            `json:"use"`
	State      string            `json:"state"` // opened, closed, unowned
	Resumable  bool              `json:"resumable"`
	Why        string            `json:"why,omitempty"`
	Reach      blaise.Reach      `json:"reach"`
	Machine    blaise.MachineID  `json:"machine"`
	Resources  []blaise.Resource `json:"resources"`
	StateSaved bool              `json:"state_saved"`
}

// A Run is one run of a Session.
type Run struct {
	ID         blaise.RunID      `json:"id"`
	Kind       blaise.RunKind    `json:"kind"`
	Attempt    int               `json:"attempt"`
	State      blaise.RunState   `json:"state"`
	Outcome    blaise.RunOutcome `json:"outcome"`
	Reason     string            `json:"reason"`
	Runner     blaise.RunnerID   `json:"runner"`
	Instance   blaise.InstanceID `json:"instance"`
	AcceptedAt *time.Time        `json:"accepted_at"`
	EndedAt    *time.Time        `json:"ended_at"`
	Record     string            `json:"record"` // complete, open, incomplete: N missing
}

// A Message is one message of a Session.
type Message struct {
	ID          blaise.MessageID    `json:"id"`
	Author      string              `json:"author"`
	State       blaise.MessageState `json:"state"`
	Text        string              `json:"text"`
	Attachments []blaise.Attachment `json:"attachments,omitempty"` // files: GET /api/sessions/{id}/files/{sha256}
	Answer      string              `json:"answer"`
	Run         blaise.RunID        `json:"run"`
	Turn        int                 `json:"turn"`
	Usage       blaise.Usage        `json:"usage,omitzero"`
	Reason      string              `json:"reason"`
	Repeats     int                 `json:"repeats"`
	Cut         bool                `json:"cut,omitempty"` // Text or Answer is not whole
	QueuedAt    time.Time           `json:"queued_at"`
	DeliveredAt *time.Time          `json:"delivered_at"`
	AnsweredAt  *time.Time          `json:"answered_at"`
}

// Why is the reason of the message's state in words: that of one which its
// session's end took is a mark for programs. "" if there is none.
func (m Message) Why() string {
	if m.Reason == blaise.ReasonSessionEnded {
		return "the session ended"
	}
	return m.Reason
}

// A Wait is something a person must do before a Session goes on.
type Wait struct {
	ID           blaise.QuestionID `json:"id"`
	Kind         string            `json:"kind"`
	What         string            `json:"what"`
	Detail       json.RawMessage   `json:"detail,omitempty"`
	Options      []blaise.Option   `json:"options"`
	Rule         string            `json:"rule,omitempty"` // of the gate, that put it to a person
	WhoCanAnswer []string          `json:"who_can_answer"`
	Since        time.Time         `json:"since"`
	ExpiresAt    *time.Time        `json:"expires_at"`
}

// A Clock is one clock that runs for a Session.
type Clock struct {
	Kind    blaise.ClockKind `json:"kind"`
	DueAt   time.Time        `json:"due_at"`
	Setting string           `json:"setting"`
	Then    string           `json:"then"`
	// LeftSeconds is what is left of it when a session that is held is released:
	// until then it stands still, and DueAt says nothing. Nil while it runs.
	LeftSeconds *int64 `json:"left_seconds,omitempty"`
}

// Left is how long the clock has until it fires; stands says that it does not
// run, for the session is held.
func (c Clock) Left(now time.Time) (left time.Duration, stands bool) {
	if c.LeftSeconds != nil {
		return time.Duration(*c.LeftSeconds) * time.Second, true
	}
	return c.DueAt.Sub(now), false
}

// A Summary is one line of `blaise list`.
type Summary struct {
	ID          blaise.SessionID        `json:"id"`
	Agent       blaise.AgentName        `json:"agent"`
	State       blaise.SessionState     `json:"state"`
	Held        bool                    `json:"held"`
	Outcome     blaise.Outcome          `json:"outcome"`
	Reason      string                  `json:"reason"`
	Blocked     string                  `json:"blocked,omitempty"` // queued: why no run is offered, until a person has done something
	Title       string                  `json:"title"`
	Author      string                  `json:"author"` // who began it
	Repo        string                  `json:"repo"`
	Environment blaise.EnvironmentState `json:"environment"`
	Waits       int                     `json:"waits"`
	Usage       blaise.Usage            `json:"usage"`
	Work        int                     `json:"work,omitempty"` // settled: saves of its work that Blaise has itself
	CreatedAt   time.Time               `json:"created_at"`
	UpdatedAt   time.Time               `json:"updated_at"`
	Queue       *blaise.Standing        `json:"queue,omitempty"`
}

// Sessions answers GET /api/sessions?state=&agent=&q=&limit=&before=&since=.
type Sessions struct {
	Sessions []Summary                   `json:"sessions"`
	Counts   map[blaise.SessionState]int `json:"counts"`
	Outcomes map[blaise.Outcome]int      `json:"outcomes"`       // of those that have ended
	Needs    int                         `json:"needs"`          // how many need a person
	Failed   int                         `json:"failed"`         // how many have failed in the last 24 hours
	Next     string                      `json:"next,omitempty"` // the value of before for the next page
}

// Lacking are those of them that wait for a runner while none is here that may
// take them.
func (s Sessions) Lacking() (ids []blaise.SessionID) {
	for _, one := range s.Sessions {
		if one.Queue != nil && one.Queue.Lacks == blaise.LacksRunner {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// StartSession begins a session: POST /api/sessions.
type StartSession struct {
	Agent blaise.AgentName  `json:"agent"`
	Text  string            `json:"text"`
	Key   string            `json:"key,omitempty"` // idempotency key
	Set   map[string]string `json:"set,omitempty"`
	From  blaise.SessionID  `json:"from,omitempty"`
	// Settings are chosen before the message is sent: "mode", "model", or an
	// option by the agent's own name. One that cannot be had fails the message.
	Settings map[string]string `json:"settings,omitempty"`
	// Attachments come with the message.
	Attachments []Attach `json:"attachments,omitempty"`
}

// PostMessage sends a message: POST /api/sessions/{id}/messages.
type PostMessage struct {
	Text string `json:"text"`
	Key  string `json:"key,omitempty"`
	Now  bool   `json:"now,omitempty"` // interrupt the turn and send this first
	// Attachments come with the message.
	Attachments []Attach `json:"attachments,omitempty"`
}

// An Attach is a file or a link that comes with a message: Data or URL. The
// media type is told by the bytes; Type counts where they say nothing.
type Attach struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"`
	Data []byte `json:"data,omitempty"`
	URL  string `json:"url,omitempty"`
}

// ChooseSettings chooses in a session: POST /api/sessions/{id}/settings. An empty
// value takes a choice back that the agent has not taken.
type ChooseSettings struct {
	Settings map[string]string `json:"settings"`
}

// Chosen answers ChooseSettings: when it takes effect.
type Chosen struct {
	Applies string `json:"applies"` // "now", "when the turn has ended", "when the next run begins"
}

// Posted answers StartSession and PostMessage.
type Posted struct {
	Session blaise.SessionID    `json:"session"`
	Message blaise.MessageID    `json:"message"`
	State   blaise.MessageState `json:"state"`
}

// Act is the body of the acts on a session: POST /api/sessions/{id}/ACT with
// ACT one of end, cancel, pause, retry, retry-teardown, mark-destroyed, hold,
// release.
type Act struct {
	Reason string `json:"reason,omitempty"`
	Force  bool   `json:"force,omitempty"`
}

// AnswerQuestion decides a question: POST /api/sessions/{id}/questions/{q}.
// Choice is an option's id; without it Allow picks one by its kind.
type AnswerQuestion struct {
	Choice string `json:"choice,omitempty"`
	Allow  *bool  `json:"allow,omitempty"`
	// Set fills in the form of an elicitation, by the names of its fields.
	Set map[string]string `json:"set,omitempty"`
}

// Why answers GET /api/why/{id} for a session, run, message or runner (X7).
type Why struct {
	ID    string   `json:"id"`
	What  string   `json:"what"`
	Lines []string `json:"lines"`
}

// Transcript answers GET /api/sessions/{id}/transcript?after=&limit=, a part of
// the transcript. More says that there was more when it was read.
type Transcript struct {
	Events []transcript.Event `json:"events"`
	Last   int64              `json:"last"` // the seq of the last event in Events, or after
	More   bool               `json:"more,omitempty"`
}

// A Followed is one event of GET /api/sessions/{id}/stream, and one line of its
// polling form: an event of the transcript, or the session after it changed.
// In a stream long texts of messages are cut.
type Followed struct {
	Event   *transcript.Event `json:"event,omitempty"`
	Session *Session          `json:"session,omitempty"`
}

// A Change is one line of a session's history: GET /api/sessions/{id}/history.
type Change struct {
	Subject string    `json:"subject"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Event   string    `json:"event"`
	Reason  string    `json:"reason"`
	By      string    `json:"by"`
	Setting string    `json:"setting"`
	At      time.Time `json:"at"`
}
