package blaise

import "slices"

// diffAsked has the live run look at what it changed. Nothing else comes of it;
// VerdictPending says that a run will look, VerdictNone that none can.
func (d *decision) diffAsked() error {
	s := &d.next
	run := s.live()
	if run == nil || run.State != RunConnected || s.Environment.State != EnvOpen || s.stop() != nil {
		return d.same(VerdictNone)
	}
	if slices.ContainsFunc(s.Directives, func(x Directive) bool { return x.Kind == DirectiveDiff }) {
		return d.same(VerdictPending)
	}
	d.issue(Directive{Kind: DirectiveDiff})
	d.out.Verdict = VerdictPending
	return nil
}
