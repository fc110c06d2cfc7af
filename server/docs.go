package server

import (
	"bytes"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsRoute shows the OpenAPI document for people: one page, nothing loaded
// from elsewhere.
func (s *Server) docsRoute(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(s.docs) // who asked is gone: nobody to tell
}

type docsGroup struct {
	Name, Says string
	Routes     []docsOp
}

type docsOp struct {
	Method, Path, Says string
	Role               string // what a user needs to be
	Params             []docsParam
	In, Out            string
}

type docsParam struct{ Name, Where, Type, Says string }

type docsSchema struct {
	Name   string
	Fields []docsParam
}

func docsPage(doc *huma.OpenAPI) []byte {
	groups := map[string]*docsGroup{}
	for _, k := range []kind{kindNone, kindRunner, kindRun, kindUser} {
		groups[string(k)] = &docsGroup{Name: string(k), Says: k.words()}
	}
	for _, path := range sortedKeys(doc.Paths) {
		item := doc.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if op == nil {
				continue
			}
			g := groups[op.Tags[0]]
			g.Routes = append(g.Routes, docsOpOf(op))
		}
	}
	var b bytes.Buffer
	err := docsTemplate.Execute(&b, map[string]any{
		"Version": doc.Info.Version, "Schemas": docsSchemas(doc),
		"Groups": []*docsGroup{groups["user"], groups["runner"], groups["run"], groups[""]},
	})
	if err != nil {
		panic("server: docs page: " + err.Error()) // the document is made at start-up
	}
	return b.Bytes()
}

func docsOpOf(op *huma.Operation) docsOp {
	out := docsOp{Method: op.Method, Path: op.Path, Says: op.Summary}
	for _, roles := range op.Security {
		out.Role = strings.Join(roles[string(kindUser)], "")
	}
	for _, p := range op.Parameters {
		out.Params = append(out.Params, docsParam{Name: p.Name, Where: p.In, Type: typeOf(p.Schema), Says: p.Description})
	}
	if op.RequestBody != nil {
		out.In = mediaOf(op.RequestBody.Content)
	}
	for code, r := range op.Responses {
		if strings.HasPrefix(code, "2") {
			out.Out = mediaOf(r.Content)
		}
	}
	return out
}

func mediaOf(content map[string]*huma.MediaType) string {
	if m := content["application/json"]; m != nil && m.Schema != nil {
		return typeOf(m.Schema)
	}
	return strings.Join(sortedKeys(content), ", ")
}

// typeOf names the type of a schema in a few words.
func typeOf(s *huma.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	case s.Type == huma.TypeArray:
		return "list of " + typeOf(s.Items)
	case s.Format != "":
		return s.Format
	case s.Type == "":
		return "any JSON"
	}
	return s.Type
}

func docsSchemas(doc *huma.OpenAPI) []docsSchema {
	all := doc.Components.Schemas.Map()
	var out []docsSchema
	for _, name := range sortedKeys(all) {
		s := docsSchema{Name: name}
		for _, field := range sortedKeys(all[name].Properties) {
			p := all[name].Properties[field]
			s.Fields = append(s.Fields, docsParam{Name: field, Type: typeOf(p), Says: p.Description})
		}
		out = append(out, s)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// docsWords is prose with its `code` as HTML.
func docsWords(text string) template.HTML {
	var b strings.Builder
	for n, part := range strings.Split(text, "`") {
		tag := [2]string{"", ""}
		if n%2 == 1 {
			tag = [2]string{"<code>", "</code>"}
		}
		b.WriteString(tag[0] + template.HTMLEscapeString(part) + tag[1])
	}
	return template.HTML(b.String()) //nolint:gosec // all of the text is escaped
}

var docsTemplate = template.Must(template.New("docs").Funcs(template.FuncMap{"prose": docsWords}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>API · Blaise</title><link rel="stylesheet" href="/static/blaise.css"></head>
<body class="docs"><main>
<p><a href="/">← Blaise</a></p>
<h1>Blaise API <small>{{.Version}}</small></h1>
<p>The same as a document: <a href="/openapi.json">/openapi.json</a>. Errors are
<code>application/problem+json</code> with <code>code</code> and <code>hint</code>.</p>
{{range .Groups}}{{if .Routes}}<section><h2>{{if .Name}}With the token of a {{.Name}}{{else}}Without a token{{end}}</h2>
<p>Needs {{prose .Says}}.</p>
{{range .Routes}}<details><summary><code>{{.Method}} {{.Path}}</code> {{prose .Says}}</summary>
{{if .Role}}<p>Needs the role {{.Role}}.</p>{{end}}
{{if .Params}}<ul>{{range .Params}}<li><code>{{.Name}}</code> ({{.Where}}, {{.Type}}) {{prose .Says}}</li>{{end}}</ul>{{end}}
<p>{{if .In}}Takes <a href="#{{.In}}">{{.In}}</a>. {{end}}{{if .Out}}Answers <a href="#{{.Out}}">{{.Out}}</a>.{{end}}</p>
</details>{{end}}</section>{{end}}{{end}}
<section><h2>Types</h2>
{{range .Schemas}}<details id="{{.Name}}"><summary><code>{{.Name}}</code></summary>
<ul>{{range .Fields}}<li><code>{{.Name}}</code> {{.Type}} {{prose .Says}}</li>{{end}}</ul></details>{{end}}</section>
</main></body></html>
`))
