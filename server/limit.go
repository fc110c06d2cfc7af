package server

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

const (
	// failuresAtOnce and failureEvery are how many wrong tokens and codes an
	// address may bring: more than a script that was forgotten does in a while.
	failuresAtOnce = 30
	failureEvery   = 2 * time.Second
	// addressesKept and tokensKept bound the memory; the oldest go first.
	addressesKept = 10_000
	tokensKept    = 10_000
)

// A limiter slows down who tries tokens and codes. An address that has brought
// too many wrong ones is asked to wait before another is looked up; what opened
// something before goes on to, so that whoever shares the address of somebody
// who guesses is not shut out.
type limiter struct {
	failures *lru.Cache[netip.Prefix, *rate.Limiter]
	known    *lru.Cache[string, struct{}]
}

func newLimiter() *limiter {
	failures, _ := lru.New[netip.Prefix, *rate.Limiter](addressesKept) // refuses sizes under 1 alone
	known, _ := lru.New[string, struct{}](tokensKept)
	return &limiter{failures: failures, known: known}
}

// try looks a token or a code up, unless its sender is to wait.
func (l *limiter) try(ctx context.Context, secret string, lookUp func() error) error {
	hash := string(control.HashToken(secret))
	bucket := l.bucket(peerOf(ctx).addr)
	if !l.known.Contains(hash) && bucket.Tokens() < 1 {
		return tooMany(time.Duration((1 - bucket.Tokens()) * float64(failureEvery)))
	}
	err := lookUp()
	switch {
	case err == nil:
		l.known.Add(hash, struct{}{})
	case blaise.CodeOf(err) == blaise.CodeDenied:
		bucket.Allow()
	}
	return err
}

func (l *limiter) bucket(a netip.Addr) *rate.Limiter {
	key := sameHand(a)
	if b, ok := l.failures.Get(key); ok {
		return b
	}
	b := rate.NewLimiter(rate.Every(failureEvery), failuresAtOnce)
	if earlier, ok, _ := l.failures.PeekOrAdd(key, b); ok {
		return earlier
	}
	return b
}

// sameHand are the addresses that one hand has for sure: with IPv6 a network of
// 64 bits.
func sameHand(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // fails for more bits than there are alone
	return p
}

// tooMany is the answer to who is to wait.
func tooMany(wait time.Duration) *problem {
	p := denied(http.StatusTooManyRequests, "too many tokens or sign-in codes that are not known came from this address")
	p.Code = blaise.CodeUnreachable // a runner tries again
	p.Retry = max(1, int(wait.Round(time.Second).Seconds()))
	p.Hint = "wait for " + (time.Duration(p.Retry) * time.Second).String()
	return p
}
