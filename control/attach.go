package control

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// A File comes with a message: Data, or URL for a link. Type counts where the
// bytes say nothing.
type File struct {
	Name string
	Type string
	Data []byte
	URL  string
}

// attached checks the files and says what they are.
func attached(files []File) ([]blaise.Attachment, error) {
	var list []blaise.Attachment
	var all int64
	for i, f := range files {
		if f.URL != "" {
			a, err := linked(f)
			if err != nil {
				return nil, err
			}
			list = append(list, a)
			continue
		}
		name := path.Base(strings.ReplaceAll(strings.ToValidUTF8(f.Name, "_"), "\\", "/"))
		all += int64(len(f.Data))
		if err := blaise.CheckAttached(name, int64(len(f.Data)), all, i+1); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(f.Data)
		list = append(list, blaise.Attachment{
			Name: name, Type: sniffed(f), Size: int64(len(f.Data)), SHA256: hex.EncodeToString(sum[:]),
		})
	}
	return list, nil
}

func linked(f File) (blaise.Attachment, error) {
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme == "" || u.Host == "" && u.Scheme != "file" {
		return blaise.Attachment{}, blaise.Errorf(blaise.CodeInvalid, "attachment %q is no address", f.URL).
			WithHint("write it whole, as in https://example.org/page")
	}
	name := f.Name
	if name == "" {
		name = path.Base(u.Path)
	}
	if name == "" || name == "." || name == "/" {
		name = u.Host
	}
	return blaise.Attachment{Name: name, Type: f.Type, URL: f.URL}, nil
}

// sniffed is the media type by the bytes: who sends a file may be wrong about
// it, and browsers and agents act on it. Only what the bytes leave open is
// taken from the sender.
func sniffed(f File) string {
	found, _, _ := strings.Cut(http.DetectContentType(f.Data), ";")
	claimed, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(f.Type)), ";")
	switch {
	case found == "audio/wave":
		return "audio/wav"
	case found == "text/plain" && utf8.Valid(f.Data):
		if strings.HasPrefix(claimed, "text/") || claimed == "application/json" {
			return claimed
		}
		return found
	case found != "application/octet-stream" && found != "text/plain":
		return found
	case strings.HasPrefix(claimed, "audio/") || strings.HasPrefix(claimed, "application/"):
		return claimed
	}
	return "application/octet-stream"
}

// keepAttached keeps the files with the session. They may be there already.
func (c *Control) keepAttached(
	ctx context.Context, id blaise.SessionID, files []File, as []blaise.Attachment,
) error {
	for i, a := range as {
		if a.SHA256 == "" {
			continue
		}
		_, err := c.db.PutBlob(ctx, store.Blob{
			Session: id, SHA256: a.SHA256, Name: a.Name, Type: a.Type, Size: a.Size,
		}, bytes.NewReader(files[i].Data))
		if err != nil {
			return err
		}
	}
	return nil
}

// mayAttach finds out whether there is such a session, before anything is kept
// for it.
func (c *Control) mayAttach(ctx context.Context, id blaise.SessionID, as []blaise.Attachment) error {
	if len(as) == 0 {
		return nil
	}
	return c.db.Tx(ctx, func(tx *store.Tx) error {
		_, err := tx.Snapshot(id)
		return err
	})
}

// dropAttached forgets what was kept for a session that did not come to be.
func (c *Control) dropAttached(ctx context.Context, id blaise.SessionID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		_, err := tx.Snapshot(id)
		return err
	})
	if blaise.CodeOf(err) != blaise.CodeNotFound {
		return // the id is another session's
	}
	if err := c.db.DeleteBlobs(ctx, id); err != nil {
		c.log.Warn("attachments of no session are left", "session", id, "error", err)
	}
}
