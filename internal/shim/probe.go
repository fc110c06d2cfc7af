package shim

// A Probe is what of a sandbox can be had in a place, found by trying.
type Probe struct {
	Tried       []Trial `json:"tried"`       // the drivers, best first
	LandlockABI int     `json:"landlockABI"` // 0: none
	Groups      string  `json:"groups"`      // where a control group for the number of processes can be made, or ""
	GroupsWhy   string  `json:"groupsWhy,omitempty"`
	Root        bool    `json:"root"` // it is root, whom limits by user do not bind
}

// A Trial is a sandbox that was made of the spec and left again.
type Trial struct {
	Driver string `json:"driver"`
	Why    string `json:"why,omitempty"` // it cannot be had; "": it can
}
