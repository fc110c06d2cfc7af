package control

import (
	"context"
	"errors"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// MaxMessage is the longest text of a message in bytes: as much as an agent
// can be handed in one frame with room to spare.
const MaxMessage = 16 << 20

// A Start asks for a session. Key makes it safe to ask twice.
type Start struct {
	Agent  blaise.AgentName
	Text   string
	Key    string
	Inputs map[string]string
	From   blaise.SessionID
	Wanted map[string]string // mode, model and options to choose
	Files  []File            // come with the message
}

// Start begins a session with its first message and offers its first run.
func (c *Control) Start(ctx context.Context, by string, s Start) (blaise.Message, error) {
	if err := checkText(s.Text); err != nil {
		return blaise.Message{}, err
	}
	files, err := attached(s.Files)
	if err != nil {
		return blaise.Message{}, err
	}
	origin, err := c.origin(ctx, s.From)
	if err != nil {
		return blaise.Message{}, err
	}
	for {
		id := blaise.NewSessionID()
		err := c.keepAttached(ctx, id, s.Files, files)
		var m blaise.Message
		if err == nil {
			m, err = c.begin(ctx, by, beginning{Start: s, id: id, origin: origin, files: files})
		}
		if len(files) > 0 && (err != nil || m.ID.Session() != id) {
			c.dropAttached(ctx, id)
		}
		if errors.Is(err, store.ErrExists) {
			continue // the id was taken, or the key meanwhile: look again
		}
		return m, err
	}
}

// A beginning is a start with all that must be known before its transaction.
type beginning struct {
	Start
	id     blaise.SessionID
	origin blaise.RunnerID
	files  []blaise.Attachment
}

func (c *Control) begin(ctx context.Context, by string, s beginning) (blaise.Message, error) {
	var plan blaise.Plan
	var known *blaise.Message
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		known = nil
		if m, ok, err := startedBefore(tx, s.Key); err != nil || ok {
			known = &m
			return err
		}
		if err := c.create(tx, by, s); err != nil {
			return err
		}
		var err error
		plan, err = c.decide(tx, s.id, blaise.Event{
			Kind: blaise.EventMessagePosted, By: by, Text: s.Text, Key: s.Key, Attachments: s.files,
		})
		if err != nil || s.Key == "" {
			return err
		}
		return tx.KeepStartKey(s.Key, s.id.Message(1))
	})
	if err != nil {
		return blaise.Message{}, err
	}
	if known != nil {
		return *known, sameMessage(*known, s.Text, s.files)
	}
	c.wake(plan)
	return plan.Next.Messages[0], nil
}

func startedBefore(tx *store.Tx, key string) (blaise.Message, bool, error) {
	if key == "" {
		return blaise.Message{}, false, nil
	}
	id, ok, err := tx.StartKey(key)
	if err != nil || !ok {
		return blaise.Message{}, false, err
	}
	m, err := tx.Message(id)
	return m, err == nil, err
}

// origin is the runner that has the saved work of the session to go on from,
// "" if there is none to go on from or the runner was revoked since.
func (c *Control) origin(ctx context.Context, from blaise.SessionID) (blaise.RunnerID, error) {
	if from == "" {
		return "", nil
	}
	v, err := c.db.View(ctx, from)
	if err != nil {
		return "", err
	}
	if len(v.Saves) == 0 {
		return "", blaise.Errorf(blaise.CodeRefused, "session %s has no saved work to go on from", from).
			WithHint("%s", blaise.UnsavedHint(from, v.Session.State == blaise.SessionEnded, v.Environment.State))
	}
	r, err := c.db.Runner(ctx, v.Session.Runner)
	if err != nil || r.Revoked {
		return "", nil // any runner may find the work, or say that it is not there
	}
	return r.ID, nil
}

// create writes a session that nothing has been said to yet.
func (c *Control) create(tx *store.Tx, by string, s beginning) error {
	a, err := tx.Agent(s.Agent)
	if err != nil {
		return err
	}
	inputs, err := fillInputs(a, s.Inputs)
	if err != nil {
		return err
	}
	now := c.now()
	return tx.CreateSession(blaise.NewSnapshot(blaise.Session{
		ID: s.id, Agent: s.Agent, Title: title(s.Text),
		Author: by, Inputs: inputs, From: s.From, Runner: s.origin, CreatedAt: now, Wanted: s.Wanted,
	}, policyOf(a)))
}

// title is the first line of a text, cut to what a list shows.
func title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return line
}

func checkText(text string) error {
	if strings.TrimSpace(text) == "" {
		return blaise.Errorf(blaise.CodeInvalid, "the message is empty").
			WithHint("say something, or use `blaise end` to end the session")
	}
	if len(text) > MaxMessage {
		return blaise.Errorf(blaise.CodeInvalid, "the message has %d bytes, more than the %d allowed", len(text), MaxMessage).
			WithHint("put long input into a file of the repository and name the file")
	}
	return nil
}

// A Post is a message to a session that exists.
type Post struct {
	Text  string
	Key   string
	Now   bool   // interrupt the turn and send this first
	Files []File // come with it
}

// Post adds a message. With a key that was used before in the session it
// answers the message posted then (X1).
func (c *Control) Post(ctx context.Context, by string, id blaise.SessionID, p Post) (blaise.Message, error) {
	if err := checkText(p.Text); err != nil {
		return blaise.Message{}, err
	}
	files, err := attached(p.Files)
	if err == nil {
		err = c.mayAttach(ctx, id, files)
	}
	if err == nil {
		err = c.keepAttached(ctx, id, p.Files, files)
	}
	if err != nil {
		return blaise.Message{}, err
	}
	var plan blaise.Plan
	var known *blaise.Message
	err = c.db.Tx(ctx, func(tx *store.Tx) error {
		known = nil
		if p.Key != "" {
			m, ok, err := tx.MessageByKey(id, p.Key)
			if err != nil {
				return err
			}
			if ok {
				known = &m
				return nil
			}
		}
		var err error
		plan, err = c.decide(tx, id, blaise.Event{
			Kind: blaise.EventMessagePosted, By: by, Text: p.Text, Key: p.Key, Now: p.Now,
			Attachments: files,
		})
		return err
	})
	if err != nil {
		return blaise.Message{}, err
	}
	if known != nil {
		return *known, sameMessage(*known, p.Text, files)
	}
	c.wake(plan)
	return newest(plan), nil
}

// sameMessage refuses a key that was used for another message: whoever sent it
// would think that this one was posted.
func sameMessage(m blaise.Message, text string, files []blaise.Attachment) error {
	if m.Text == text && slices.Equal(m.Attachments, files) {
		return nil
	}
	what := "another text"
	if m.Text == text {
		what = "other attachments"
	}
	return blaise.Errorf(blaise.CodeRefused, "the idempotency key of message %s was used again with %s", m.ID, what).
		WithHint("send a new key with each message")
}

// newest is the message that the plan of a post added.
func newest(p blaise.Plan) blaise.Message {
	var m blaise.Message
	for _, x := range p.Next.Messages {
		if x.N > m.N {
			m = x
		}
	}
	return m
}
