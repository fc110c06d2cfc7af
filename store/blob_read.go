package store

import (
	"context"
	"database/sql"
	"fmt"
	"io"

	"blaise.dev/blaise"
)

// Blobs lists the blobs of a session, oldest first.
func (db *DB) Blobs(ctx context.Context, session blaise.SessionID) ([]Blob, error) {
	return bodies[Blob](db.readBlobs(ctx), `SELECT body FROM blobs
		WHERE session = ? ORDER BY at, upload`, clean(string(session)))
}

// OpenBlob finds a blob of a session and gives its bytes, which are read as long
// as ctx lasts. CodeNotFound: the session has none of this hash.
func (db *DB) OpenBlob(
	ctx context.Context, session blaise.SessionID, sha256 string,
) (Blob, io.Reader, error) {
	q := db.readBlobs(ctx)
	b, found, err := blobOf(q, session, sha256)
	if err != nil {
		return b, nil, fmt.Errorf("read file %s of session %s: %w", sha256, session, err)
	}
	var id string
	if found {
		found, err = q.one([]any{&id}, `SELECT upload FROM blobs WHERE session = ? AND sha256 = ?`,
			string(session), sha256)
	}
	if err == nil && !found {
		err = blaise.Errorf(blaise.CodeNotFound, "session %s has no file %q", session, sha256)
	}
	return b, &blobReader{q: q, upload: id, left: b.Size}, err
}

func blobOf(q querier, session blaise.SessionID, sha256 string) (Blob, bool, error) {
	return body[Blob](q, `SELECT body FROM blobs WHERE session = ? AND sha256 = ?`,
		clean(string(session)), clean(sha256))
}

func (db *DB) readBlobs(ctx context.Context) querier {
	return querier{ctx: ctx, c: db.blobReads, d: db.d}
}

// A blobReader reads the parts of a blob, one at a time.
type blobReader struct {
	q      querier
	upload string
	n      int    // of the next part
	part   []byte // what is left of the last
	left   int64  // of the blob, not read from the store yet
}

func (r *blobReader) Read(p []byte) (int, error) {
	if len(r.part) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.part)
	r.part = r.part[n:]
	return n, nil
}

func (r *blobReader) next() error {
	found := false
	err := r.q.each(func(row *sql.Rows) error {
		found = true
		return row.Scan(&r.part)
	}, `SELECT bytes FROM blob_parts WHERE upload = ? AND n = ?`, r.upload, r.n)
	if err == nil && !found {
		err = io.ErrUnexpectedEOF // deleted meanwhile
	}
	if err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	r.n++
	r.left -= int64(len(r.part))
	return nil
}
