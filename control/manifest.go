package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/onedoc"

	"gopkg.in/yaml.v3"
)

// APIVersion is the version of manifests that are read.
const APIVersion = "blaise.dev/v1"

var agentName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$`)

type manifestDoc struct {
	APIVersion string `yaml:"apiVersion" json:"apiVersion"`
	Kind       string `yaml:"kind" json:"kind"`
	Metadata   struct {
		Name string `yaml:"name" json:"name"`
	} `yaml:"metadata" json:"metadata"`
	Spec agentSpec `yaml:"spec" json:"spec"`
}

type agentSpec struct {
	Requirements map[string]string    `yaml:"requirements" json:"requirements,omitempty"`
	Inputs       map[string]inputSpec `yaml:"inputs" json:"inputs,omitempty"`
	Policy       policySpec           `yaml:"policy" json:"policy,omitzero"`
	Limits       limitsSpec           `yaml:"limits" json:"limits,omitzero"`
	Gate         []gateRuleSpec       `yaml:"gate" json:"gate,omitzero"`
	Concurrency  limit                `yaml:"concurrency" json:"concurrency,omitempty"`
	Budget       struct {
		ExpiresAfter duration `yaml:"expiresAfter" json:"expiresAfter,omitempty"`
	} `yaml:"budget" json:"budget,omitzero"`
}

type policySpec struct {
	Idle struct {
		After          duration `yaml:"after" json:"after,omitempty"`
		Then           string   `yaml:"then" json:"then,omitempty"`
		CannotResume   string   `yaml:"cannotResume" json:"cannotResume,omitempty"`
		WhenOthersWait duration `yaml:"whenOthersWait" json:"whenOthersWait,omitempty"`
	} `yaml:"idle" json:"idle,omitzero"`
	MaxPaused      duration `yaml:"maxPaused" json:"maxPaused,omitempty"`
	ConnectTimeout duration `yaml:"connectTimeout" json:"connectTimeout,omitempty"`
	Lease          struct {
		Beat   duration `yaml:"beat" json:"beat,omitempty"`
		Misses int      `yaml:"misses" json:"misses,omitempty"`
	} `yaml:"lease" json:"lease,omitzero"`
	Silence struct {
		Warn    duration `yaml:"warn" json:"warn,omitempty"`
		Stalled duration `yaml:"stalled" json:"stalled,omitempty"`
	} `yaml:"silence" json:"silence,omitzero"`
	OnContextLoss     string `yaml:"onContextLoss" json:"onContextLoss,omitempty"`
	OnInterruptedTurn string `yaml:"onInterruptedTurn" json:"onInterruptedTurn,omitempty"`
	Questions         struct {
		After duration `yaml:"after" json:"after,omitempty"`
		Then  string   `yaml:"then" json:"then,omitempty"`
	} `yaml:"questions" json:"questions,omitzero"`
	Retain        duration   `yaml:"retain" json:"retain,omitempty"`
	TeardownRetry []duration `yaml:"teardownRetry" json:"teardownRetry,omitzero"`
}

type limitsSpec struct {
	AgentStart duration `yaml:"agentStart" json:"agentStart,omitempty"`
	Load       duration `yaml:"load" json:"load,omitempty"`
	Open       duration `yaml:"open" json:"open,omitempty"`
	Hook       duration `yaml:"hook" json:"hook,omitempty"`
	StopGrace  duration `yaml:"stopGrace" json:"stopGrace,omitempty"`
}

// ParseManifest reads an agent's manifest, YAML or JSON. Unknown keys are
// errors, and so are those of parts that this version does not enforce: a
// limit that is not kept must not be accepted; so is a second document.
func ParseManifest(data []byte) (Manifest, error) {
	if err := onedoc.Check(data); err != nil {
		return Manifest{}, invalid("%s", err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return Manifest{}, fmt.Errorf("read manifest: %w", err)
	}
	if root.Kind == 0 {
		return Manifest{}, invalid("the manifest is empty")
	}
	if bad := checkKeys(&root, "", reflect.TypeFor[manifestDoc]()); len(bad) > 0 {
		return Manifest{}, invalid("%s", strings.Join(bad, "\n"))
	}
	var doc manifestDoc
	if err := root.Decode(&doc); err != nil {
		return Manifest{}, invalid("%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if doc.APIVersion != APIVersion || doc.Kind != "Agent" {
		return Manifest{}, invalid("apiVersion %q and kind %q are not an agent's", doc.APIVersion, doc.Kind).
			WithHint("write `apiVersion: %s` and `kind: Agent`", APIVersion)
	}
	if !agentName.MatchString(doc.Metadata.Name) {
		return Manifest{}, invalid("metadata.name %q is not a name", doc.Metadata.Name).
			WithHint("use lower-case letters, digits, dots and dashes")
	}
	policy, err := doc.Spec.policy()
	if err == nil {
		err = doc.Spec.inputs().Check()
	}
	if err != nil {
		return Manifest{}, err
	}
	spec, err := json.Marshal(doc)
	if err != nil {
		return Manifest{}, fmt.Errorf("encode manifest: %w", err)
	}
	return Manifest{
		Name: blaise.AgentName(doc.Metadata.Name), Spec: spec,
		Policy: policy, Requirements: doc.Spec.Requirements,
	}, nil
}

func invalid(format string, args ...any) *blaise.Error {
	return blaise.Errorf(blaise.CodeInvalid, "read manifest: "+format, args...)
}

// laterParts are keys of the contract that this version does not keep yet.
var laterParts = []string{
	"tokens", "turns", "activeTime", "door", "identity", "delivery",
}

// policy is the default policy with what the manifest sets.
func (s agentSpec) policy() (blaise.Policy, error) {
	p := blaise.DefaultPolicy()
	p.Concurrency = int(s.Concurrency)
	q := s.Policy
	set(&p.IdleAfter, q.Idle.After)
	if q.Idle.WhenOthersWait != "" {
		p.OthersWait = new(time.Duration)
		set(p.OthersWait, q.Idle.WhenOthersWait)
	}
	set(&p.MaxPaused, q.MaxPaused)
	set(&p.ConnectTimeout, q.ConnectTimeout)
	set(&p.Beat, q.Lease.Beat)
	set(&p.SilenceWarn, q.Silence.Warn)
	set(&p.SilenceStalled, q.Silence.Stalled)
	set(&p.QuestionsAfter, q.Questions.After)
	set(&p.ExpiresAfter, s.Budget.ExpiresAfter)
	set(&p.Limits.AgentStart, s.Limits.AgentStart)
	set(&p.Limits.Load, s.Limits.Load)
	set(&p.Limits.Open, s.Limits.Open)
	set(&p.Limits.Hook, s.Limits.Hook)
	set(&p.Limits.StopGrace, s.Limits.StopGrace)
	if q.Retain != "" {
		p.Retain = new(time.Duration)
		set(p.Retain, q.Retain)
	}
	if q.TeardownRetry != nil {
		p.TeardownRetry = make([]time.Duration, len(q.TeardownRetry))
	}
	for i, wait := range q.TeardownRetry {
		set(&p.TeardownRetry[i], wait)
	}
	if q.Lease.Misses != 0 {
		p.Misses = q.Lease.Misses
	}
	if p.Misses < 3 || p.Beat < 10*time.Millisecond {
		return p, invalid("policy.lease: at least 3 misses of at least 10ms").WithHint("the default is 20s x 90")
	}
	var err error
	p.Gate, err = gateOf(s.Gate)
	return p, errors.Join(
		err,
		choose(&p.IdleThen, "policy.idle.then", q.Idle.Then, blaise.ThenPause, blaise.ThenEnd),
		choose(&p.IdleCannotResume, "policy.idle.cannotResume", q.Idle.CannotResume, blaise.ThenEnd, blaise.ThenPause),
		choose(&p.QuestionsThen, "policy.questions.then", q.Questions.Then, blaise.ThenDeny, blaise.ThenPause),
		choose(&p.OnContextLoss, "policy.onContextLoss", q.OnContextLoss, blaise.ReactContinue, blaise.ReactAsk, blaise.ReactFail),
		choose(&p.OnInterruptedTurn, "policy.onInterruptedTurn", q.OnInterruptedTurn, blaise.ReactContinue, blaise.ReactAsk, blaise.ReactFail),
	)
}

func choose[T ~string](to *T, key, got string, allowed ...T) error {
	if got == "" {
		return nil
	}
	for _, a := range allowed {
		if string(a) == got {
			*to = a
			return nil
		}
	}
	return invalid("%s: %q is none of %s", key, got, words(allowed))
}

func words[T ~string](all []T) string {
	list := make([]string, len(all))
	for i, w := range all {
		list[i] = string(w)
	}
	return strings.Join(list, ", ")
}
