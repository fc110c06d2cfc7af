package blaise

// A LegendEntry explains one state to people (A5).
type LegendEntry struct {
	State   string `json:"state"`
	Meaning string `json:"meaning"`
}

// Legend explains the states of one subject: environment, session, run or
// message; nil for any other.
func Legend(subject string) []LegendEntry {
	if subject == "environment" {
		var legend []LegendEntry
		for _, r := range environmentRules {
			legend = append(legend, LegendEntry{string(r.state), r.meaning})
		}
		return legend
	}
	return legends[subject]
}

var legends = map[string][]LegendEntry{
	"session": {
		{string(SessionWaiting), "At the door: it may not act before somebody lets it in."},
		{string(SessionQueued), "A message needs a run, a run is starting, or a teardown must end first."},
		{string(SessionWorking), "The agent is in a turn."},
		{string(SessionParked), "It waits for a person's answer and burns no budget."},
		{string(SessionIdle), "A run is alive and no turn is open."},
		{string(SessionPaused), "Nothing runs; a message wakes it."},
		{string(SessionEnded), "It is over; no message is taken."},
	},
	"run": {
		{string(RunOffered), "It waits for a runner to take it."},
		{string(RunAccepted), "A runner has taken it and starts its process."},
		{string(RunConnected), "Its process reports and obeys."},
		{string(RunStopping), "It has confirmed a stop, or tears down."},
		{string(RunEnded), "Its process is gone, or has no lease any more."},
	},
	"message": {
		{string(MessageQueued), "It waits for its turn."},
		{string(MessageDelivered), "It is written to the agent; the turn is open."},
		{string(MessageAnswered), "The agent has answered."},
		{string(MessageCancelled), "Its turn was cancelled."},
		{string(MessageInterrupted), "Its turn broke off; the agent is asked to go on, or a person is."},
		{string(MessageFailed), "It will get no answer; the reason says why."},
		{string(MessageWithdrawn), "It was taken back before it was delivered."},
	},
}

// Meaning explains the state in a sentence.
func (s SessionState) Meaning() string { return meaning("session", string(s)) }

// Meaning explains the state in a sentence.
func (s RunState) Meaning() string { return meaning("run", string(s)) }

// Meaning explains the state in a sentence.
func (s MessageState) Meaning() string { return meaning("message", string(s)) }

func meaning(subject, state string) string {
	for _, e := range legends[subject] {
		if e.State == state {
			return e.Meaning
		}
	}
	return ""
}
