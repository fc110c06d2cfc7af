// Package logs says how the programs log: as text or as JSON, from which level
// on, and that each line that is of a run names its session too. Package main of
// each program calls it, and the process of a run.
package logs

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"blaise.dev/blaise"

	"github.com/spf13/pflag"
)

// Options say how a program logs. The zero value is text, from info on.
type Options struct{ Format, Level string }

// Flags adds --log-format and --log-level.
func (o *Options) Flags(f *pflag.FlagSet) {
	f.StringVar(&o.Format, "log-format", "text", "log as text or json")
	f.StringVar(&o.Level, "log-level", "info", "log from debug, info, warn or error on")
}

// New returns a logger that writes lines to w. The error says which option has
// a value that is none.
func (o Options) New(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if o.Level != "" {
		if err := level.UnmarshalText([]byte(o.Level)); err != nil {
			return nil, fmt.Errorf("--log-level %s: choose debug, info, warn or error", o.Level)
		}
	}
	ho := &slog.HandlerOptions{Level: level}
	switch o.Format {
	case "", "text":
		return slog.New(handler{Handler: slog.NewTextHandler(w, ho)}), nil
	case "json":
		return slog.New(handler{Handler: slog.NewJSONHandler(w, ho)}), nil
	}
	return nil, fmt.Errorf("--log-format %s: choose text or json", o.Format)
}

// A handler adds the session to what names a run: its id holds it.
type handler struct {
	slog.Handler
	run     string // given with the logger
	session bool
}

func (h handler) Handle(ctx context.Context, rec slog.Record) error {
	rec.Attrs(func(a slog.Attr) bool {
		h = h.knows(a)
		return true
	})
	if id := blaise.RunID(h.run).Session(); id != "" && !h.session {
		rec = rec.Clone()
		rec.AddAttrs(slog.String("session", string(id)))
	}
	return h.Handler.Handle(ctx, rec)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		h = h.knows(a)
	}
	h.Handler = h.Handler.WithAttrs(attrs)
	return h
}

func (h handler) WithGroup(name string) slog.Handler {
	h.Handler = h.Handler.WithGroup(name)
	return h
}

func (h handler) knows(a slog.Attr) handler {
	switch a.Key {
	case "run":
		h.run = a.Value.String()
	case "session":
		h.session = true
	}
	return h
}
