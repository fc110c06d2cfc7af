package blaise

import "time"

// An Event is something that happened to a session: a person asked, a run
// reported, a clock fired, an administrator changed something. At is server
// time; By is a person, a run or "clock".
type Event struct {
	Kind EventKind
	At   time.Time
	By   string

	Run       RunID // what a run reports carries its id; a stale one is refused (X2)
	Message   MessageID
	Question  QuestionID
	Directive int64

	Text string // message text, answer text
	// Attachments come with a message.
	Attachments []Attachment
	Key         string // idempotency key; a question's key
	Reason      string
	Choice      string
	Set         map[string]string // question_answered: what was filled in; settings_chosen; conversation: the choices it has taken
	Now         bool              // interrupt and send now
	Clock       Clock             // clock_fired
	Force       bool
	Earlier     []EnvironmentID // mark_destroyed: of earlier generations, and left behind

	Runner   RunnerID // accepted
	Instance InstanceID
	Machine  MachineID
	Boot     string

	Plugs        []PlugRecord // opened, paused
	Conversation *Conversation
	Context      ContextState
	Saved        *SavedWork
	Clean        bool
	StopReason   string       // of a turn, verbatim
	Usage        *Usage       // of a turn
	Result       MessageState // of a turn: answered, cancelled, interrupted, failed
	Ask          *Question
	Resource     *Resource
	Policy       *Policy // policy_changed

	Serving   time.Time // clock_fired: since when Blaise has been there to hear
	Until     time.Time // drain_asked: turns that are open then are cancelled
	Ephemeral bool      // accepted: by a runner that is there for one run
	Leaves    bool      // drain_asked, accepted: its runner goes for good
	AtWork    int       // accepted: how many runs of the agent are at work
	Chosen    bool      // refused: for what the session was begun with
	Record    string    // last reports: how whole the record is
}

// An EventKind names an event.
type EventKind string

// From people. end_asked and pause_asked of a connected run answer
// VerdictPending: the caller waits for the receipt.
const (
	EventMessagePosted    EventKind = "message_posted"
	EventMessageWithdrawn EventKind = "message_withdrawn"
	EventEndAsked         EventKind = "end_asked"
	EventPauseAsked       EventKind = "pause_asked" // by a person or a drain (X11)
	EventCancelAsked      EventKind = "cancel_asked"
	EventRetryAsked       EventKind = "retry_asked"
	EventTeardownRetry    EventKind = "teardown_retry_asked"
	EventMarkDestroyed    EventKind = "mark_destroyed"
	EventLostDeclared     EventKind = "lost_declared"
	EventQuestionAnswered EventKind = "question_answered"
	EventHeld             EventKind = "held"
	EventPushed           EventKind = "pushed" // Reason: what went where
	EventReleased         EventKind = "released"
	EventShellAsked       EventKind = "shell_asked"  // Key: the shell's id; Reason: its command, "" for a login shell
	EventShellClosed      EventKind = "shell_closed" // Key; Reason: how it ended
	EventSettingsChosen   EventKind = "settings_chosen"
	EventDiffAsked        EventKind = "diff_asked"
)

// From runners and runs.
const (
	EventRunAccepted      EventKind = "run_accepted"
	EventSpawnFailed      EventKind = "spawn_failed" // A25
	EventRunConnected     EventKind = "run_connected"
	EventOpened           EventKind = "opened"
	EventPlugRecorded     EventKind = "plug_recorded" // a plug opened, its state or spec saved
	EventResourceIntended EventKind = "resource_intended"
	EventResourceGone     EventKind = "resource_gone"
	EventWorkSaved        EventKind = "work_saved"
	EventConversation     EventKind = "conversation"
	EventTurnClaimed      EventKind = "turn_claimed" // queued -> delivered, before the bytes
	EventTurnEnded        EventKind = "turn_ended"
	EventProgress         EventKind = "progress" // re-arms the silence watchdog
	EventQuestionAsked    EventKind = "question_asked"
	EventQuestionApplied  EventKind = "question_applied"
	EventQuestionExpired  EventKind = "question_expired"
	EventStopReceived     EventKind = "stop_received"
	EventReceived         EventKind = "received" // of any other directive
	EventPauseReported    EventKind = "pause_reported"
	EventDestroyed        EventKind = "destroyed"
	EventTeardownFailed   EventKind = "teardown_failed"
	EventPlugFailed       EventKind = "plug_failed" // a plug's Open failed
	EventRunFailed        EventKind = "run_failed"
	EventSignalled        EventKind = "signalled"    // A20
	EventRefused          EventKind = "refused"      // ended before any plug opened
	EventLostContact      EventKind = "lost_contact" // A26, told when it is back
	EventLocalStop        EventKind = "local_stop"   // paused by hand at its machine (A20)
	EventDrainAsked       EventKind = "drain_asked"  // X11, by the run's own runner
	EventRunDead          EventKind = "run_dead"     // proved dead by its own instance
	EventRunBack          EventKind = "run_back"     // X2: lost, and back before a successor was accepted
)

// From clocks and administrators.
const (
	EventClockFired    EventKind = "clock_fired"
	EventClockSetBack  EventKind = "clock_set_back" // that of Blaise's machine
	EventOthersWait    EventKind = "others_wait"    // Reason: who
	EventOthersServed  EventKind = "others_served"
	EventRunnerRevoked EventKind = "runner_revoked"
	EventRunnerLeaves  EventKind = "runner_leaves"  // it is revoked when nothing is left there (A31)
	EventPolicyChanged EventKind = "policy_changed" // also enabled, disabled, archived
)
