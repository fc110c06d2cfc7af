package storetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// noise is a file of many parts.
func noise(seed byte) []byte {
	b := make([]byte, 3<<20+17)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b) // it never fails
	return b
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func readBlob(t *testing.T, db *store.DB, sid blaise.SessionID, sum string) []byte {
	t.Helper()
	_, r, err := db.OpenBlob(t.Context(), sid, sum)
	ok(t, err)
	b, err := io.ReadAll(r)
	ok(t, err)
	return b
}

func testBlobs(t *testing.T, db *store.DB) {
	sid, other := id(), id()
	long := noise(1)
	put := func(sid blaise.SessionID, name string, b []byte) store.Blob {
		t.Helper()
		got, err := db.PutBlob(t.Context(), store.Blob{Session: sid, Name: name, Type: "text/plain"}, bytes.NewReader(b))
		ok(t, err)
		equal(t, "hash", got.SHA256, hashOf(b))
		equal(t, "size", got.Size, int64(len(b)))
		return got
	}
	first := put(sid, "long", long)
	equal(t, "the same again", put(sid, "other name", long), first)
	empty := put(sid, "empty", nil)
	put(other, "long", long)
	list, err := db.Blobs(t.Context(), sid)
	ok(t, err)
	equal(t, "list", list, []store.Blob{first, empty})
	equal(t, "bytes", bytes.Equal(readBlob(t, db, sid, first.SHA256), long), true)
	equal(t, "bytes", len(readBlob(t, db, sid, empty.SHA256)), 0)

	ok(t, db.DeleteBlobs(t.Context(), sid))
	list, err = db.Blobs(t.Context(), sid)
	ok(t, err)
	equal(t, "list", len(list), 0)
	_, _, err = db.OpenBlob(t.Context(), sid, first.SHA256)
	code(t, err, blaise.CodeNotFound)
	equal(t, "another session's", bytes.Equal(readBlob(t, db, other, first.SHA256), long), true)
}

func testBrokenBlobs(t *testing.T, db *store.DB) {
	sid := id()
	broken := errors.New("broken")
	for _, from := range []io.Reader{
		iotest.ErrReader(broken),
		io.MultiReader(bytes.NewReader(noise(2)), iotest.ErrReader(broken)),
	} {
		_, err := db.PutBlob(t.Context(), store.Blob{Session: sid, Name: "half"}, from)
		if !errors.Is(err, broken) {
			t.Errorf("error = %v, want %v", err, broken)
		}
	}
	_, err := db.PutBlob(t.Context(), store.Blob{Session: sid, Name: "x", SHA256: hashOf([]byte("y"))}, strings.NewReader("x"))
	code(t, err, blaise.CodeInvalid)
	list, err := db.Blobs(t.Context(), sid)
	ok(t, err)
	equal(t, "list", len(list), 0)
	_, _, err = db.OpenBlob(t.Context(), sid, "")
	code(t, err, blaise.CodeNotFound)
}

func testBlobsTogether(t *testing.T, db *store.DB) {
	sid := id()
	long := noise(3)
	together(func(int) {
		_, err := db.PutBlob(t.Context(), store.Blob{Session: sid, Name: "long"}, bytes.NewReader(long))
		check(t, err)
	})
	list, err := db.Blobs(t.Context(), sid)
	ok(t, err)
	equal(t, "blobs", len(list), 1)
	equal(t, "bytes", bytes.Equal(readBlob(t, db, sid, hashOf(long)), long), true)
}
