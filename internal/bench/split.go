package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"blaise.dev/blaise/api"
)

// startSplit starts `blaise serve` and `runner start`.
func startSplit(ctx context.Context, o options, name, repo string) (*system, error) {
	s := &system{witness: filepath.Join(o.tmp, name+".witness")}
	data := filepath.Join(o.tmp, name)
	if err := s.start(o, name, "blaise", "serve", "--data", data, "--listen", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	if err := s.connect(ctx, filepath.Join(data, "serve.json")); err != nil {
		return nil, err
	}
	tok, err := s.NewToken(ctx, api.NewToken{Name: "bench"})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(o.tmp, name+".token"), []byte(tok.Secret), 0o600); err != nil {
		return nil, fmt.Errorf("write token: %w", err)
	}
	if err := s.config(o, name, filepath.Join(o.tmp, name+".yml"), repo); err != nil {
		return nil, err
	}
	return s, s.startRunner(o, name)
}

// startRunner starts the runner of a split, again where it was killed.
func (s *system) startRunner(o options, name string) error {
	return s.start(o, name, "runner", "start", "--url", s.dev.URL, "--token-file", filepath.Join(o.tmp, name+".token"),
		"--config", filepath.Join(o.tmp, name+".yml"), "--state", filepath.Join(o.tmp, name+"-runner"))
}
