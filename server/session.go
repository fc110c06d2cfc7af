package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// maxMessage bounds the body of a message: its longest text, escaped, and what
// may come with it, in base64.
const maxMessage = 2*control.MaxMessage + blaise.MaxAttached/2*3 + 64<<10

func (s *Server) sessionRoutes() {
	handle(s, route{
		id: "list-sessions", method: http.MethodGet, path: "/api/sessions", user: control.RoleViewer,
		says: "Sessions, the latest first",
	}, s.listSessions)
	handle(s, route{
		id: "start-session", method: http.MethodPost, path: "/api/sessions", user: control.RoleMember, limit: maxMessage,
		says: "Begin a session with its first message", status: http.StatusCreated,
	}, s.startSession)
	handle(s, route{
		id: "get-session", method: http.MethodGet, path: "/api/sessions/{id}", user: control.RoleViewer,
		says: "All of a session; the beginning of an id does",
	}, s.getSession)
	handle(s, route{
		id: "post-message", method: http.MethodPost, path: "/api/sessions/{id}/messages", user: control.RoleMember,
		limit: maxMessage, says: "Send a message", status: http.StatusCreated,
	}, s.postMessage)
	handle(s, route{
		id: "choose-settings", method: http.MethodPost, path: "/api/sessions/{id}/settings", user: control.RoleMember,
		says: "Choose the mode, the model, options of the agent",
	}, s.choose)
	act(s, route{
		id: "withdraw-message", method: http.MethodPost, path: "/api/sessions/{id}/messages/{message}/withdraw",
		user: control.RoleMember, says: "Take back a message that is queued",
	}, s.withdraw)
	act(s, route{
		id: "answer-question", method: http.MethodPost, path: "/api/sessions/{id}/questions/{question}",
		user: control.RoleMember, says: "Decide a question, once",
	}, s.answerQuestion)
	handle(s, route{
		id: "get-history", method: http.MethodGet, path: "/api/sessions/{id}/history", user: control.RoleViewer,
		says: "What changed in a session, oldest first",
	}, s.history)
	handle(s, route{
		id: "get-diff", method: http.MethodGet, path: "/api/sessions/{id}/diff", user: control.RoleViewer,
		says: "What a session changed, as its run told it last; a live one is asked to look",
	}, s.diff)
	handle(s, route{
		id: "why", method: http.MethodGet, path: "/api/why/{id}", user: control.RoleViewer,
		says: "Why a session, run or message is as it is",
	}, s.why)
	act(s, route{
		id: "lost", method: http.MethodPost, path: "/api/runs/{run}/lost", user: control.RoleAdmin,
		says: "Declare a run lost that is known to be gone",
	}, s.lost)
	for _, a := range acts {
		s.actRoute(a)
	}
}

type listIn struct {
	State  string    `query:"state" doc:"a state of sessions, an outcome, or needs: those that need a person"`
	Agent  string    `query:"agent"`
	Q      string    `query:"q" doc:"in id, title, author or reason"`
	Limit  int       `query:"limit" maximum:"500"`
	Before string    `query:"before" doc:"next of the page before"`
	Since  time.Time `query:"since" doc:"those that nothing has happened to since are left out"`
}

func (s *Server) listSessions(ctx context.Context, in *listIn) (api.Sessions, error) {
	return s.views.Sessions(ctx, api.SessionFilter{
		State: in.State, Agent: blaise.AgentName(in.Agent), Text: in.Q, Limit: in.Limit, Before: in.Before, Since: in.Since,
	})
}

func (s *Server) startSession(ctx context.Context, in *struct{ Body api.StartSession }) (api.Posted, error) {
	b := in.Body
	m, err := s.control.Start(ctx, callerOf(ctx).user.Name, control.Start{
		Agent: b.Agent, Text: b.Text, Key: b.Key, Inputs: b.Set, From: b.From,
		Wanted: b.Settings, Files: filesOf(b.Attachments),
	})
	return api.Posted{Session: m.ID.Session(), Message: m.ID, State: m.State}, err
}

func filesOf(all []api.Attach) []control.File {
	var files []control.File
	for _, a := range all {
		files = append(files, control.File(a))
	}
	return files
}

