package blaise

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
)

// A SessionID names a session: eight letters and digits, drawn at random,
// short enough to type. It is part of branch and container names.
type SessionID string

// A RunID names a run: "SESSION.N". N counts the runs of the session from 1
// and is the fencing number of the run's lease (X2).
type RunID string

// A MessageID names a message: "SESSION.mN".
type MessageID string

// A QuestionID names something a person is asked: "SESSION.qN".
type QuestionID string

// An EnvironmentID names one generation of a session's environment: the
// session's id, from the second generation on "SESSION-2". Plugs name what
// they make after it.
type EnvironmentID string

// A RunnerID names a runner: the holder of one runner token.
type RunnerID string

// An InstanceID names one daemon's state directory; it outlives restarts.
type InstanceID string

// A MachineID names the machine an instance runs on.
type MachineID string

// An AgentName names an agent: a class in Blaise with policy and requirements.
type AgentName string

// A WebhookID names a webhook: "wh_" and eight letters and digits.
type WebhookID string

// A DeliveryID names what is sent to a webhook, however often: its webhook-id.
type DeliveryID string

// idAlphabet leaves out letters that are easily confused (i, l, o, u).
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// NewSessionID draws an id. Two draws collide about once in a million million;
// the store refuses the second, and the caller draws again.
func NewSessionID() SessionID {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand, Go 1.24)
	for i, c := range b {
		b[i] = idAlphabet[int(c)%len(idAlphabet)]
	}
	// A letter first, so that no shell, YAML reader or container engine takes
	// the id for a number.
	b[0] = idAlphabet[10+int(b[0])%(len(idAlphabet)-10)]
	return SessionID(b[:])
}

// NewWebhookID draws an id, as [NewSessionID] does.
func NewWebhookID() WebhookID { return WebhookID("wh_" + NewSessionID()) }

// Run gives the id of the session's nth run.
func (id SessionID) Run(n int) RunID { return RunID(fmt.Sprintf("%s.%d", id, n)) }

// Message gives the id of the session's nth message.
func (id SessionID) Message(n int) MessageID { return MessageID(fmt.Sprintf("%s.m%d", id, n)) }

// Question gives the id of the session's nth question.
func (id SessionID) Question(n int) QuestionID { return QuestionID(fmt.Sprintf("%s.q%d", id, n)) }

// Environment gives the id of the session's environment in a generation.
func (id SessionID) Environment(generation int) EnvironmentID {
	if generation <= 1 {
		return EnvironmentID(id)
	}
	return EnvironmentID(fmt.Sprintf("%s-%d", id, generation))
}

// Session is the session whose environment it is.
func (id EnvironmentID) Session() SessionID {
	session, _, _ := strings.Cut(string(id), "-")
	return SessionID(session)
}

// Session is the session the run belongs to, "" if the id is not of the form.
func (id RunID) Session() SessionID { return SessionID(before(string(id))) }

// Fence is the fencing number in the id, 0 if the id is not of the form.
func (id RunID) Fence() int {
	_, n, _ := strings.Cut(string(id), ".")
	v, err := strconv.Atoi(n)
	if err != nil {
		return 0
	}
	return v
}

// Session is the session the message belongs to.
func (id MessageID) Session() SessionID { return SessionID(before(string(id))) }

// Session is the session the question belongs to.
func (id QuestionID) Session() SessionID { return SessionID(before(string(id))) }

func before(id string) string {
	s, _, ok := strings.Cut(id, ".")
	if !ok {
		return ""
	}
	return s
}
