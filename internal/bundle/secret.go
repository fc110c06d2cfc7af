package bundle

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// secretName says that what goes by this name is likely to be a secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(
		[]string{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE", "DSN", "DATABASE_URL", "HEADERS"},
		func(word string) bool { return strings.Contains(name, word) })
}

// user is who a URL signs in as, with the password.
var user = regexp.MustCompile(`://([^/\s]*)@`)

// hideUsers hides the passwords of the URLs in a text.
func (b *Bundle) hideUsers(text string) {
	for _, found := range user.FindAllStringSubmatch(text, -1) {
		if name, password, both := strings.Cut(found[1], ":"); both {
			b.Hide(password)
		} else {
			b.Hide(name) // tokens stand in its place
		}
	}
}

// hideParts hides what may be a secret in a text, wherever it stands again: the
// passwords of its URLs, and its parts that are no words. Words, flags and paths
// would take much out of the logs.
func (b *Bundle) hideParts(text string) {
	b.hideUsers(text)
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'=?&,;:@/", r) }) {
		if len(part) >= 8 && strings.ContainsFunc(part, unicode.IsDigit) && strings.ContainsFunc(part, unicode.IsLetter) {
			b.Hide(part)
		}
	}
}
