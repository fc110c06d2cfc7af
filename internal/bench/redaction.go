package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"blaise.dev/blaise/redact"
)

// redaction measures how fast text passes the redactor of a run: what an agent
// writes, and text in which every other line is a token.
func redaction(context.Context, options) ([]row, error) {
	rnd := rand.New(rand.NewPCG(1, 2))
	r := redact.New()
	for range 100 {
		r.Add(randomText(rnd, 40))
	}
	prose := strings.Repeat("The agent writes ordinary prose and func main() { fmt.Println(x) }\n", 2000)
	var tokens strings.Builder
	for tokens.Len() < len(prose) {
		fmt.Fprintf(&tokens, "GITHUB_TOKEN=ghp_%s and sk-ant-api03-%s\nordinary words of a log\n",
			randomText(rnd, 36), randomText(rnd, 90))
	}
	return []row{
		{name: "redaction, 100 values and all shapes, prose", got: speed(r, prose), limit: 200, unit: "MB/s", least: true},
		{name: "redaction, the same, text full of tokens", got: speed(r, tokens.String()), limit: 50, unit: "MB/s", least: true},
	}, nil
}

func randomText(rnd *rand.Rand, n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[rnd.IntN(len(letters))]
	}
	return string(b)
}

// speed is the best of some rounds, in MB/s: what else the machine does is not
// the redactor's.
func speed(r *redact.Redactor, text string) float64 {
	best := 0.0
	for range 20 {
		began := time.Now()
		r.String(text)
		best = max(best, float64(len(text))/1e6/time.Since(began).Seconds())
	}
	return best
}
