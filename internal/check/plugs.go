package check

import (
	"context"
	"fmt"

	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"
)

// Plugs says why the plugs of a blaise.yml could not open on this machine now,
// the first that knows ([plug.Checker]). A file that cannot be read is for others
// to tell.
func Plugs(ctx context.Context, file string) error {
	cfg, err := config.Read(file)
	if err != nil {
		return nil //nolint:nilerr // the run says it, with line and column
	}
	for _, s := range cfg.Plugs {
		if err := ready(ctx, s); err != nil {
			return fmt.Errorf("plug %q (%s): %w", s.ID, s.Use, err)
		}
	}
	return nil
}

func ready(ctx context.Context, s plug.Spec) error {
	p, err := plug.New(s)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	if c, ok := p.(plug.Checker); ok {
		return c.Check(ctx)
	}
	return nil
}
