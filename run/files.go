package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// runFiles are what Blaise keeps of the session, under the run's lease.
type runFiles struct{ r *run }

// Put keeps a file; it tries as long as ctx lasts while Blaise is away. Sent
// twice it is kept once.
func (f runFiles) Put(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	as := api.File{Name: filepath.Base(path), SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size}
	return as.SHA256, f.persist(ctx, func() error {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := f.r.client.PutFile(ctx, as, io.NopCloser(file))
		return err
	})
}

// Get writes a file to a new one; it tries as Put does.
func (f runFiles) Get(ctx context.Context, sum, path string) error {
	return f.persist(ctx, func() error {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(f.r.client.RunFile(ctx, sum, file), file.Close())
	})
}

// fileAgain is how long a try of a file is waited for the next.
const fileAgain = time.Second

func (f runFiles) persist(ctx context.Context, do func() error) error {
	for {
		err := do()
		if blaise.CodeOf(err) == blaise.CodeStale {
			f.r.fenceOff()
		}
		if blaise.CodeOf(err) != blaise.CodeUnreachable {
			return err
		}
		select {
		case <-time.After(fileAgain):
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		}
	}
}
