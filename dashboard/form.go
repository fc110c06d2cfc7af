package dashboard

import (
	"net/http"
	"net/url"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// fieldPrefix is before the names of what is filled in for an agent, so that
// none can be taken for a field of the page.
const fieldPrefix = "set."

// A form is what an agent asks for, as a page shows it.
type form struct{ blaise.Form }

// Link is the address to visit, "" if it is none a person should follow.
func (f form) Link() string {
	return followed(f.URL)
}

// followed is an address that a person may follow, "" if it is none.
func followed(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return u.String()
}

// formOf is the form of a wait, nil if it asks for a choice alone.
func formOf(w api.Wait) *form {
	if w.Kind != blaise.QuestionElicitation {
		return nil
	}
	return &form{blaise.FormOf(w.Detail)}
}

// filled are the fields that were sent, several values of one joined. What was
// left empty is left to its default.
func filled(r *http.Request) map[string]string {
	set := map[string]string{}
	for key, values := range r.PostForm {
		name, ok := strings.CutPrefix(key, fieldPrefix)
		if text := strings.Join(values, ","); ok && text != "" {
			set[name] = text
		}
	}
	return set
}
