package provider

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/internal/onedoc"

	"gopkg.in/yaml.v3"
)

// A Config is the file that `blaise serve --oidc` reads.
type Config struct {
	Issuer     string `yaml:"issuer"`
	Client     string `yaml:"client"`
	SecretFile string `yaml:"secretFile"` // "" for a client without a secret
	Label      string `yaml:"label"`      // of the button; the issuer's host if empty
	// Scopes are asked for beside openid, profile and email.
	Scopes []string `yaml:"scopes"`
	// Name is the claim that names the user in Blaise, email if empty.
	Name string `yaml:"name"`
	// Claim has the values that Roles names, as groups. A name with dots leads
	// into claims of claims.
	Claim string                    `yaml:"claim"`
	Roles map[control.Role][]string `yaml:"roles"`
	// Default is the role of who has none of these values; "" keeps them out.
	Default control.Role `yaml:"default"`

	secret string
}

// ReadConfig reads a config and the secret it names. CodeInvalid.
func ReadConfig(file string) (Config, error) {
	c := Config{Name: "email"}
	raw, err := os.ReadFile(file)
	if err == nil {
		err = onedoc.Check(raw)
	}
	if err == nil {
		dec := yaml.NewDecoder(bytes.NewReader(raw))
		dec.KnownFields(true)
		err = dec.Decode(&c)
	}
	if err != nil {
		return c, blaise.Errorf(blaise.CodeInvalid, "read OpenID config %s: %v", file, err).
			WithHint("docs/people.md shows one")
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("read OpenID config %s: %w", file, err)
	}
	if c.SecretFile != "" {
		secret, err := os.ReadFile(c.SecretFile)
		if err != nil {
			return c, blaise.Errorf(blaise.CodeInvalid, "read the secret of the OpenID client: %v", err)
		}
		c.secret = strings.TrimSpace(string(secret))
	}
	return c, nil
}

func (c *Config) check() error {
	u, err := url.Parse(c.Issuer)
	switch {
	case err != nil || u.Host == "":
		return blaise.Errorf(blaise.CodeInvalid, "issuer %q is no address", c.Issuer)
	case u.Scheme != "https" && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1":
		return blaise.Errorf(blaise.CodeInvalid, "issuer %s is reached without TLS", c.Issuer).
			WithHint("anybody on the way could sign in as anybody; give its https address")
	case c.Client == "":
		return blaise.Errorf(blaise.CodeInvalid, "client is missing").
			WithHint("it is the client id that the provider gave Blaise")
	case len(c.Roles) > 0 && c.Claim == "":
		return blaise.Errorf(blaise.CodeInvalid, "roles says which values make a role, and claim not where they are").
			WithHint("claim: groups, for instance")
	case len(c.Roles) == 0 && c.Default == "":
		return blaise.Errorf(blaise.CodeInvalid, "neither roles nor default gives anybody a role").
			WithHint("default: viewer lets all in to read")
	}
	if c.Label == "" {
		c.Label = u.Host
	}
	for role := range c.Roles {
		if _, err := control.ParseRole(string(role)); err != nil {
			return err
		}
	}
	if c.Default != "" {
		_, err = control.ParseRole(string(c.Default))
	}
	return err
}
