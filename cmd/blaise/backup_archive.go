package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// backupFormat is the only format so far of a backup: a tar of the manifest and
// of the files it names, in its order, compressed by gzip.
const backupFormat = 1

// manifestName is the first file of a backup.
const manifestName = "manifest.json"

// A manifest says what is in a backup.
type manifest struct {
	Format  int         `json:"format"`
	Version string      `json:"version"` // of the Blaise that wrote it
	At      time.Time   `json:"at"`
	Holds   store.Tally `json:"holds"`
	Files   []packed    `json:"files"`
}

// A packed is a file of a backup.
type packed struct {
	Name   string `json:"name"` // below the data folder, with slashes
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// sums names the files below a folder. What SQLite has beside a database while
// it reads is none of them.
func sums(dir string) ([]packed, error) {
	var all []packed
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-shm") {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		sum := sha256.New()
		size, err := io.Copy(sum, f)
		all = append(all, packed{Name: filepath.ToSlash(rel), SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size})
		return err
	})
	return all, err
}

// pack writes the files of a folder as a backup, whole or not at all, for the
// owner alone, and says how long it is.
func pack(ctx context.Context, dir string, m manifest, to string) (int64, error) {
	f, err := os.CreateTemp(filepath.Dir(to), ".blaise-backup-*") // made with mode 0600
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name()) // renamed already when all went well
	err = packInto(ctx, f, dir, m)
	size, seekErr := f.Seek(0, io.SeekCurrent)
	if err = errors.Join(err, seekErr, f.Sync(), f.Close()); err != nil {
		return 0, fmt.Errorf("write backup %s: %w", to, err)
	}
	return size, os.Rename(f.Name(), to)
}

func packInto(ctx context.Context, w io.Writer, dir string, m manifest) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	head, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := packOne(t, m, manifestName, int64(len(head)), strings.NewReader(string(head))); err != nil {
		return err
	}
	for _, p := range m.Files {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(p.Name)))
		if err != nil {
			return err
		}
		if err := errors.Join(packOne(t, m, p.Name, p.Size, f), f.Close()); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func packOne(t *tar.Writer, m manifest, name string, size int64, from io.Reader) error {
	err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: m.At})
	if err == nil {
		_, err = io.Copy(t, from)
	}
	return err
}

// unpack writes the files of a backup below a folder, and answers its manifest
// if all are there and as it says.
func unpack(ctx context.Context, from, dir string) (manifest, error) {
	f, err := os.Open(from)
	if err != nil {
		return manifest{}, blaise.Errorf(blaise.CodeNotFound, "the backup cannot be read: %v", err)
	}
	defer f.Close()
	m, err := unpackFrom(ctx, f, dir)
	if err != nil {
		return m, fmt.Errorf("read backup %s: %w", from, err)
	}
	return m, nil
}

func unpackFrom(ctx context.Context, r io.Reader, dir string) (manifest, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return manifest{}, noBackup(err)
	}
	t := tar.NewReader(z)
	m, err := readManifest(t)
	if err != nil {
		return m, err
	}
	for _, want := range m.Files {
		if err := context.Cause(ctx); err != nil {
			return m, err
		}
		h, err := t.Next()
		if err != nil {
			return m, fmt.Errorf("%s is missing: %w", want.Name, err)
		}
		if h.Name != want.Name {
			return m, fmt.Errorf("%s is missing: %q is in its place", want.Name, h.Name)
		}
		if err := unpackOne(t, want, dir); err != nil {
			return m, err
		}
	}
	return m, nil
}

// noBackup says that a file is something else; err, if any, is what was met in it.
func noBackup(err error) error {
	text := "it is no backup of Blaise"
	if err != nil {
		text += ": " + err.Error()
	}
	return blaise.Errorf(blaise.CodeInvalid, "%s", text).WithHint("name a file that `blaise backup` wrote; one that was cut off is of no use")
}

func readManifest(t *tar.Reader) (m manifest, err error) {
	h, err := t.Next()
	if err != nil || h.Name != manifestName {
		return m, noBackup(err)
	}
	if err := json.NewDecoder(t).Decode(&m); err != nil {
		return m, fmt.Errorf("%s: %w", manifestName, err)
	}
	if m.Format != backupFormat {
		return m, fmt.Errorf("it has format %d, this Blaise (%s) reads %d: it was written by version %s",
			m.Format, programVersion(), backupFormat, m.Version)
	}
	local := func(p packed) bool { return filepath.IsLocal(filepath.FromSlash(p.Name)) }
	if i := slices.IndexFunc(m.Files, func(p packed) bool { return !local(p) }); i >= 0 {
		return m, fmt.Errorf("it has a file outside of the folder: %q", m.Files[i].Name)
	}
	return m, nil
}

func unpackOne(t io.Reader, want packed, dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(want.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, sum), t)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", want.Name, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != want.SHA256 {
		return fmt.Errorf("%s is not what was written", want.Name)
	}
	return nil
}
