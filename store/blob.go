package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"blaise.dev/blaise"
)

// A Blob is a file that is kept for a session, under the SHA-256 of its bytes:
// a bundle of saved work, an event too long for the record. It goes with the
// session.
type Blob struct {
	Session blaise.SessionID
	SHA256  string // in hex
	Name    string // for people
	Type    string // the media type; "" for unknown bytes
	Size    int64
	At      time.Time
}

// What is kept at most where Options do not say.
const (
	maxBlob  = 256 << 20
	maxBlobs = 1 << 30
)

// blobPart is how much of a blob stands in one row and takes one transaction.
const blobPart = 1 << 20

// blobPatience is how long a blob may take to come whole.
const blobPatience = time.Hour

// PutBlob keeps all that from gives as b, and answers it with its hash and
// size; what the session has already is kept once, as it was. CodeInvalid: it
// is longer than Options.MaxBlob, or not what b.SHA256 says, if that is set.
// CodeRefused: the session would have more than Options.MaxBlobs. A b.Size that
// is set, and too much, is refused before anything is read. Nothing is left of a
// blob that did not come whole.
func (db *DB) PutBlob(ctx context.Context, b Blob, from io.Reader) (Blob, error) {
	if old, found, err := blobOf(db.readBlobs(ctx), b.Session, b.SHA256); err != nil || found {
		return old, err
	}
	u := upload{db: db, id: rand.Text(), b: b, want: b.SHA256}
	if err := u.fits(); err != nil {
		return Blob{}, err
	}
	u.b.At, u.b.Size = db.now(), 0
	err := u.begin(ctx)
	if err == nil {
		err = u.take(ctx, from)
	}
	if err == nil {
		err = u.finish(ctx)
	}
	if err == nil {
		return u.b, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = join(err, u.db.blobs.do(ctx, u.forget))
	var refusal *blaise.Error
	if errors.As(err, &refusal) {
		return Blob{}, err
	}
	return Blob{}, fmt.Errorf("keep file %q of session %s: %w", b.Name, b.Session, err)
}

// An upload is a blob that comes in.
type upload struct {
	db   *DB
	id   string
	b    Blob
	want string // the hash it should have, if known
}

// begin also clears away what others began and never ended.
func (u *upload) begin(ctx context.Context) error {
	old := nanos(u.b.At.Add(-blobPatience))
	return u.db.blobs.do(ctx, func(q querier) error {
		for _, query := range []string{
			`DELETE FROM blob_parts WHERE upload IN (SELECT upload FROM uploads WHERE at < ?)`,
			`DELETE FROM uploads WHERE at < ?`,
		} {
			if _, err := q.exec(query, old); err != nil {
				return err
			}
		}
		_, err := q.exec(`INSERT INTO uploads (upload, at) VALUES (?, ?)`, u.id, nanos(u.b.At))
		return err
	})
}

// take writes the parts as they come.
func (u *upload) take(ctx context.Context, from io.Reader) error {
	sum, part := sha256.New(), make([]byte, blobPart)
	for n := 0; ; n++ {
		size, err := io.ReadFull(from, part)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		u.b.Size += int64(size)
		if err := u.fits(); err != nil {
			return err
		}
		if size > 0 {
			sum.Write(part[:size])
			if err := u.put(ctx, n, part[:size]); err != nil {
				return err
			}
		}
		if err != nil {
			u.b.SHA256 = hex.EncodeToString(sum.Sum(nil))
			return nil
		}
	}
}

func (u *upload) fits() error {
	if u.b.Size <= u.db.o.MaxBlob {
		return nil
	}
	return blaise.Errorf(blaise.CodeInvalid, "file %q is longer than the %d MB that Blaise keeps of one",
		u.b.Name, u.db.o.MaxBlob>>20)
}

func (u *upload) put(ctx context.Context, n int, part []byte) error {
	return u.db.blobs.do(ctx, func(q querier) error {
		_, err := q.exec(`INSERT INTO blob_parts (upload, n, bytes) VALUES (?, ?, ?)`, u.id, n, part)
		return err
	})
}

// finish makes the blob one of the session's, unless it has these bytes.
func (u *upload) finish(ctx context.Context) error {
	if u.want != "" && u.want != u.b.SHA256 {
		return blaise.Errorf(blaise.CodeInvalid, "file %q came with the SHA-256 %s, want %s",
			u.b.Name, u.b.SHA256, u.want)
	}
	return u.db.blobs.do(ctx, func(q querier) error {
		old, found, err := blobOf(q, u.b.Session, u.b.SHA256)
		if err == nil && found {
			u.b = old
			return u.forget(q)
		}
		if err == nil {
			err = u.room(q)
		}
		if err != nil {
			return err
		}
		n, err := q.exec(`INSERT INTO blobs (session, sha256, upload, size, at, body)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (session, sha256) DO NOTHING`,
			string(u.b.Session), u.b.SHA256, u.id, u.b.Size, nanos(u.b.At), encode(u.b))
		if err == nil && n == 0 { // another upload of the same bytes was first
			return u.forget(q)
		}
		if err == nil {
			_, err = q.exec(`DELETE FROM uploads WHERE upload = ?`, u.id)
		}
		return err
	})
}

// room refuses what would be too much for one session.
func (u *upload) room(q querier) error {
	var have int64
	_, err := q.one([]any{&have}, `SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM blobs
		WHERE session = ?`, string(u.b.Session))
	if err == nil && have+u.b.Size > u.db.o.MaxBlobs {
		return blaise.Errorf(blaise.CodeRefused,
			"file %q of %d MB: session %s has files of %d MB, and Blaise keeps %d MB of one session",
			u.b.Name, u.b.Size>>20, u.b.Session, have>>20, u.db.o.MaxBlobs>>20)
	}
	return err
}

// forget takes back what was written.
func (u *upload) forget(q querier) error {
	if _, err := q.exec(`DELETE FROM blob_parts WHERE upload = ?`, u.id); err != nil {
		return err
	}
	_, err := q.exec(`DELETE FROM uploads WHERE upload = ?`, u.id)
	return err
}

// DeleteBlobs forgets all blobs of a session, and what it changed.
func (db *DB) DeleteBlobs(ctx context.Context, session blaise.SessionID) error {
	err := db.blobs.do(ctx, func(q querier) error {
		if _, err := q.exec(`DELETE FROM blob_parts WHERE upload IN
			(SELECT upload FROM blobs WHERE session = ?)`, string(session)); err != nil {
			return err
		}
		if _, err := q.exec(`DELETE FROM blobs WHERE session = ?`, string(session)); err != nil {
			return err
		}
		_, err := q.exec(`DELETE FROM diffs WHERE session = ?`, string(session))
		return err
	})
	if err != nil {
		return fmt.Errorf("delete files of session %s: %w", session, err)
	}
	return nil
}
