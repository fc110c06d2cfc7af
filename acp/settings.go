package acp

import (
	"context"
	"encoding/json"
)

// How a Setting is set.
const (
	byOption  = "session/set_config_option"
	byMode    = "session/set_mode"
	byModel   = "session/set_model"
	isBoolean = "boolean"
)

// A Setting is something that a session lets its client choose: a config
// option, or a mode or model of agents that still send those. A mode or model
// is one setting, however it is sent; its ID is then "mode" or "model".
type Setting struct {
	ID, Name, Category string
	// Value is what is chosen now; "true" or "false" of a boolean.
	Value   string
	Boolean bool
	Choices []Choice

	how, option string // the method, and the id it takes
}

// A Choice is one value of a Setting.
type Choice struct{ Value, Name string }

// Offers tells whether value can be chosen. A setting that lists nothing takes
// anything.
func (s Setting) Offers(value string) bool {
	for _, c := range s.Choices {
		if c.Value == value {
			return true
		}
	}
	return len(s.Choices) == 0
}

// Settings are what the session lets a client choose. Config options go before
// modes and models.
func (s Session) Settings() []Setting {
	list := SettingsOf(s.ConfigOptions)
	list = legacyModes.add(list, s.Modes)
	return legacyModels.add(list, s.Models)
}

// SettingsOf are the settings in a list of config options. An option of a type
// that is not known is left out.
func SettingsOf(configOptions json.RawMessage) []Setting {
	var list []Setting
	for v := range elements(configOptions) {
		s := Setting{
			Name: str(field(v, "name")), Category: str(field(v, "category")),
			Value: str(field(v, "currentValue")), how: byOption, option: str(field(v, "id")),
		}
		s.ID = s.option
		if s.Category == "mode" || s.Category == "model" {
			s.ID = s.Category
		}
		switch str(field(v, "type")) {
		case isBoolean:
			s.Boolean = true
			s.Choices = []Choice{{Value: "true"}, {Value: "false"}}
		case "select", "":
			s.Choices = choices(field(v, "options"))
		default:
			continue
		}
		if s.option != "" && !has(list, s.ID) {
			list = append(list, s)
		}
	}
	return list
}

// choices reads options, flat or in groups.
func choices(raw json.RawMessage) []Choice {
	var list []Choice
	for v := range elements(raw) {
		if group := field(v, "options"); group != nil {
			list = append(list, choices(group)...)
			continue
		}
		list = append(list, Choice{Value: str(field(v, "value")), Name: str(field(v, "name"))})
	}
	return list
}

func has(list []Setting, id string) bool {
	for _, s := range list {
		if s.ID == id {
			return true
		}
	}
	return false
}

// A legacy is how a setting was sent before there were config options: the names
// of the fields that hold the value there is, all of them, and one's id.
type legacy struct{ id, how, now, all, key string }

var (
	legacyModes  = legacy{id: "mode", how: byMode, now: "currentModeId", all: "availableModes", key: "id"}
	legacyModels = legacy{id: "model", how: byModel, now: "currentModelId", all: "availableModels", key: "modelId"}
)

// add adds the setting in raw to list, unless the config options say it too.
func (l legacy) add(list []Setting, raw json.RawMessage) []Setting {
	if raw == nil || has(list, l.id) {
		return list
	}
	s := Setting{ID: l.id, Name: l.id, Category: l.id, Value: str(field(raw, l.now)), how: l.how}
	for v := range elements(field(raw, l.all)) {
		s.Choices = append(s.Choices, Choice{Value: str(field(v, l.key)), Name: str(field(v, "name"))})
	}
	return append(list, s)
}

// Set chooses value and returns the settings as they are then: the agent's own
// list where it sends one, else nil.
func (c *Client) Set(ctx context.Context, session string, s Setting, value string) ([]Setting, error) {
	switch s.how {
	case byMode:
		return nil, c.SetMode(ctx, session, value)
	case byModel:
		_, err := c.Call(ctx, byModel, map[string]any{"sessionId": session, "modelId": value})
		return nil, err
	}
	var v any = value
	if s.Boolean {
		v = value == "true"
	}
	raw, err := c.SetConfigOption(ctx, session, s.option, v)
	return SettingsOf(raw), err
}
