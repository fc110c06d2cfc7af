package run

import (
	"context"
	"errors"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/api"
)

// How a turn ended, in one word: the outcome of turn_ended, and the first word
// of the message's reason where it is not plainly answered.
const (
	outcomeAnswered     = "answered"
	outcomeCut          = "cut_short" // by a limit of the agent's
	outcomeRefused      = "refused"
	outcomeCancelled    = "cancelled"
	outcomeForced       = "cancel_forced" // the agent did not obey and was killed
	outcomeStalled      = "stalled"
	outcomeDied         = "agent_died"
	outcomeAuthRequired = "auth_required"
	outcomeInterrupted  = "interrupted" // by the end of the run
	outcomeFailed       = "failed"
)

// outcome says how the turn ended. What we asked for outranks what the agent
// says: some end a cancelled turn with end_turn, or with an error (C29).
func (t *turn) outcome(ctx context.Context) (word string, rep api.Report) {
	switch {
	case t.why == outcomeStalled:
		return outcomeStalled, endedAs(blaise.MessageInterrupted, outcomeStalled, outcomeStalled)
	case t.forced && t.why != "":
		return outcomeForced, endedAs(blaise.MessageCancelled, outcomeForced, t.why)
	case t.why != "" && died(t.err):
		<-t.c.agent.gone
		return outcomeCancelled, endedAs(blaise.MessageCancelled, acp.StopCancelled,
			fmt.Sprintf("%s (%v)", t.why, t.c.agent.death()))
	case t.why != "":
		return outcomeCancelled, endedAs(blaise.MessageCancelled, acp.StopCancelled, t.why)
	case t.stopped:
		return outcomeInterrupted, endedAs(blaise.MessageInterrupted, t.result.StopReason,
			context.Cause(ctx).Error())
	case died(t.err):
		<-t.c.agent.gone
		return outcomeDied, endedAs(blaise.MessageInterrupted, outcomeDied,
			outcomeDied+": "+t.c.agent.death().Error())
	case errors.As(t.err, new(unsendable)):
		return outcomeFailed, endedAs(blaise.MessageFailed, "", t.err.Error())
	case t.err != nil:
		return t.fault()
	}
	return t.stop()
}

// fault is an error that the agent answered.
func (t *turn) fault() (word string, rep api.Report) {
	var missing *acp.AuthRequired
	switch {
	case t.retry:
		return outcomeAuthRequired, endedAs(blaise.MessageInterrupted, outcomeAuthRequired,
			outcomeAuthRequired+": the agent wanted a login, which it has now")
	case errors.As(t.err, &missing):
		return outcomeAuthRequired, endedAs(blaise.MessageFailed, outcomeAuthRequired,
			fmt.Sprintf("%v. To do: %s", missing, missing.Hint()))
	}
	return outcomeFailed, endedAs(blaise.MessageFailed, "error",
		fmt.Sprintf("the agent answered with an error: %v", t.err))
}

// stop is what the agent itself says of the end.
func (t *turn) stop() (word string, rep api.Report) {
	stop := t.result.StopReason
	switch stop {
	case "end_turn", "":
		return outcomeAnswered, endedAs(blaise.MessageAnswered, stop, t.c.verdicts.allDenied())
	case "max_tokens", "max_turn_requests":
		return outcomeCut, endedAs(blaise.MessageAnswered, stop, outcomeCut+": "+stop)
	case acp.StopCancelled:
		return outcomeCancelled, endedAs(blaise.MessageCancelled, stop, "cancelled by the agent")
	case "refusal":
		if t.c.fresh && t.c.known.Turns > 0 && t.c.tools.silent() {
			return outcomeRefused, endedAs(blaise.MessageFailed, stop, outcomeRefused+
				": the agent refused without a word, right after it loaded: it may not have the conversation")
		}
		return outcomeRefused, endedAs(blaise.MessageAnswered, stop, outcomeRefused+": the agent will not go on")
	}
	return outcomeFailed, endedAs(blaise.MessageFailed, stop, "the agent ended the turn with "+stop)
}

func endedAs(result blaise.MessageState, stop, reason string) api.Report {
	return api.Report{Result: result, StopReason: stop, Reason: reason}
}

// relogin logs in where the agent wanted that in the middle of things. The
// prompt is not written again here: Blaise decides about it as about any turn
// that broke off, and shows the repeat.
func (t *turn) relogin(ctx context.Context) {
	if t.why != "" || t.stopped || !acp.IsAuthRequired(t.err) {
		return
	}
	if t.c.agent == nil || t.c.loggedIn {
		t.err = t.c.missingLogin(t.err)
		return
	}
	if missing := t.c.login(ctx, t.err); missing != nil {
		t.err = missing
		return
	}
	t.retry = true
}
