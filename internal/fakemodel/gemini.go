package fakemodel

import (
	"encoding/json"
	"net/http"
	"strings"
)

// readGemini reads models/MODEL:streamGenerateContent and :generateContent.
func readGemini(h *http.Request, body []byte) request {
	var in struct {
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Text     string          `json:"text"`
				Response json.RawMessage `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			Functions []struct {
				Name       string `json:"name"`
				Parameters schema `json:"parameters"`
				Schema     schema `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Config struct {
			Form schema `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	_ = json.Unmarshal(body, &in) // what cannot be read is answered like silence
	model, method, _ := strings.Cut(h.PathValue("call"), ":")
	r := request{model: model, stream: method == "streamGenerateContent", form: in.Config.Form}
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			switch {
			case p.Response != nil:
				r.afterTool = true
			case c.Role == "user":
				r.hear(p.Text)
			}
		}
	}
	for _, t := range in.Tools {
		for _, f := range t.Functions {
			fields := f.Parameters.fields()
			for name := range f.Schema.Properties {
				fields[name] = true
			}
			r.tools = append(r.tools, tool{name: f.Name, fields: fields})
		}
	}
	return r
}

type gemini struct {
	wire
	model string
	parts []any
}

func speakGemini(w http.ResponseWriter, r request) voice {
	return &gemini{wire: newWire(w, r.stream), model: r.model}
}

func (s *gemini) whole(parts []any, reason string) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if reason != "" {
		candidate["finishReason"] = reason
	}
	return object{
		"candidates": []any{candidate}, "modelVersion": s.model,
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
}

func (s *gemini) part(part object) {
	s.parts = append(s.parts, part)
	s.event("", s.whole([]any{part}, ""))
}

func (s *gemini) text(text string) { s.part(object{"text": text}) }

func (s *gemini) call(t tool, args map[string]any) {
	s.part(object{"functionCall": object{"name": t.name, "args": args}})
}

func (s *gemini) end() {
	s.event("", s.whole([]any{object{"text": ""}}, "STOP"))
	s.document(s.whole(s.parts, "STOP"))
}
