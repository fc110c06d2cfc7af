// Package agents holds no code of the product: its tests run real agents through
// the built programs, against a model on loopback, and write what they saw to
// docs/agents.md. `make test-agents` installs the agents and runs them.
package agents
