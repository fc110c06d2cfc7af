package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// A seen is one line of the demo agent's witness file: a prompt it received.
type seen struct {
	Message string    `json:"message"`
	PID     int       `json:"pid"`
	Time    time.Time `json:"time"`
}

// awaitPrompt waits until the witness file tells of a prompt whose text
// contains mark, and answers when the agent had it.
func awaitPrompt(ctx context.Context, path, mark string) (seen, error) {
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) && ctx.Err() == nil {
		if s, ok := findPrompt(path, mark); ok {
			return s, nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	return seen{}, fmt.Errorf("await prompt %q: the agent did not receive it", mark)
}

func findPrompt(path, mark string) (seen, bool) {
	f, err := os.Open(path)
	if err != nil {
		return seen{}, false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var s seen
		if json.Unmarshal(lines.Bytes(), &s) == nil && strings.Contains(s.Message, mark) {
			return s, true
		}
	}
	return seen{}, false
}
