package dashboard

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blaise.dev/blaise"
)

// settingPrefix is before the names of settings in a form.
const settingPrefix = "setting."

// choose takes the select boxes of a session's page: what was changed is chosen.
func (d *dashboard) choose(w http.ResponseWriter, r *http.Request) {
	id := blaise.SessionID(r.PathValue("id"))
	set := map[string]string{}
	err := readForm(r)
	for key, values := range r.PostForm {
		name, ok := strings.CutPrefix(key, settingPrefix)
		if ok && values[0] != r.PostForm.Get("was."+name) {
			set[name] = values[0]
		}
	}
	if err == nil && len(set) > 0 {
		_, err = d.control.Choose(r.Context(), d.o.User(r).Name, id, set)
	}
	d.did(w, r, err)
}

// Chosen is what a setting is, or will be when the agent has taken it.
func (p panel) Chosen(s blaise.Setting) string {
	if want, ok := p.S.Wanted[s.ID]; ok {
		return want
	}
	return s.Value
}

// Pending says that the agent has not taken a choice yet.
func (p panel) Pending(s blaise.Setting) bool {
	want, ok := p.S.Wanted[s.ID]
	return ok && want != s.Value
}

// Label names a setting, as the agent does.
func (p panel) Label(s blaise.Setting) string {
	first, size := utf8.DecodeRuneInString(firstOf(s.Name, s.ID, "setting"))
	return string(unicode.ToUpper(first)) + firstOf(s.Name, s.ID, "setting")[size:]
}

// PlanDone is how many steps of the plan are done.
func (p panel) PlanDone() int { return blaise.AgentStatus{Plan: p.S.Plan}.Done() }

// Used is what the turns have used, in words.
func (p panel) Used() string { return p.S.Usage.Words() }

// Spent is what counts against the budget.
func (p panel) Spent() string {
	b := p.S.Budget
	turns := "turns"
	if b.Turns.Used == 1 {
		turns = "turn"
	}
	return fmt.Sprintf("%d %s · %s active", b.Turns.Used, turns, time.Duration(b.ActiveSeconds.Used)*time.Second)
}

// wanted are the settings that a session begins with.
func wanted(model, mode string) map[string]string {
	set := map[string]string{}
	if model != "" {
		set["model"] = model
	}
	if mode != "" {
		set["mode"] = mode
	}
	return set
}
