package dashboard

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
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
	Query                 template.URL
}

// Waits is how many questions are open.
func (l listPage) Waits() (n int) {
	for _, s := range l.Needs {
		n += s.Waits
	}
	return n
}

// Lacking are those shown that wait for a runner while none is here that may take
// them.
func (l listPage) Lacking() []blaise.SessionID {
	return api.Sessions{Sessions: append(slices.Clone(l.Needs), l.Rest...)}.Lacking()
}

// Query is the filter as a query, without the page.
func (l listPage) Query() template.URL { return encoded(query(l.Filter)) }

// NextQuery is that of the page after this one.
func (l listPage) NextQuery() template.URL {
	q := query(l.Filter)
	q.Set("before", l.Next)
	return encoded(q)
}

// encoded is a query for the address of a link; as a text its signs would be
// taken for a part of one value.
func encoded(q url.Values) template.URL { return template.URL(q.Encode()) } //nolint:gosec // it is escaped

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
		needs, err := d.views.Page(ctx, api.SessionFilter{State: "needs", Agent: f.Agent, Text: f.Text, Limit: 50})
		if err != nil {
			return listPage{}, err
		}
		failed, err := d.views.Page(ctx, api.SessionFilter{
			State: string(blaise.OutcomeFailed), Agent: f.Agent, Text: f.Text, Limit: 50,
			Since: d.o.Now().Add(-control.FailedFor),
		})
		if err != nil {
			return listPage{}, err
		}
		for _, s := range append(needs.Sessions, failed.Sessions...) {
			if !shown[s.ID] { // one that failed may be orphaned, too
				shown[s.ID], l.Needs = true, append(l.Needs, s)
			}
		}
		if l.Left, err = d.views.Leftovers(ctx); err != nil {
			return listPage{}, err
		}
	}
	for _, s := range got.Sessions {
		if !shown[s.ID] {
			l.Rest = append(l.Rest, s)
		}
	}
	l.Tabs, l.Total = tabs(f, got)
	return l, nil
}

func tabs(f api.SessionFilter, got api.Sessions) (list []tab, total int) {
	for _, e := range blaise.Legend("session") {
		n := got.Counts[blaise.SessionState(e.State)]
		total += n
		if n == 0 && f.State != e.State {
			continue
		}
		list = append(list, tab{
			State: e.State, Label: e.State, Meaning: e.Meaning, Count: n, Chosen: f.State == e.State,
			Query: encoded(query(api.SessionFilter{State: e.State, Agent: f.Agent, Text: f.Text})),
		})
	}
	if n, chosen := got.Outcomes[blaise.OutcomeFailed], f.State == string(blaise.OutcomeFailed); n > 0 || chosen {
		list = append(list, tab{
			State: string(blaise.OutcomeFailed), Label: string(blaise.OutcomeFailed), Meaning: "Of those that have ended, those that failed.",
			Count: n, Chosen: chosen,
			Query: encoded(query(api.SessionFilter{State: string(blaise.OutcomeFailed), Agent: f.Agent, Text: f.Text})),
		})
	}
	all := tab{
		Label: "all", Meaning: "All sessions.", Count: total, Chosen: f.State == "",
		Query: encoded(query(api.SessionFilter{Agent: f.Agent, Text: f.Text})),
	}
	return append([]tab{all}, list...), total
}
