package agents_test

import (
	"errors"
	"fmt"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

func (k *talk) say(text string) error {
	_, err := k.try("blaise", "say", string(k.id), text)
	k.said++
	return err
}

// hang says what the model does not answer, and waits until it was asked: not
// only for a title, or how hard it is.
func (k *talk) hang(words string) error {
	if err := k.say(words); err != nil {
		return err
	}
	return k.await("the model to be asked: "+words, func() bool { return k.model.Hung(words) })
}

// saw says whether a request of the model since before has all the words.
func (k *talk) saw(before int, words ...string) bool {
	for _, body := range k.model.Seen()[before:] {
		all := true
		for _, w := range words {
			all = all && strings.Contains(body, w)
		}
		if all {
			return true
		}
	}
	return false
}

// memory says what of the talk the model has received since before.
func (k *talk) memory(before int) (string, error) {
	s, err := k.show(k.id)
	if err != nil {
		return "", err
	}
	if k.saw(before, k.words...) {
		if s.Context != blaise.ContextFull {
			return fmt.Sprintf("the model saw all, context says %s", s.Context), nil
		}
		return "", nil
	}
	var lost []string
	for _, w := range k.words {
		if !k.saw(before, w) {
			lost = append(lost, w)
		}
	}
	return "", fmt.Errorf("the model did not receive %q together (none at all of %q); context says %s",
		k.words, lost, s.Context)
}

func (k *talk) awaitSession(what string, done func(api.Session) bool) error {
	var last api.Session
	var failed error
	err := k.await(what, func() bool {
		s, err := k.show(k.id)
		if err != nil {
			failed = err
			return false
		}
		failed, last = nil, s
		ended := s.State == blaise.SessionEnded && s.Outcome == blaise.OutcomeFailed
		return len(s.Messages) >= k.said && (done(s) || ended || k.wrong(s))
	})
	switch {
	case err != nil:
		return errors.Join(fmt.Errorf("%w; session %s, environment %s %s, message %s",
			err, last.State, last.Environment.State, last.Environment.LastError, about(last, k.said)), failed)
	case !done(last):
		return fmt.Errorf("%s: session %s %s, message %s", what, last.State, last.Reason, about(last, k.said))
	}
	return nil
}

func (k *talk) wrong(s api.Session) bool {
	return k.said > 0 && s.Messages[k.said-1].State == blaise.MessageFailed
}

func about(s api.Session, n int) string {
	if n < 1 || len(s.Messages) < n {
		return "unknown"
	}
	m := s.Messages[n-1]
	return fmt.Sprintf("%s %s", m.State, m.Reason)
}

func (k *talk) answered() error {
	return k.awaitSession(fmt.Sprintf("message %d answered", k.said), func(s api.Session) bool {
		return s.Messages[k.said-1].State == blaise.MessageAnswered
	})
}

// remembered waits for the answer, sees that it is one to the message, and
// adds the message to what must be remembered.
func (k *talk) remembered(words string) error {
	if err := k.answered(); err != nil {
		return err
	}
	k.words = append(k.words, words)
	s, err := k.show(k.id)
	if err == nil && !strings.Contains(s.Messages[k.said-1].Answer, words) {
		err = fmt.Errorf("the answer to %q is %q", words, s.Messages[k.said-1].Answer)
	}
	return err
}

// final waits until nothing more happens to the last message.
func (k *talk) final() (api.Message, error) {
	var m api.Message
	err := k.awaitSession("the end of the turn", func(s api.Session) bool {
		m = s.Messages[k.said-1]
		return blaise.Message{State: m.State}.Final()
	})
	return m, err
}

// gone waits until no process of the session is left, and says which are.
func (k *talk) gone() error {
	var all []process
	err := k.await("no process left", func() bool {
		all = k.processes()
		return len(all) == 0
	})
	if err != nil {
		return fmt.Errorf("%w: %v", err, all)
	}
	return nil
}
