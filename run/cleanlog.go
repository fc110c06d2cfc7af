package run

import (
	"context"
	"fmt"
	"log/slog"

	"blaise.dev/blaise/redact"
)

// A cleanHandler takes the secrets out of what is logged: the log is a file on
// this machine, and its end goes to Blaise when the run dies.
type cleanHandler struct {
	slog.Handler
	secrets *redact.Redactor
}

func (h cleanHandler) Handle(ctx context.Context, rec slog.Record) error {
	clean := slog.NewRecord(rec.Time, rec.Level, h.secrets.String(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.clean(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

func (h cleanHandler) clean(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.secrets.String(v.String()))
	case slog.KindAny:
		return slog.String(a.Key, h.secrets.String(fmt.Sprint(v.Any())))
	}
	return a
}

func (h cleanHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.clean(a)
	}
	return cleanHandler{Handler: h.Handler.WithAttrs(clean), secrets: h.secrets}
}

func (h cleanHandler) WithGroup(name string) slog.Handler {
	return cleanHandler{Handler: h.Handler.WithGroup(name), secrets: h.secrets}
}
