package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// A listPage is the list of sessions, those that need a person first.
type listPage struct {
	Filter api.SessionFilter
	Needs  []api.Summary
	Rest   []api.Summary
	Next   string
	Tabs   []tab
	Agents []api.Agent
	Total  int
	Left   api.Leftovers // what a person must see to
}

type tab struct {
	State, Label, Meaning string
	Count                 int
	Chosen                bool
	Query                 string
}

// Waits is how many questions are open.
func (l listPage) Waits() (n int) {
	for _, s := range l.Needs {
		n += s.Waits
	}
	return n
}

// Query is the filter as a query, without the page.
func (l listPage) Query() string { return query(l.Filter).Encode() }

// NextQuery is that of the page after this one.
func (l listPage) NextQuery() string {
	q := query(l.Filter)
	q.Set("before", l.Next)
	return q.Encode()
}

func query(f api.SessionFilter) url.Values {
	q := url.Values{}
	for k, v := range map[string]string{"state": f.State, "agent": string(f.Agent), "q": f.Text} {
		if v != "" {
			q.Set(k, v)
		}
	}
	return q
}

func filterOf(r *http.Request) api.SessionFilter {
	q := r.URL.Query()
	return api.SessionFilter{
		State: q.Get("state"), Agent: blaise.AgentName(q.Get("agent")), Text: q.Get("q"),
		Before: q.Get("before"), Limit: 100,
	}
}

func (d *dashboard) list(w http.ResponseWriter, r *http.Request) {
	l, err := d.listOf(r.Context(), filterOf(r))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "sessions", page{Title: counted(l.Waits(), "Sessions"), Nav: "sessions", Body: l})
}

func (d *dashboard) listOf(ctx context.Context, f api.SessionFilter) (listPage, error) {
	got, err := d.views.Sessions(ctx, f)
	if err != nil {
		return listPage{}, err
	}
	l := listPage{Filter: f, Next: got.Next}
	if l.Agents, err = d.views.Agents(ctx); err != nil {
		return listPage{}, err
	}
	shown := map[blaise.SessionID]bool{}
	if f.State == "" && f.Before == "" {
		needs, err := d.views.Sessions(ctx, api.SessionFilter{State: "needs", Agent: f.Agent, Text: f.Text, Limit: 50})
		if err != nil {
			return listPage{}, err
		}
		l.Needs = needs.Sessions
		for _, s := range l.Needs {
			shown[s.ID] = true
		}
		if l.Left, err = d.views.Leftovers(ctx); err != nil {
			return listPage{}, err
		}
	}
	for _, s := range got.Sessions {
		switch {
		case shown[s.ID]:
		case f.State == "" && d.failedLately(s):
			l.Needs = append(l.Needs, s)
		default:
			l.Rest = append(l.Rest, s)
		}
	}
	l.Tabs, l.Total = tabs(f, got.Counts)
	return l, nil
}

// failedFor is how long a session that has failed is among what needs a person.
const failedFor = 24 * time.Hour

func (d *dashboard) failedLately(s api.Summary) bool {
	return s.Outcome == blaise.OutcomeFailed && d.o.Now().Sub(s.UpdatedAt) < failedFor
}

func tabs(f api.SessionFilter, counts map[blaise.SessionState]int) (list []tab, total int) {
	for _, e := range blaise.Legend("session") {
		n := counts[blaise.SessionState(e.State)]
		total += n
		if n == 0 && f.State != e.State {
			continue
		}
		list = append(list, tab{
			State: e.State, Label: e.State, Meaning: e.Meaning, Count: n, Chosen: f.State == e.State,
			Query: query(api.SessionFilter{State: e.State, Agent: f.Agent, Text: f.Text}).Encode(),
		})
	}
	all := tab{
		Label: "all", Meaning: "All sessions.", Count: total, Chosen: f.State == "",
		Query: query(api.SessionFilter{Agent: f.Agent, Text: f.Text}).Encode(),
	}
	return append([]tab{all}, list...), total
}
