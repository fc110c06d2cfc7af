package blaise

import "time"

// An AuditKind is a kind of act on Blaise itself, not on a session.
type AuditKind string

// The kinds. What is done to a session stands in its own history; its deletion,
// which takes that along, stands here.
const (
	AuditUserAdded       AuditKind = "user.added"
	AuditUserRole        AuditKind = "user.role"
	AuditUserRemoved     AuditKind = "user.removed"
	AuditUserLink        AuditKind = "user.link"
	AuditUserSignedIn    AuditKind = "user.signed_in"
	AuditUserSignedOut   AuditKind = "user.signed_out"
	AuditPersonalCreated AuditKind = "personal_token.created"
	AuditPersonalRevoked AuditKind = "personal_token.revoked"
	AuditTokenCreated    AuditKind = "token.created"
	AuditTokenRotated    AuditKind = "token.rotated"
	AuditTokenRevoked    AuditKind = "token.revoked"
	AuditRunnerDrained   AuditKind = "runner.drained"
	AuditWebhookCreated  AuditKind = "webhook.created"
	AuditWebhookEnabled  AuditKind = "webhook.enabled"
	AuditWebhookDeleted  AuditKind = "webhook.deleted"
	AuditRedelivered     AuditKind = "webhook.redelivered"
	AuditAgentApplied    AuditKind = "agent.applied"
	AuditAgentState      AuditKind = "agent.state"
	AuditSessionDeleted  AuditKind = "session.deleted"
)

// AuditKinds are all kinds, in the order in which people read them.
func AuditKinds() []AuditKind {
	return []AuditKind{
		AuditUserAdded, AuditUserRole, AuditUserRemoved, AuditUserLink, AuditUserSignedIn, AuditUserSignedOut,
		AuditPersonalCreated, AuditPersonalRevoked, AuditTokenCreated, AuditTokenRotated, AuditTokenRevoked,
		AuditRunnerDrained, AuditWebhookCreated, AuditWebhookEnabled, AuditWebhookDeleted, AuditRedelivered,
		AuditAgentApplied, AuditAgentState, AuditSessionDeleted,
	}
}

// The outcomes of an act.
const (
	AuditDone    = "done"
	AuditRefused = "refused"
)

// An Audit is a line of the record of who did what to Blaise itself. It holds no
// secret and nothing that was said in a session.
type Audit struct {
	N       int64     `json:"n"` // counts up; the store gives it
	At      time.Time `json:"at"`
	By      string    `json:"by"` // "" for who could not be known: a sign-in that failed
	Kind    AuditKind `json:"kind"`
	Thing   string    `json:"thing,omitempty"` // the name or id of what it was done to
	Outcome string    `json:"outcome"`         // AuditDone, AuditRefused
	Detail  string    `json:"detail,omitempty"`
}
