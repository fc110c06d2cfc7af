package provider

import (
	"slices"
	"strings"

	"blaise.dev/blaise/control"
)

// claims are what a provider says of somebody.
type claims map[string]any

// get finds a claim by its name, or by the way to it, with dots.
func (c claims) get(name string) any {
	if v, ok := c[name]; ok {
		return v
	}
	first, rest, ok := strings.Cut(name, ".")
	inner, isMap := c[first].(map[string]any)
	if !ok || !isMap {
		return nil
	}
	return claims(inner).get(rest)
}

func (c claims) has(name string) bool { return c.get(name) != nil }

// values are the texts of a claim that is one or a list of them.
func (c claims) values(name string) []string {
	var all []string
	switch v := c.get(name).(type) {
	case string:
		all = append(all, v)
	case []any:
		for _, one := range v {
			if s, ok := one.(string); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

// personOf is who somebody is in Blaise. CodeDenied: the claims do not say.
func (c *Config) personOf(subject string, said claims) (control.Person, error) {
	name, _ := said.get(c.Name).(string)
	if name == "" {
		return control.Person{}, denied("the provider does not say your %s, which names you in Blaise", c.Name)
	}
	p := control.Person{Subject: subject, Name: name, Default: c.Default}
	if c.Name == "email" {
		switch v := said["email_verified"]; v {
		case true, "true":
			p.Owned = true
		case nil:
		default: // anybody could have written any address there
			return control.Person{}, denied("the provider has not verified the address %s", name)
		}
	}
	if len(c.Roles) > 0 {
		p.Ruled = true
		p.Role = c.roleOf(said.values(c.Claim))
	}
	return p, nil
}

// roleOf is the highest role that one of the values makes.
func (c *Config) roleOf(values []string) control.Role {
	for _, role := range []control.Role{control.RoleAdmin, control.RoleMember, control.RoleViewer} {
		for _, v := range c.Roles[role] {
			if slices.Contains(values, v) {
				return role
			}
		}
	}
	return c.Default
}
