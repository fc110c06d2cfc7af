package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// A timing is a setting that lives with the agent in Blaise (A6).
type timing struct{ setting, meaning string }

var (
	idleAfter    = timing{"policy.idle.after", "how long a session may be idle"}
	maxPaused    = timing{"policy.maxPaused", "how long it may be paused"}
	expiresAfter = timing{"budget.expiresAfter", "how long it may live"}
	activeTime   = timing{"budget.activeTime", "how long it may work"}
	beat         = timing{"policy.lease.beat", "how often a run is heard of"}
	misses       = timing{"policy.lease.misses", "how many beats it may miss"}
	connect      = timing{"policy.connectTimeout", "how long a run may take to connect"}
	stalled      = timing{"policy.silence.stalled", "how long a turn may be silent"}
	warn         = timing{"policy.silence.warn", "when a silent turn is shown"}
	questions    = timing{"policy.questions.after", "how long a question may wait"}
	agentStart   = timing{"limits.agentStart", "how long the agent may take to start"}
	load         = timing{"limits.load", "how long it may take to load a conversation"}
	openLimit    = timing{"limits.open", "how long the plugs may take to open"}
	hook         = timing{"limits.hook", "how long a pause or teardown may take"}
	stopGrace    = timing{"limits.stopGrace", "how long the agent has to stop"}
)

// timings are the keys, without regard to case, - and _, that people look for
// here. A timeout is told apart by where it stands.
var timings = map[string]timing{
	"idle": idleAfter, "after": idleAfter, "idleafter": idleAfter, "idletimeout": idleAfter,
	"maxidle": idleAfter, "maxpaused": maxPaused, "pausetimeout": maxPaused,
	"ttl": expiresAfter, "expires": expiresAfter, "expiry": expiresAfter, "expiresafter": expiresAfter,
	"deadline": expiresAfter, "maxage": expiresAfter, "lifetime": expiresAfter,
	"sessiontimeout": expiresAfter, "activetime": activeTime, "maxduration": activeTime,
	"duration": activeTime, "interval": beat, "beat": beat, "heartbeat": beat,
	"heartbeatinterval": beat, "pollinterval": beat, "misses": misses, "lease": beat,
	"connecttimeout": connect, "silence": stalled, "stalled": stalled, "warn": warn,
	"turntimeout": stalled, "prompttimeout": stalled, "questiontimeout": questions,
	"approvaltimeout": questions, "agentstart": agentStart, "starttimeout": agentStart,
	"startuptimeout": agentStart, "load": load, "loadtimeout": load, "opentimeout": openLimit,
	"createtimeout": openLimit, "hooktimeout": hook, "pausehooktimeout": hook,
	"teardowntimeout": hook, "destroytimeout": hook, "grace": stopGrace, "graceperiod": stopGrace,
	"stopgrace": stopGrace, "stoptimeout": stopGrace, "killafter": stopGrace,
}

// timeouts are what a bare timeout means, by the section it stands in.
var timeouts = map[string]timing{
	"": expiresAfter, "agent": agentStart, "plugs": openLimit, "runner": connect,
}

func timingOf(key, section string) (timing, bool) {
	plain := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key))
	if t, ok := timings[plain]; ok {
		return t, true
	}
	if !strings.HasSuffix(plain, "timeout") && !strings.HasSuffix(plain, "timeouts") {
		return timing{}, false
	}
	t, ok := timeouts[section]
	return t, ok
}

// refuseTimes finds keys that say when, anywhere but among the variables of
// the environment. Aliases are not followed: what they mean stands elsewhere.
func (c *checker) refuseTimes(n *yaml.Node, section string) {
	if n.Kind == yaml.SequenceNode {
		for _, e := range n.Content {
			c.refuseTimes(e, section)
		}
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if t, ok := timingOf(key.Value, section); ok {
			c.problem(key, "%q does not live here: when things happen is a setting of the agent in Blaise. "+
				"Set %s there (%s) with: blaise apply", key.Value, t.setting, t.meaning)
			continue
		}
		inside := section
		if section == "" {
			inside = key.Value
		}
		if key.Value != "env" {
			c.refuseTimes(value, inside)
		}
	}
}
