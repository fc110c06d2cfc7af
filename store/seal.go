package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"

	"blaise.dev/blaise"
)

// maxPlugState is the longest state of a plug, before it is sealed.
const maxPlugState = 64 << 10

// A seal encrypts what plugs keep at Blaise, and the secrets of webhooks.
type seal struct {
	path string
	id   *age.X25519Identity
}

// openSeal reads the identity at path, and makes one where none is.
func openSeal(path string) (*seal, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeIdentity(path); err != nil {
			return nil, fmt.Errorf("make identity %s: %w", path, err)
		}
		raw, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read identity: %w", err)
	}
	ids, err := age.ParseIdentities(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read identity %s: %w", path, err)
	}
	id, ok := ids[0].(*age.X25519Identity)
	if !ok {
		return nil, fmt.Errorf("read identity %s: %T is not AGE-SECRET-KEY-1", path, ids[0])
	}
	return &seal{path: path, id: id}, nil
}

// makeIdentity writes a new identity, whole or not at all: replicas that share
// path may do it at the same time, and the first one's stays.
func makeIdentity(path string) error {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".identity-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintf(f, "# seals the state of plugs and the secrets of webhooks: keep it with the backups\n%s\n", id)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// checkSeal refuses another identity than the one that sealed what is there:
// better now than when a teardown needs it.
func (db *DB) checkSeal(ctx context.Context) error {
	return db.Tx(ctx, func(tx *Tx) error {
		var was string
		known, err := tx.q.one([]any{&was}, `SELECT value FROM facts WHERE name = 'identity'`)
		is := db.seal.id.Recipient().String()
		if err != nil || (known && was == is) {
			return err
		}
		var one int
		sealed, err := tx.q.one([]any{&one}, `SELECT 1 FROM plug_states
			UNION ALL SELECT 1 FROM webhooks LIMIT 1`)
		if err != nil {
			return err
		}
		if sealed {
			return fmt.Errorf("open store: the state of plugs and the secrets of webhooks are sealed "+
				"for %s, %s is %s: bring the old identity back", was, db.seal.path, is)
		}
		return tx.exec(`INSERT INTO facts (name, value) VALUES ('identity', ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, is)
	})
}

func (s *seal) close(value []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := age.Encrypt(&b, s.id.Recipient())
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(value); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

func (s *seal) open(sealed []byte) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(sealed), s.id)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// SavePlugState seals and keeps a plug's state; nil forgets it. CodeInvalid:
// it is longer than 64 KB, or the store has no identity.
func (tx *Tx) SavePlugState(env blaise.EnvironmentID, plug string, value []byte) error {
	if value == nil {
		return tx.exec(`DELETE FROM plug_states WHERE environment = ? AND plug = ?`,
			string(env), plug)
	}
	if len(value) > maxPlugState {
		return blaise.Errorf(blaise.CodeInvalid, "state of plug %q: %d bytes, at most %d are kept",
			plug, len(value), maxPlugState)
	}
	if tx.db.seal == nil {
		return blaise.Errorf(blaise.CodeInvalid, "state of plug %q: the store has no identity", plug).
			WithHint("start blaise serve with an identity file")
	}
	sealed, err := tx.db.seal.close(value)
	if err != nil {
		return fmt.Errorf("seal state of plug %q: %w", plug, err)
	}
	return tx.exec(`INSERT INTO plug_states (environment, plug, value) VALUES (?, ?, ?)
		ON CONFLICT (environment, plug) DO UPDATE SET value = excluded.value`,
		string(env), plug, sealed)
}

// PlugState reads a plug's state, nil for none.
func (db *DB) PlugState(
	ctx context.Context, env blaise.EnvironmentID, plug string,
) ([]byte, error) {
	var sealed []byte
	found, err := db.read(ctx).one([]any{&sealed},
		`SELECT value FROM plug_states WHERE environment = ? AND plug = ?`, string(env), plug)
	if err != nil || !found {
		return nil, err
	}
	if db.seal == nil {
		return nil, fmt.Errorf("open state of plug %q: the store has no identity", plug)
	}
	value, err := db.seal.open(sealed)
	if err != nil {
		return nil, fmt.Errorf("open state of plug %q: %w", plug, err)
	}
	return value, nil
}
