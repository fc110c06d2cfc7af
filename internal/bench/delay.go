package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/transcript"
)

// delays is how often an agent is heard for a delay.
const delays = 2000

// delay measures how soon an update is a line in the file of the spool, where
// it outlives the process: one that comes alone, and the last of ten at once.
func delay(ctx context.Context, o options) ([]row, error) {
	var rows []row
	for _, n := range []int{1, 10} {
		floor, err := pipeDelay(n)
		if err != nil {
			return nil, err
		}
		late, err := fileDelay(ctx, o, n)
		if err != nil {
			return nil, err
		}
		name := "update written by the agent to line in the file of the spool, p99"
		if n > 1 {
			name = fmt.Sprintf("%d updates written at once to the last line in the file of the spool, p99", n)
		}
		rows = append(rows, row{name: name, got: quantile(late, 0.99), floor: quantile(floor, 0.99),
			limit: 1, unit: "ms"})
	}
	return rows, nil
}

// fileDelay looks at the file itself, and not at what the spool says.
func fileDelay(ctx context.Context, o options, n int) ([]time.Duration, error) {
	dir := filepath.Join(o.tmp, fmt.Sprintf("delay-%d", n))
	spool, err := transcript.OpenSpool(dir, transcript.SpoolOptions{})
	if err != nil {
		return nil, err
	}
	defer spool.Close()
	record := transcript.NewRecorder(spool, "bench.1", nil)
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	return chatter(n, func(out *os.File, there chan<- time.Time) {
		heard, size := 0, sizeOf(dir)
		c := acp.NewClient(null, out, listener(func(u acp.Update) {
			_ = record.Append(transcript.Event{Kind: transcript.KindUpdate, Data: u.Raw})
			if heard++; heard%n != 0 {
				return
			}
			for size += int64(n * len(u.Raw)); sizeOf(dir) < size; { // a line is longer than its update
				runtime.Gosched()
			}
			size = sizeOf(dir)
			there <- time.Now()
		}), acp.Options{})
		_ = c.Run(ctx) // it ends with the pipe
	})
}

// sizeOf is how much there is in the segments of a spool.
func sizeOf(dir string) (size int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			size += info.Size()
		}
	}
	return size
}

// pipeDelay is the least there can be: a goroutine that reads a pipe.
func pipeDelay(n int) ([]time.Duration, error) {
	return chatter(n, func(out *os.File, there chan<- time.Time) {
		lines := 0
		for b := make([]byte, 4096); ; {
			k, err := out.Read(b)
			if err != nil {
				return
			}
			if lines += bytes.Count(b[:k], []byte("\n")); lines == n {
				lines = 0
				there <- time.Now()
			}
		}
	})
}

// chatter writes n updates at once into a pipe, again and again, and measures
// when hear has the last of them.
func chatter(n int, hear func(out *os.File, there chan<- time.Time)) ([]time.Duration, error) {
	out, agent, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	there, done := make(chan time.Time, 1), make(chan struct{})
	go func() {
		defer close(done)
		hear(out, there)
	}()
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` +
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"some words"}}}}` + "\n")
	var all []time.Duration
	for range delays {
		began := time.Now()
		if _, err := agent.Write(bytes.Repeat(line, n)); err != nil {
			return nil, err
		}
		all = append(all, (<-there).Sub(began))
		time.Sleep(time.Millisecond)
	}
	_ = agent.Close()
	<-done
	return all, nil
}
