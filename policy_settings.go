package blaise

import (
	"fmt"
	"maps"
	"reflect"
	"time"
)

// SettingState is the name under which [Policy.SetBy] says who enabled, disabled
// or archived the agent last (A27).
const SettingState = "agent"

// settings are what a clock may take its length from, by name.
func (p Policy) settings() map[string]any {
	return map[string]any{
		"policy.idle.after": p.IdleAfter, "policy.idle.then": p.IdleThen,
		"policy.idle.cannotResume": p.IdleCannotResume, othersWaitSetting: p.IdleWhenOthersWait(),
		"policy.maxPaused": p.MaxPaused, "policy.connectTimeout": p.ConnectTimeout,
		"policy.lease":        [2]int64{int64(p.Beat), int64(p.Misses)},
		"policy.silence.warn": p.SilenceWarn, "policy.silence.stalled": p.SilenceStalled,
		"policy.retain":          p.Retain,
		"policy.questions.after": p.QuestionsAfter, "policy.teardownRetry": p.TeardownWaits(),
		"limits.open": p.Limits.Open, "limits.hook": p.Limits.Hook,
		"budget.expiresAfter": p.ExpiresAfter, "gate": p.Gate, "concurrency": p.Concurrency,
	}
}

// ChangedFrom is p with a note for each setting that differs from old: who set
// it last, and in which revision (X7). What has not changed keeps old's note.
func (p Policy) ChangedFrom(old Policy, by string, revision int) Policy {
	p.SetBy = maps.Clone(old.SetBy)
	if p.SetBy == nil {
		p.SetBy = map[string]string{}
	}
	before := old.settings()
	for name, value := range p.settings() {
		if !reflect.DeepEqual(value, before[name]) {
			p.SetBy[name] = fmt.Sprintf("set by %s in revision %d", by, revision)
		}
	}
	return p
}

// origin says of which agent and revision a setting is, and who set it last.
func (p Policy) origin(agent AgentName, setting string) string {
	by := p.SetBy[setting]
	if by == "" {
		by = "the default"
	}
	return fmt.Sprintf("(agent %s, revision %d; %s)", agent, p.Revision, by)
}

// Origin is a setting with its value, and where that came from (X7).
func (p Policy) Origin(agent AgentName, setting string, value any) string {
	return fmt.Sprintf("%s = %v %s", setting, value, p.origin(agent, setting))
}

// TeardownWaits are the waits before the tries of a teardown after the first;
// after the last failed one the environment is orphaned (A19).
func (p Policy) TeardownWaits() []time.Duration {
	if p.TeardownRetry == nil {
		return []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}
	}
	return p.TeardownRetry
}

// IdleWhenOthersWait is how long a session is idle before it pauses for others;
// never longer than it is idle anyway. 0: nobody is paused for others.
func (p Policy) IdleWhenOthersWait() time.Duration {
	if p.OthersWait == nil {
		return min(time.Minute, p.IdleAfter)
	}
	return min(*p.OthersWait, p.IdleAfter)
}
