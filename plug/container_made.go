package plug

import (
	"fmt"

	"blaise.dev/blaise/internal/engine"
)

// A containerMade is what a container plug wrote down of what it makes, before
// it makes it.
type containerMade struct {
	Engine string `json:"engine"` // its id
	Host   string `json:"host"`   // where it was reached, for a message
	Outer  string `json:"outer"`  // the checkout on this machine
	Volume bool   `json:"volume"` // the checkout inside is a copy, in a volume
	UID    int    `json:"uid"`    // of who works inside
	GID    int    `json:"gid"`
	Whole  bool   `json:"whole"` // an agent may have worked in it
}

const containerFile = "container.json"

// loadContainer answers nil if nothing was written down.
func loadContainer(dir string) (*containerMade, error) {
	return readDown[containerMade](dir, containerFile)
}

func (m *containerMade) save(dir string) error { return writeDown(dir, containerFile, m) }

// here refuses another engine: one that has nothing of ours would be taken for
// one that lost it.
func (m *containerMade) here(e *engine.Engine) error {
	if m == nil || m.Engine == e.ID {
		return nil
	}
	return fmt.Errorf("%w: on the engine at %s, and this is the one at %s",
		ErrElsewhere, m.Host, e.Host())
}
