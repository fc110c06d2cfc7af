package blaise

// QuestionPermission is the kind of a question by which an agent asks whether it
// may do something: the gate sees it before a person does.
const QuestionPermission = "permission"

// ByGate is who decided, where a rule of the gate did.
const ByGate = "the gate"

// passGate has the gate decide about the question that was just asked; what it
// leaves open a person decides.
func (d *decision) passGate() {
	s := &d.next
	q := &s.Questions[len(s.Questions)-1]
	if q.Kind != QuestionPermission {
		return
	}
	var asks Action
	if q.Asks != nil {
		asks = *q.Asks
	}
	ruled := s.Policy.Gate.Decide(asks)
	q.Rule = ruled.Rule + " " + s.Policy.origin(s.Session.Agent, "gate")
	choice, ok := q.denial(), true
	if ruled.Then == RulingAllow {
		choice, ok = q.option("allow_once")
	}
	if ruled.Then == RulingAsk || !ok { // what allows for ever is a person's to give
		return
	}
	d.e.By, d.setting = ByGate, q.Rule
	d.answer(q, choice, "")
}
