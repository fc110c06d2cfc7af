package blaise

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// QuestionElicitation is the kind of a question that an agent asks of its own
// accord: a form to fill in, or an address to visit.
const QuestionElicitation = "elicitation"

// The options of an elicitation.
const (
	ChoiceAccept  = "accept"
	ChoiceDecline = "decline"
)

// A Form is what an elicitation asks for.
type Form struct {
	Message string
	URL     string  // to be visited; "" for a form
	Fields  []Field // in the order of the agent
}

// A Field is one thing a form asks for. Type is string, number, integer,
// boolean or array, which is several of its options.
type Field struct {
	Name, Title, Description, Type string
	Required                       bool
	Default                        string
	Options                        []FieldOption // nil where anything may be said
}

// A FieldOption is a value that a field may have.
type FieldOption struct{ Value, Title string }

// FormOf reads the detail of an elicitation, as the agent gave it. It is loose:
// what cannot be understood is left out.
func FormOf(detail []byte) Form {
	var d struct {
		Message string          `json:"message"`
		URL     string          `json:"url"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}
	_ = json.Unmarshal(detail, &d) // loose
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	_ = json.Unmarshal(d.Schema, &s) // loose
	f := Form{Message: d.Message, URL: d.URL}
	ordered(s.Properties, func(name string, raw json.RawMessage) {
		field := fieldOf(name, raw)
		field.Required = slices.Contains(s.Required, name)
		f.Fields = append(f.Fields, field)
	})
	return f
}

// ordered walks the members of an object as they stand.
func ordered(object json.RawMessage, each func(string, json.RawMessage)) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return
	}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return
		}
		each(name, value)
	}
}

type fieldSchema struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []constant      `json:"oneOf"`
	AnyOf       []constant      `json:"anyOf"`
	Items       *fieldSchema    `json:"items"`
}

type constant struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

func fieldOf(name string, raw json.RawMessage) Field {
	var s fieldSchema
	_ = json.Unmarshal(raw, &s) // loose
	f := Field{
		Name: name, Title: cmp.Or(s.Title, name), Description: s.Description,
		Type: cmp.Or(s.Type, "string"), Options: s.options(), Default: plain(s.Default),
	}
	if s.Items != nil && f.Type == "array" {
		f.Options = s.Items.options()
	}
	return f
}

func (s fieldSchema) options() []FieldOption {
	var list []FieldOption
	for i, v := range s.Enum {
		o := FieldOption{Value: v, Title: v}
		if i < len(s.EnumNames) {
			o.Title = s.EnumNames[i]
		}
		list = append(list, o)
	}
	for _, c := range slices.Concat(s.OneOf, s.AnyOf) {
		list = append(list, FieldOption{Value: c.Const, Title: cmp.Or(c.Title, c.Const)})
	}
	return list
}

// plain is a default as a person would write it.
func plain(raw json.RawMessage) string {
	var text string
	var list []string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &text) == nil:
		return text
	case json.Unmarshal(raw, &list) == nil:
		return strings.Join(list, ",")
	}
	return string(raw)
}

// Fill makes the content of an answer from what a person wrote. A field that is
// left out has its default. The error says what is wrong with which field.
func (f Form) Fill(said map[string]string) ([]byte, error) {
	if err := f.known(said); err != nil {
		return nil, err
	}
	content := map[string]any{}
	for _, x := range f.Fields {
		text, ok := said[x.Name]
		if !ok || text == "" {
			text = x.Default
		}
		switch {
		case text != "":
			v, err := x.value(text)
			if err != nil {
				return nil, err
			}
			content[x.Name] = v
		case x.Required && x.Type == "string" && ok && len(x.Options) == 0:
			content[x.Name] = ""
		case x.Required:
			return nil, Errorf(CodeInvalid, "%s is needed", x.Name).WithHint("%s", f.hint())
		}
	}
	return json.Marshal(content)
}

func (f Form) known(said map[string]string) error {
	for name := range said {
		if !slices.ContainsFunc(f.Fields, func(x Field) bool { return x.Name == name }) {
			return Errorf(CodeInvalid, "the agent asks for no %q", name).WithHint("%s", f.hint())
		}
	}
	return nil
}

func (f Form) hint() string {
	if len(f.Fields) == 0 {
		return "it asks for nothing but a yes"
	}
	var names []string
	for _, x := range f.Fields {
		names = append(names, "--set "+x.Name+"="+x.Wants())
	}
	return "answer with " + strings.Join(names, " ")
}

// Wants says what may stand in the field.
func (x Field) Wants() string {
	var values []string
	for _, o := range x.Options {
		values = append(values, o.Value)
	}
	if len(values) > 0 {
		return strings.Join(values, "|")
	}
	return strings.ToUpper(x.Type)
}

func (x Field) value(text string) (any, error) {
	var v any
	var err error
	switch x.Type {
	case "boolean":
		v, err = strconv.ParseBool(text)
	case "integer":
		v, err = strconv.ParseInt(text, 10, 64)
	case "number":
		v, err = strconv.ParseFloat(text, 64)
	case "array":
		list := strings.Split(text, ",")
		for i, one := range list {
			list[i] = strings.TrimSpace(one)
			if !x.offers(list[i]) {
				err = strconv.ErrSyntax
			}
		}
		v = list
	default:
		v = text
		if !x.offers(text) {
			err = strconv.ErrSyntax
		}
	}
	if err != nil {
		return nil, Errorf(CodeInvalid, "%s: %q is not what is asked for", x.Name, text).
			WithHint("it takes %s", x.Wants())
	}
	return v, nil
}

func (x Field) offers(value string) bool {
	return len(x.Options) == 0 ||
		slices.ContainsFunc(x.Options, func(o FieldOption) bool { return o.Value == value })
}
