package config

// Keys are the keys that the parser knows, by section.
func Keys() map[string][]string {
	return map[string][]string{"": topKeys, "agent": agentKeys, "runner": runnerKeys}
}
