package run

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/plug"
)

// maxPaths is how many paths of one request are looked up; one with more is not
// told apart, and only rules that name no path allow it.
const maxPaths = 64

// action is what a request asks for, in the words of the gate. Where the agent's
// words leave a doubt it is the more dangerous thing.
func (c *conversation) action(ctx context.Context, t acp.ToolCall) *blaise.Action {
	in := inputOf(t.RawInput)
	a := &blaise.Action{
		Tool: t.Kind, Name: cmp.Or(toolName(t.Raw), in.Tool, t.Title), Command: in.Command,
	}
	if !slices.Contains(blaise.ToolKinds(), a.Tool) {
		a.Tool = blaise.ToolOther
	}
	harmless := slices.Contains([]string{
		blaise.ToolRead, blaise.ToolSearch, blaise.ToolThink, blaise.ToolOther,
	}, a.Tool)
	paths := append(in.Paths, places(t)...)
	switch {
	case a.Command != "":
		a.Tool = blaise.ToolExecute
	case harmless && changes(t):
		a.Tool = blaise.ToolEdit
	case harmless && in.URL != "":
		a.Tool = blaise.ToolFetch
	}
	slices.Sort(paths)
	a.Paths = c.lookUp(ctx, slices.Compact(paths))
	return a
}

// lookUp tells where paths lead. Where that cannot be told they stay as said.
func (c *conversation) lookUp(ctx context.Context, paths []string) []blaise.ActionPath {
	if len(paths) == 0 {
		return nil
	}
	asked := paths[:min(len(paths), maxPaths)]
	found, err := plug.Resolve(ctx, c.r.stack.Env(), asked)
	if err != nil {
		c.r.log.Warn("paths of a request not looked up", "error", err)
	}
	list := make([]blaise.ActionPath, len(found))
	for i, f := range found {
		list[i] = blaise.ActionPath{Said: f.Said, Real: f.Real}
	}
	for _, p := range paths[len(asked):] {
		list = append(list, blaise.ActionPath{Said: p})
	}
	return list
}

// places are the files that a call names beside its input.
func places(t acp.ToolCall) []string {
	var list []string
	for _, l := range t.Locations {
		list = append(list, l.Path)
	}
	for _, c := range t.Content {
		if c.Path != "" {
			list = append(list, c.Path)
		}
	}
	return list
}

func changes(t acp.ToolCall) bool {
	return slices.ContainsFunc(t.Content, func(c acp.ToolContent) bool { return c.Type == "diff" })
}

// toolName is the name that an agent gives its tool beside the protocol.
func toolName(raw json.RawMessage) string {
	var t struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(raw, &t) // loose
	for _, key := range slices.Sorted(maps.Keys(t.Meta)) {
		var m struct {
			ToolName string `json:"toolName"`
		}
		if json.Unmarshal(t.Meta[key], &m) == nil && m.ToolName != "" {
			return m.ToolName
		}
	}
	return ""
}

// A toolInput is what the input of a tool tells, whatever its keys are called.
type toolInput struct {
	Command, URL, Tool string
	Paths              []string
}

func inputOf(raw json.RawMessage) toolInput {
	var in toolInput
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(raw, &keys) // loose
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		words := texts(keys[key])
		name := strings.ToLower(key)
		switch {
		case len(words) == 0:
		case name == "command" || name == "cmd" || name == "script":
			in.Command = cmp.Or(in.Command, commandLine(words))
		case name == "url" || name == "uri" || name == "urls":
			in.URL = cmp.Or(in.URL, words[0])
		case name == "tool" || name == "toolname" || name == "tool_name":
			in.Tool = words[0]
		case isPathKey(name):
			in.Paths = append(in.Paths, words...)
		}
	}
	return in
}

func isPathKey(name string) bool {
	switch name {
	case "file", "files", "filename", "file_name", "dir", "directory", "source", "destination", "target":
		return true
	}
	return strings.Contains(name, "path") || strings.HasSuffix(name, "_file")
}

// texts is a text, or a list of them.
func texts(raw json.RawMessage) []string {
	var one string
	var list []string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	_ = json.Unmarshal(raw, &list) // loose
	return list
}

// commandLine is a command as a shell would be given it; that of a shell which
// is given one is that one.
func commandLine(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	switch path.Base(words[0]) {
	case "sh", "bash", "zsh", "dash":
		if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") {
			return words[2]
		}
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; w == "" || strings.ContainsAny(w, " \t\n'\"*?[]{}~#!;|&<>()`$\\") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
