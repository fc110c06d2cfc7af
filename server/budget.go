package server

import (
	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/store"
)

// budgetOf is what a session has used, and when it expires.
func budgetOf(v store.View) api.Budget {
	b := api.Budget{
		Turns:         api.Allowance{Used: int64(v.Session.Turns)},
		Tokens:        api.Allowance{Used: v.Session.Usage.Total},
		ActiveSeconds: api.Allowance{Used: int64(v.Session.Active.Seconds())},
	}
	for _, c := range v.Clocks {
		if c.Kind == blaise.ClockExpires {
			b.ExpiresAt = timeOf(c.DueAt)
		}
	}
	return b
}

// orEmpty makes a list that is shown as [] where it is empty.
func orEmpty[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
