package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/tty"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/sync/errgroup"
)

// Options are what a chat needs.
type Options struct {
	Client  *api.Client
	Session blaise.SessionID // "": Begin begins one with the first message
	Begin   func(ctx context.Context, text, key string) (api.Posted, error)
	Watch   bool // there is nothing to write on
	Look    tty.Look
	In, Out *os.File // a terminal
}

// Run holds a conversation until the person leaves or the session is over, and
// returns the session it was with. It leaves the terminal as it was. What ends
// ctx ends it.
func Run(ctx context.Context, o Options) (blaise.SessionID, error) {
	m := newModel(ctx, o)
	var after int64
	if o.Session != "" {
		lines, last, err := m.past(ctx)
		if err != nil {
			return o.Session, err
		}
		if err := write(o.Out, lines); err != nil {
			return o.Session, err
		}
		after = last
		m.begun <- o.Session
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	p := tea.NewProgram(m, tea.WithContext(inner), tea.WithInput(o.In), tea.WithOutput(o.Out),
		tea.WithoutSignalHandler(), tea.WithColorProfile(profile(o.Look)))
	var g errgroup.Group
	g.Go(func() error {
		f := feed{client: o.Client, after: after, send: p.Send}
		f.run(inner, m.begun)
		return nil
	})
	_, err := p.Run()
	cancel()
	_ = g.Wait() // the feed told the model what failed
	if werr := write(o.Out, append(m.out, m.story.End()...)); err == nil {
		err = werr
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, tea.ErrProgramKilled):
		err = nil
	}
	return m.id, errors.Join(err, m.err)
}

func write(w io.Writer, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
		return fmt.Errorf("write to terminal: %w", err)
	}
	return nil
}

// profile has bubbletea show the colours that the look has made, no more, no less.
func profile(l tty.Look) colorprofile.Profile {
	if l.Colour {
		return colorprofile.ANSI
	}
	return colorprofile.ASCII
}
