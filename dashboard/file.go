package dashboard

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/transcript"
)

// file answers a file of a session. A picture of a type that holds no scripts is
// shown; everything else a browser keeps and shows nothing of: anybody, or an
// agent, may have written it.
func (d *dashboard) file(w http.ResponseWriter, r *http.Request) {
	id, err := d.views.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	b, bytes, err := d.control.OpenFile(r.Context(), id, r.PathValue("sha256"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	kind, how := "application/octet-stream", "attachment"
	if (blaise.Attachment{Type: b.Type}).Picture() { // told by its bytes when it came
		kind, how = b.Type, "inline"
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.FormatInt(b.Size, 10))
	h.Set("Content-Disposition", mime.FormatMediaType(how, map[string]string{"filename": b.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, max-age=3600") // its address is that of its bytes
	if _, err := io.Copy(w, bytes); err != nil {
		d.o.Log.Info("file not sent whole", "session", id, "file", b.SHA256, "error", err) // its length tells the receiver
	}
}

// A saidFile is an attachment in the conversation.
type saidFile struct {
	blaise.Attachment
	Sent string `json:"sent"`
	at   blaise.SessionID
}

// Address is where the bytes are, or where the link goes; "" if nobody should
// follow it.
func (f saidFile) Address() string {
	if f.URL != "" {
		return followed(f.URL)
	}
	return fmt.Sprintf("/sessions/%s/files/%s", f.at, f.SHA256)
}

// withFiles gives an item what came with a message.
func (i *item) withFiles(e transcript.Event, files []saidFile) {
	for _, f := range files {
		f.at = blaise.RunID(e.Run).Session()
		i.Files = append(i.Files, f)
	}
}

// filesOf are the files that were sent with a form, each at most as long as it
// may be: the rest is refused by name.
func filesOf(r *http.Request) ([]control.File, error) {
	if r.MultipartForm == nil {
		return nil, nil
	}
	var files []control.File
	for _, h := range r.MultipartForm.File["files"] {
		if h.Filename == "" && h.Size == 0 {
			continue // nothing was chosen
		}
		f, err := h.Open()
		if err != nil {
			return nil, fmt.Errorf("read attachment %q: %w", h.Filename, err)
		}
		data, err := io.ReadAll(f)
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("read attachment %q: %w", h.Filename, err)
		}
		files = append(files, control.File{
			Name: h.Filename, Type: h.Header.Get("Content-Type"), Data: data,
		})
	}
	return files, nil
}
