package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf16"
)

// partsOf are the secrets in a value: the whole, each line, and each string of
// a value that is JSON (a service account's key is printed by its parts).
func partsOf(value string) []string {
	parts := []string{value, strings.TrimSpace(value)}
	if lines := strings.Split(value, "\n"); len(lines) > 1 {
		for _, line := range lines {
			parts = append(parts, secretLine(line))
		}
	}
	var v any
	if json.Unmarshal([]byte(value), &v) == nil {
		parts = append(parts, stringsIn(v)...)
	}
	kept := parts[:0]
	for _, p := range parts {
		if len(p) >= minLength {
			kept = append(kept, p)
		}
	}
	return kept
}

// secretLine is what is secret in a line: not the armour of a key file.
func secretLine(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "-----") && strings.HasSuffix(line, "-----") {
		return ""
	}
	return line
}

func stringsIn(v any) []string {
	var all []string
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			all = append(all, stringsIn(e)...)
		}
	case map[string]any:
		for _, e := range v {
			all = append(all, stringsIn(e)...)
		}
	}
	return all
}

// formsOf are the ways in which programs write a secret.
func formsOf(secret string) []string {
	forms := []string{secret}
	for _, quoted := range jsonForms(secret) {
		// Twice: JSON in a string of JSON, as a tool's arguments are.
		forms = append(forms, quoted, jsonString(quoted, false))
	}
	urls := []string{url.QueryEscape(secret), url.PathEscape(secret), escapeAll(secret)}
	for _, escaped := range urls {
		forms = append(forms, escaped, lowerHex(escaped))
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			forms = append(forms, base64Core(enc, secret, shift))
		}
	}
	return forms
}

// jsonForms are a secret as JSON writers escape it, without the quotes.
func jsonForms(s string) []string {
	plain := jsonString(s, false)
	return []string{
		plain, jsonString(s, true), asciiJSON(plain),
		strings.ReplaceAll(plain, "/", `\/`),
	}
}

func jsonString(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	_ = enc.Encode(s) // a string always can
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// asciiJSON escapes all that is not ASCII, as Python does.
func asciiJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			b.WriteString(`\u`)
			for shift := 12; shift >= 0; shift -= 4 {
				b.WriteByte("0123456789abcdef"[unit>>shift&0xf])
			}
		}
	}
	return b.String()
}

// escapeAll escapes every byte that is not a letter, digit or one of -_.~, a
// space as %20.
func escapeAll(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}

// lowerHex writes %2F as %2f.
func lowerHex(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
			i += 2
		}
	}
	return string(b)
}

// base64Core is what the base64 of any text has in it where the secret begins
// shift bytes after a multiple of three: the letters that depend on nothing
// before or after it.
func base64Core(enc *base64.Encoding, secret string, shift int) string {
	text := enc.EncodeToString(append(make([]byte, shift), secret...))
	first := (shift*8 + 5) / 6
	last := (shift + len(secret)) * 8 / 6
	return text[first:last]
}
