package main

import (
	"context"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// idLength is the length of a session's id.
const idLength = 8

// session finds a session by its id or a beginning of it that no other has.
func session(ctx context.Context, c *api.Client, given string) (blaise.SessionID, error) {
	id, err := fullID(ctx, c, given)
	return blaise.SessionID(id), err
}

// found is that session as it is now, in one request.
func found(ctx context.Context, c *api.Client, given string) (api.Session, error) {
	if head, _, _ := strings.Cut(given, "."); head == "" {
		return api.Session{}, errNoSession()
	}
	return c.Session(ctx, blaise.SessionID(given)) // Blaise knows it by its beginning
}

func errNoSession() error {
	return usage("no session is named").WithHint("see `blaise list`")
}

// fullID completes the session's part of an id; what follows a dot stays.
func fullID(ctx context.Context, c *api.Client, given string) (string, error) {
	head, rest, dotted := strings.Cut(given, ".")
	if head == "" {
		return "", errNoSession()
	}
	if len(head) >= idLength {
		return given, nil
	}
	s, err := c.Session(ctx, blaise.SessionID(head))
	if err != nil {
		return "", err
	}
	if dotted {
		return string(s.ID) + "." + rest, nil
	}
	return string(s.ID), nil
}

// within completes the id of something in a session: m2 is SESSION.m2.
func within(id blaise.SessionID, given string) string {
	if strings.Contains(given, ".") {
		return given
	}
	return string(id) + "." + given
}

// splitID parts the id of something in a session.
func splitID(id string) (session, rest string) {
	session, rest, _ = strings.Cut(id, ".")
	return session, rest
}
