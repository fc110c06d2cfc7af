// Package onedoc refuses YAML of which a reader would take the first document
// and drop the rest without a word. Who reads a manifest or a configuration
// calls it first. It decodes into nothing and knows no keys.
package onedoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// Check returns an error with the line of a second document, or of what is no
// YAML before or after its beginning. No document at all is none of its business.
func Check(data []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	err := dec.Decode(&first)
	if err == nil {
		err = dec.Decode(&second)
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("this is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return fmt.Errorf("a second document begins in line %d: write one alone", second.Line)
}
