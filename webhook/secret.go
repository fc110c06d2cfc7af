package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"
)

// SecretPrefix begins every secret in the form in which people keep it.
const SecretPrefix = "whsec_"

// A Secret signs what is sent to one address. It never prints as it is.
type Secret []byte

// NewSecret draws a secret.
func NewSecret() Secret {
	s := make(Secret, 32)
	_, _ = rand.Read(s) // never fails
	return s
}

// Shown is the secret as a receiver wants it, "whsec_...". It is for the one
// person who has just made it.
func (s Secret) Shown() string { return SecretPrefix + base64.StdEncoding.EncodeToString(s) }

// String keeps a secret out of logs.
func (s Secret) String() string { return SecretPrefix + "..." }

// GoString keeps a secret out of logs.
func (s Secret) GoString() string { return s.String() }

// sign is the value of the header webhook-signature.
func (s Secret) sign(id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, s)
	mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
