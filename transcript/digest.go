package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A Digest is a rolling SHA-256 over the events of a run, in order:
// sum_i = SHA-256(sum_{i-1} || data_i), where sum_0 is 32 zero bytes and
// data_i the i-th event as it is shipped. Reports do not count. The receiver
// computes the same. The zero value is the digest of no events.
type Digest struct {
	count int64
	sum   [sha256.Size]byte
	work  []byte
}

// Add takes in one event's data.
func (d *Digest) Add(data []byte) {
	d.work = append(append(d.work[:0], d.sum[:]...), data...)
	d.sum = sha256.Sum256(d.work)
	d.count++
}

// Sum tells how many events there were, and the digest in hex.
func (d *Digest) Sum() (count int64, sum string) {
	return d.count, hex.EncodeToString(d.sum[:])
}

// ParseDigest takes up what Sum told.
func ParseDigest(count int64, sum string) (Digest, error) {
	b, err := hex.DecodeString(sum)
	if err != nil || len(b) != sha256.Size {
		return Digest{}, fmt.Errorf("read digest %q: not %d bytes in hex", sum, sha256.Size)
	}
	return Digest{count: count, sum: [sha256.Size]byte(b)}, nil
}
