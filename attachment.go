package blaise

import (
	"fmt"
	"strings"
)

// An Attachment is what came with a message beside its text: a file, kept with
// the session, or a link, of which nothing is kept.
type Attachment struct {
	Name   string `json:"name"`
	Type   string `json:"type,omitempty"` // the media type, by its bytes
	Size   int64  `json:"size,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // under which the file is kept; "" of a link
	URL    string `json:"url,omitempty"`    // of a link
}

// Limits of what may come with one message: agents are handed it in one frame,
// and models take less.
const (
	MaxAttachment  = 10 << 20 // bytes of one
	MaxAttached    = 20 << 20 // bytes of all
	MaxAttachments = 20
)

// String is the attachment in a few words.
func (a Attachment) String() string {
	if a.URL != "" {
		return a.URL
	}
	return fmt.Sprintf("%s (%s, %s)", a.Name, a.Type, Size(a.Size))
}

// Picture says that a browser may show it as an image: types that hold no
// scripts.
func (a Attachment) Picture() bool {
	switch a.Type {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// CheckAttached says whether so much may come with one message; name is of the
// file that is looked at, size its own, all that of those with it. CodeInvalid.
func CheckAttached(name string, size, all int64, n int) error {
	tooMuch := func(format string, args ...any) error {
		return Errorf(CodeInvalid, "attachment %q: "+format, append([]any{name}, args...)...).
			WithHint("put it into the repository and name it in the message, or give its address")
	}
	switch {
	case strings.TrimSpace(name) == "":
		return Errorf(CodeInvalid, "an attachment has no name")
	case size == 0:
		return Errorf(CodeInvalid, "attachment %q is empty", name)
	case size > MaxAttachment:
		return tooMuch("it has %s, more than the %s that one may have", Size(size), Size(MaxAttachment))
	case all > MaxAttached:
		return tooMuch("with it the message has %s, more than the %s that all may have", Size(all), Size(MaxAttached))
	case n > MaxAttachments:
		return tooMuch("it is one more than the %d that a message may have", MaxAttachments)
	}
	return nil
}
