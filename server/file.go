package server

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

func (s *Server) fileRoutes() {
	handle(s, route{
		id: "put-file", method: http.MethodPut, path: "/api/run/files", kind: kindRun,
		says: "Keep the body as a file of the run's session, under its SHA-256",
	}, s.putFile)
	download(s, route{
		id: "get-run-file", method: http.MethodGet, path: "/api/run/files/{sha256}", kind: kindRun,
		says: "The bytes of a file of the run's session, or of the one it goes on from",
	}, func(ctx context.Context, in *filePath) (store.Blob, io.Reader, error) {
		return s.control.OpenFileOf(ctx, callerOf(ctx).run, in.SHA256)
	})
	handle(s, route{
		id: "list-files", method: http.MethodGet, path: "/api/sessions/{id}/files", user: control.RoleViewer,
		says: "The files that Blaise keeps for a session, oldest first",
	}, s.files)
	download(s, route{
		id: "get-file", method: http.MethodGet, path: "/api/sessions/{id}/files/{sha256}", user: control.RoleViewer,
		says: "The bytes of a session's file",
	}, s.file)
}

// A bodyIn is the body of a request as it comes: it is too long to be held.
type bodyIn struct {
	body io.Reader
	size int64
}

func (in *bodyIn) take(ctx huma.Context) []error {
	r, _ := humago.Unwrap(ctx)
	in.body, in.size = r.Body, max(0, r.ContentLength)
	return nil
}

type putFileIn struct {
	Name   string `query:"name" required:"true" maxLength:"200" doc:"for people"`
	Type   string `query:"type" maxLength:"100" doc:"the media type"`
	SHA256 string `query:"sha256" doc:"what the bytes must have"`
	bodyIn
}

// Resolve takes the body of the request.
func (in *putFileIn) Resolve(ctx huma.Context) []error { return in.take(ctx) }

func (s *Server) putFile(ctx context.Context, in *putFileIn) (api.File, error) {
	b, err := s.control.KeepFile(ctx, callerOf(ctx).run, store.Blob{
		Name: path.Base(in.Name), Type: in.Type, SHA256: in.SHA256, Size: in.size,
	}, in.body)
	return fileOf(b), err
}

func fileOf(b store.Blob) api.File {
	return api.File{SHA256: b.SHA256, Name: b.Name, Type: b.Type, Size: b.Size, At: b.At}
}

func (s *Server) files(ctx context.Context, in *SessionPath) (api.Files, error) {
	out := api.Files{Files: []api.File{}}
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return out, err
	}
	all, err := s.control.Files(ctx, id)
	for _, b := range all {
		out.Files = append(out.Files, fileOf(b))
	}
	return out, err
}

type filePath struct {
	SHA256 string `path:"sha256"`
}

type fileIn struct {
	SessionPath
	SHA256 string `path:"sha256"`
}

func (s *Server) file(ctx context.Context, in *fileIn) (store.Blob, io.Reader, error) {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return store.Blob{}, nil, err
	}
	return s.control.OpenFile(ctx, id, in.SHA256)
}

// download registers a route that answers with a file. A browser keeps it and
// shows nothing of it: an agent may have written it.
func download[I any](s *Server, r route, open func(context.Context, *I) (store.Blob, io.Reader, error)) {
	op := r.operation()
	op.Responses = map[string]*huma.Response{"200": {
		Description: "the bytes",
		Content:     map[string]*huma.MediaType{"application/octet-stream": {}},
	}}
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		b, bytes, err := open(ctx, in)
		if err != nil {
			return nil, s.fail(ctx, err)
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			hc.SetHeader("Content-Type", "application/octet-stream")
			hc.SetHeader("Content-Length", strconv.FormatInt(b.Size, 10))
			hc.SetHeader("Content-Disposition",
				mime.FormatMediaType("attachment", map[string]string{"filename": b.Name}))
			if _, err := io.Copy(hc.BodyWriter(), bytes); err != nil {
				// Its length tells the receiver.
				s.log.Info("file not sent whole", append(about(ctx), "file", b.SHA256, "error", err)...)
			}
		}}, nil
	})
}
