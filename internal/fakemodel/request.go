package fakemodel

import (
	"encoding/json"
	"regexp"
	"strings"
)

// A request is what the rules need to know of one, whatever API it came by.
type request struct {
	n         int    // counted over the model
	ask       string // the last line the user said
	afterTool bool   // a tool has answered since
	tools     []tool
	stream    bool
	model     string
	form      schema // of the answer, where JSON is wanted
}

// A tool is one that the agent offers.
type tool struct {
	name   string
	free   bool // takes text in its own form, not JSON
	fields map[string]bool
}

// schema is as much of a JSON schema as it takes to fill it in.
type schema struct {
	Properties map[string]json.RawMessage `json:"properties"`
}

func (s schema) fields() map[string]bool {
	f := map[string]bool{}
	for name := range s.Properties {
		f[name] = true
	}
	return f
}

// filled is an answer in the form that was asked for. Gemini lets the model say
// how hard a task is before it begins, and asks again until it gets its form.
func (r request) filled() string {
	answer := map[string]any{}
	for name, raw := range r.form.Properties {
		var field struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal(raw, &field) // another kind: a string
		switch strings.ToLower(field.Type) {
		case "integer", "number":
			answer[name] = 1
		case "boolean":
			answer[name] = false
		default:
			answer[name] = "fake model says: " + r.ask
		}
	}
	return marshal(answer)
}

// writers are the names that agents have for the tool that writes a file, the
// one that asks least of the model first; the last ones run a command.
var writers = []string{
	"apply_patch", "create", "Write", "write_file", "write", "write_to_file", "editor",
	"exec_command", "shell_command", "shell",
}

// writer is the tool to write a file with.
func (r request) writer() (tool, bool) {
	for _, name := range writers {
		for _, t := range r.tools {
			if t.name == name {
				return t, true
			}
		}
	}
	return tool{}, false
}

// arguments fill in what the tool takes to write Content to path.
func (t tool) arguments(path string) map[string]any {
	patch := "*** Begin Patch\n*** Add File: " + path + "\n+" + Content + "\n*** End Patch\n"
	command := "printf '" + Content + "\\n' > " + path
	known := map[string]any{
		"path": path, "file_path": path, "filePath": path,
		"content": Content + "\n", "file_text": Content + "\n", "new_text": Content + "\n",
		"input": patch, "patch": patch, "patchText": patch,
		"cmd": command, "command": command,
		"sandbox_permissions": "require_escalated", "justification": "to write the file",
		"description": "write the file",
	}
	switch {
	case t.free:
		return map[string]any{"input": patch}
	case t.name == "shell":
		known["command"] = []string{"sh", "-c", command}
	case t.name == "editor":
		known["command"] = "create"
	}
	args := map[string]any{}
	for name := range t.fields {
		if v, ok := known[name]; ok {
			args[name] = v
		}
	}
	return args
}

// noise is what agents put around a person's words, each in tags of its own.
var (
	noise = []string{
		"system-reminder", "system_reminder", "reminder", "current_datetime", "session_context",
		"environment_details", "environment_context", "metadata", "local-command-stdout",
	}
	tags = regexp.MustCompile(`</?[A-Za-z][^<>\n]*>`)
)

// words takes the agent's own additions out of what it sent as the user's, and
// answers the last line.
func words(text string) string {
	for _, name := range noise {
		for {
			before, rest, found := strings.Cut(text, "<"+name+">")
			if !found {
				break
			}
			_, after, _ := strings.Cut(rest, "</"+name+">")
			text = before + "\n" + after
		}
	}
	lines := strings.Split(strings.TrimSpace(tags.ReplaceAllString(text, "\n")), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// hear takes one piece of what the user said. Pieces of nothing but additions
// change nothing.
func (r *request) hear(text string) {
	if w := words(text); w != "" {
		r.ask, r.afterTool = w, false
	}
}

// texts are the pieces of text in a content, which is a string or a list of
// parts; results counts the parts that are a tool's answer.
func texts(content json.RawMessage) (all []string, results int) {
	var one string
	if json.Unmarshal(content, &one) == nil {
		return []string{one}, 0
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &parts) // another shape: no words for us
	for _, p := range parts {
		switch {
		case p.Type == "tool_result":
			results++
		case p.Text != "":
			all = append(all, p.Text)
		}
	}
	return all, results
}
