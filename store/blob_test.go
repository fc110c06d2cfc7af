package store_test

import (
	"bytes"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func TestBlobLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, "sqlite:"+dir, store.Options{MaxBlob: 3 << 20, MaxBlobs: 4 << 20})
	put := func(b byte, size int) error {
		_, err := db.PutBlob(t.Context(), store.Blob{Session: "s1", Name: "file"},
			bytes.NewReader(bytes.Repeat([]byte{b}, size)))
		return err
	}
	for _, c := range []struct {
		b    byte
		size int
		want blaise.Code
	}{
		{1, 3<<20 + 1, blaise.CodeInvalid},
		{1, 3 << 20, ""},
		{2, 2 << 20, blaise.CodeRefused},
		{1, 3 << 20, ""}, // it is there
		{2, 1 << 20, ""},
		{3, 1, blaise.CodeRefused},
	} {
		err := put(c.b, c.size)
		if (err == nil) != (c.want == "") || err != nil && blaise.CodeOf(err) != c.want {
			t.Errorf("%d bytes of %d: %v, want %q", c.size, c.b, err, c.want)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var parts, uploads int
	err := raw(t, "sqlite:"+dir, "blobs.db").QueryRow(
		`SELECT (SELECT COUNT(*) FROM blob_parts), (SELECT COUNT(*) FROM uploads)`).Scan(&parts, &uploads)
	if err != nil || parts != 4 || uploads != 0 {
		t.Errorf("%d parts and %d uploads are left (%v), want 4 and 0", parts, uploads, err)
	}
}
