package api

import "time"

// User is a person who may sign in: GET /api/users.
type User struct {
	Name      string    `json:"name"`
	Role      string    `json:"role"`       // viewer, member, admin
	Provider  bool      `json:"provider"`   // signs in by the OpenID provider
	By        string    `json:"by"`         // who gave the role
	At        time.Time `json:"at"`         // when
	CreatedAt time.Time `json:"created_at"` // zero: before there were users
}

// NewUser asks for a user: POST /api/users. A Link answers, which signs them
// in, once.
type NewUser struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// UserRole says what a user may do from now on: POST /api/users/{name}/role.
type UserRole struct {
	Role string `json:"role"`
}

// NewPersonalToken asks for a token for a script: POST /api/me/tokens. Expires
// is a duration as 12h or 30d, 90d if empty.
type NewPersonalToken struct {
	Name    string `json:"name"`
	Scope   string `json:"scope"` // read, write, admin
	Expires string `json:"expires,omitempty"`
}

// PersonalToken is a token for a script. Secret is shown once, by the answer
// that made it.
type PersonalToken struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Scope     string    `json:"scope"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
	Secret    string    `json:"secret,omitempty"`
}