// A SessionPath is the part of a route that names a session. It is exported
// because huma looks into no other embedded struct.
type SessionPath struct {
	ID string `path:"id" doc:"a session's id, or its beginning"`
}

func (s *Server) getSession(ctx context.Context, in *SessionPath) (api.Session, error) {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return api.Session{}, err
	}
	return s.views.Session(ctx, id)
}

type postIn struct {
	SessionPath
	Body api.PostMessage
}

func (s *Server) postMessage(ctx context.Context, in *postIn) (api.Posted, error) {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return api.Posted{}, err
	}
	m, err := s.control.Post(ctx, callerOf(ctx).user.Name, id, control.Post{
		Text: in.Body.Text, Key: in.Body.Key, Now: in.Body.Now,
		Files: filesOf(in.Body.Attachments),
	})
	return api.Posted{Session: id, Message: m.ID, State: m.State}, err
}

type chooseIn struct {
	SessionPath
	Body api.ChooseSettings
}

func (s *Server) choose(ctx context.Context, in *chooseIn) (api.Chosen, error) {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return api.Chosen{}, err
	}
	applies, err := s.control.Choose(ctx, callerOf(ctx).user.Name, id, in.Body.Settings)
	return api.Chosen{Applies: applies}, err
}

type withdrawIn struct {
	SessionPath
	Message string `path:"message"`
}

func (s *Server) withdraw(ctx context.Context, in *withdrawIn) error {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return err
	}
	return s.control.Act(ctx, id, blaise.Event{
		Kind: blaise.EventMessageWithdrawn, By: callerOf(ctx).user.Name, Message: blaise.MessageID(in.Message),
	})
}

type answerIn struct {
	SessionPath
	Question string `path:"question"`
	Body     api.AnswerQuestion
}

func (s *Server) answerQuestion(ctx context.Context, in *answerIn) error {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return err
	}
	q := blaise.QuestionID(in.Question)
	switch {
	case q.Session() != id:
		return blaise.Errorf(blaise.CodeNotFound, "question %q is not one of session %s", q, id)
	case in.Body.Choice == "" && in.Body.Allow == nil:
		return blaise.Errorf(blaise.CodeInvalid, "answer %s: choice or allow is needed", q)
	}
	return s.control.Answer(ctx, callerOf(ctx).user.Name, q, control.Decision{
		Choice: in.Body.Choice, Allow: in.Body.Allow, Set: in.Body.Set,
	})
}

// historyLimit is how many changes are shown of a session.
const historyLimit = 1000

func (s *Server) history(ctx context.Context, in *SessionPath) ([]api.Change, error) {
	id, err := s.views.Find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	list, err := s.control.History(ctx, id, historyLimit)
	out := []api.Change{}
	for _, c := range list {
		out = append(out, api.Change(c))
	}
	return out, err
}

func (s *Server) why(ctx context.Context, in *struct {
	ID string `path:"id" doc:"of a session, run, message or runner"`
}) (api.Why, error) {
	id := in.ID
	if !strings.Contains(id, ".") {
		found, err := s.views.Find(ctx, id)
		if err != nil && blaise.CodeOf(err) == blaise.CodeNotFound {
			lines, err := s.control.WhyRunner(ctx, id)
			return api.Why{ID: id, What: "runner", Lines: lines}, err
		}
		if err != nil {
			return api.Why{}, err
		}
		id = string(found)
	}
	lines, err := s.control.Why(ctx, id)
	if lines == nil {
		lines = []string{}
	}
	return api.Why{ID: id, What: whatOf(id), Lines: lines}, err
}

func whatOf(id string) string {
	_, rest, ok := strings.Cut(id, ".")
	switch {
	case !ok:
		return "session"
	case strings.HasPrefix(rest, "m"):
		return "message"
	}
	return "run"
}

func (s *Server) lost(ctx context.Context, in *struct {
	Run  string `path:"run"`
	Body api.Act
}) error {
	id := blaise.RunID(in.Run)
	if id.Session() == "" {
		return blaise.Errorf(blaise.CodeInvalid, "%q is no id of a run", in.Run).WithHint("they read SESSION.N")
	}
	return s.control.Act(ctx, id.Session(), blaise.Event{
		Kind: blaise.EventLostDeclared, By: callerOf(ctx).user.Name, Run: id, Reason: in.Body.Reason,
	})
}
