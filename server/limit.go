package server

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"blaise.dev/blaise"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

const (
	// failuresAtOnce and failureEvery are how many wrong tokens and codes an
	// address may bring: more than a script that was forgotten does in a while.
	failuresAtOnce = 30
	failureEvery   = 2 * time.Second
	// addressesKept bounds the memory; the oldest go first.
	addressesKept = 10_000
)

// A limiter slows down who tries tokens and codes. An address that has brought
// too many wrong ones is asked to wait with each further one; a right one is let
// in all the same, so that whoever shares the address of somebody who guesses is
// not shut out. With 256 random bits in each, guessing gains nothing by it.
type limiter struct {
	failures *lru.Cache[netip.Prefix, *rate.Limiter]
}

func newLimiter() *limiter {
	failures, _ := lru.New[netip.Prefix, *rate.Limiter](addressesKept) // refuses sizes under 1 alone
	return &limiter{failures: failures}
}

// try looks a token or a code up, which must cost little: it is done for every
// guess.
func (l *limiter) try(ctx context.Context, lookUp func() error) error {
	err := lookUp()
	if blaise.CodeOf(err) != blaise.CodeDenied || err == nil {
		return err
	}
	if bucket := l.bucket(peerOf(ctx).addr); !bucket.Allow() {
		return tooMany(bucket)
	}
	return err
}

// ask is try for what is dear to find out: its sender waits first.
func (l *limiter) ask(ctx context.Context, find func() error) error {
	if bucket := l.bucket(peerOf(ctx).addr); bucket.Tokens() < 1 {
		return tooMany(bucket)
	}
	return l.try(ctx, find)
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
func tooMany(bucket *rate.Limiter) *problem {
	wait := time.Duration((1 - bucket.Tokens()) * float64(failureEvery))
	p := denied(http.StatusTooManyRequests, "too many tokens or sign-in codes that are not known came from this address")
	p.Code = blaise.CodeUnreachable // a runner tries again
	p.Retry = max(1, int(wait.Round(time.Second).Seconds()))
	p.Hint = "wait for " + (time.Duration(p.Retry) * time.Second).String()
	return p
}
