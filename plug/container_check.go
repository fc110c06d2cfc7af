package plug

import (
	"context"
	"errors"
	"fmt"
	"os"

	"blaise.dev/blaise/internal/engine"
	"blaise.dev/blaise/transcript"
)

var (
	_ Checker = (*container)(nil)
	_ Checker = (*devcontainer)(nil)
)

// Check looks at the engine and at what blaise.yml wants of it. An image that
// the engine does not have is no error: it is pulled when it is needed.
func (p *container) Check(ctx context.Context, host Env) (string, error) {
	e, err := p.dial(ctx)
	if err != nil {
		return "", err
	}
	defer e.Close()
	b, err := p.builder(Scope{Host: host}, e, host.Place())
	if err != nil {
		return "", err
	}
	if err := b.checkEngine(ctx); err != nil {
		return "", err
	}
	if _, err := b.mounts(); err != nil {
		return "", err
	}
	text := fmt.Sprintf("engine %s at %s", e.Version, e.Host())
	if e.Remote {
		text += ", the checkout in a volume"
	}
	if p.c.Dockerfile != "" {
		if _, err := os.Stat(hostPath(host.Place(), p.c.Dockerfile)); err != nil {
			return "", fmt.Errorf("dockerfile: %w", err)
		}
	}
	if p.c.Image == "" {
		return text, nil
	}
	_, err = e.Image(ctx, p.c.Image)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return text + fmt.Sprintf("; image %s is not there yet: it will be pulled", p.c.Image), nil
	case err != nil:
		return "", err
	}
	return text + ", image " + p.c.Image, nil
}

// Check reads the file of the base commit, and looks as container does.
func (p *devcontainer) Check(ctx context.Context, host Env) (string, error) {
	s := Scope{Host: host, Note: func(transcript.Event) {}}
	f, err := p.read(ctx, s)
	if err != nil {
		return "", err
	}
	return p.container(*f).Check(ctx, host)
}
