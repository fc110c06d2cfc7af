package main

import "fmt"

// The agents of the lives. All have clocks that are short, so that a life is a
// matter of seconds; nothing else differs from what a user would write.
const (
	agentKeeps  = "keeps"  // pauses when idle, and stays paused
	agentLeaves = "leaves" // pauses when idle, and is ended after a second
	agentEnds   = "ends"   // ends when idle
)

func manifests() []string {
	const form = `{"apiVersion":"blaise.dev/v1","kind":"Agent","metadata":{"name":%q},"spec":{
"policy":{"idle":{"after":"300ms","then":%q},"maxPaused":%q,"connectTimeout":"10s",
"lease":{"beat":"200ms","misses":10},"questions":{"after":"2m"}},
"gate":[{"then":"ask"}],
"limits":{"agentStart":"30s","load":"30s","open":"1m","hook":"1m","stopGrace":"1s"}}}`
	return []string{
		fmt.Sprintf(form, agentKeeps, "pause", "1h"),
		fmt.Sprintf(form, agentLeaves, "pause", "1s"),
		fmt.Sprintf(form, agentEnds, "end", "1h"),
	}
}
