package agents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/fakemodel"
)

// goOn begins what an agent is told after its turn was interrupted.
const goOn = "Your last turn was interrupted."

// A talk is one session with a product.
type talk struct {
	*system
	product product
	id      blaise.SessionID
	said    int      // messages so far
	words   []string // what the agent must remember
	began   time.Time
}

// A step is something that a person who uses the product may see. It answers
// what is remarkable, "" if nothing is.
type step struct {
	name string
	do   func(*talk) (string, error)
}

var steps = []step{
	{"start", (*talk).start},
	{"write", (*talk).write},
	{"deny", (*talk).deny},
	{"kill -9 agent", (*talk).killAgent},
	{"kill -9 run", (*talk).killRun},
	{"pause, resume", (*talk).pause},
	{"cancel", (*talk).cancel},
	{"end", (*talk).end},
	{"nothing left", (*talk).left},
}

func (k *talk) start() (string, error) {
	k.said, k.words, k.began = 0, nil, time.Now()
	out, err := k.try("blaise", "start", "--agent", "coder", "--json", "first words: amber")
	if err != nil {
		return "", err
	}
	var p api.Posted
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		return "", err
	}
	k.id = p.Session
	k.said++
	return "", k.remembered("first words: amber")
}

func (k *talk) write() (string, error) {
	return k.ask("out1.txt", func(path string, asked bool) (string, error) {
		if asked == k.product.mayAct {
			return "", fmt.Errorf("asked before it wrote: %v", asked)
		}
		if asked {
			if _, err := k.try("blaise", "approve", string(k.id)); err != nil {
				return "", err
			}
		}
		if err := k.answered(); err != nil {
			return "", err
		}
		got, err := os.ReadFile(path)
		if err == nil && !strings.Contains(string(got), fakemodel.Content) {
			err = fmt.Errorf("%s: got %q", path, got)
		}
		if !asked {
			return "never asks", err
		}
		return "", err
	})
}

func (k *talk) deny() (string, error) {
	if k.product.mayAct {
		return "never asks", nil
	}
	return k.ask("out2.txt", func(path string, asked bool) (string, error) {
		if !asked {
			return "", errors.New("did not ask before it wrote")
		}
		if _, err := k.try("blaise", "deny", string(k.id)); err != nil {
			return "", err
		}
		m, err := k.final()
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(path); err == nil {
			return "", errors.New("the file was written although it was refused")
		}
		if m.State != blaise.MessageAnswered {
			return "turn " + string(m.State), nil
		}
		return "", nil
	})
}

// ask has the agent write a file, and goes on when it asks or is done.
func (k *talk) ask(name string, then func(path string, asked bool) (string, error)) (string, error) {
	dir, err := k.worktree(k.id)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	if err := k.say("please write " + path); err != nil {
		return "", err
	}
	asked := false
	err = k.awaitSession("the agent to ask, or to be done", func(s api.Session) bool {
		asked = s.State == blaise.SessionParked
		return asked || s.Messages[k.said-1].State == blaise.MessageAnswered
	})
	if err != nil {
		return "", err
	}
	return then(path, asked)
}

// killAgent kills it in the middle of a turn; the same run starts it again.
func (k *talk) killAgent() (string, error) {
	return k.kill("hang on", func() []process { return roots(k.processes()) })
}

// killRun kills the process that owns the agent; another run takes over.
func (k *talk) killRun() (string, error) {
	return k.kill("hang on again", func() []process {
		var runs []process
		for _, p := range k.processes() {
			if isRun(p) {
				runs = append(runs, p)
			}
		}
		return runs
	})
}

func (k *talk) kill(words string, find func() []process) (string, error) {
	if err := k.hang(words); err != nil {
		return "", err
	}
	victims := find()
	if len(victims) != 1 {
		return "", fmt.Errorf("want one process to kill, there are %v of %v", victims, k.processes())
	}
	before := len(k.model.Seen())
	if err := syscall.Kill(victims[0].pid, syscall.SIGKILL); err != nil {
		return "", err
	}
	if err := k.answered(); err != nil {
		return "", err
	}
	note, err := k.memory(before)
	if err == nil && note == "" && !k.saw(before, goOn) {
		// The agent had not kept it: to ask it to go on would mean nothing to it.
		note = "the message was sent again, for the agent did not know it any more"
	}
	return note, err
}

// pause leaves no agent, and a message wakes the session.
func (k *talk) pause() (string, error) {
	if _, err := k.try("blaise", "pause", string(k.id)); err != nil {
		return "", err
	}
	err := errors.Join(
		k.awaitSession("the pause", func(s api.Session) bool { return s.State == blaise.SessionPaused }),
		k.gone(),
	)
	if err != nil {
		return "", err
	}
	before := len(k.model.Seen())
	if err := k.say("second words: birch"); err != nil {
		return "", err
	}
	if err := k.remembered("second words: birch"); err != nil {
		return "", err
	}
	return k.memory(before)
}

// cancel ends the turn, and the next message is answered by the same agent.
func (k *talk) cancel() (string, error) {
	if err := k.hang("hang on once more"); err != nil {
		return "", err
	}
	agent := roots(k.processes())
	if _, err := k.try("blaise", "cancel", string(k.id)); err != nil {
		return "", err
	}
	m, err := k.final()
	if err != nil {
		return "", err
	}
	if m.State != blaise.MessageCancelled {
		return "", fmt.Errorf("the message is %s: %s", m.State, m.Reason)
	}
	if err := k.say("third words: cedar"); err != nil {
		return "", err
	}
	if err := k.remembered("third words: cedar"); err != nil {
		return "", err
	}
	if now := roots(k.processes()); len(now) != 1 || len(agent) != 1 || now[0].pid != agent[0].pid {
		return "the agent was started again", nil
	}
	return "", nil
}

// end comes in the middle of a turn, which is the harder case.
func (k *talk) end() (string, error) {
	if err := k.hang("hang on to the end"); err != nil {
		return "", err
	}
	if _, err := k.try("blaise", "end", string(k.id)); err != nil {
		return "", err
	}
	return "", k.awaitSession("the environment to be gone", func(s api.Session) bool {
		return s.Environment.State == blaise.EnvDestroyed
	})
}

func (k *talk) left() (string, error) {
	if err := k.gone(); err != nil {
		return "", err
	}
	k.stop()
	return "", k.gone()
}
