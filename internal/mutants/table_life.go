package main

// life are the lines of A1 to A18: a session from its first run to its end.
var life = []mutant{
	{
		number: "A1", holds: "no run is offered beside a live one",
		file: "decide_settle.go", line: "if s.live() != nil {\n\t\treturn", by: "if false {\n\t\treturn",
		test: ". TestA1_RunsOneAtATimeNumbered",
	},
	{
		number: "A2", holds: "a message to a paused session is answered by a resume",
		file: "decide_settle.go", line: "case EnvPaused:\n\t\treturn RunResume", by: "case EnvPaused:\n\t\treturn RunStart",
		test: ". TestA2_MessageWhilePausedResumes",
	},
	{
		number: "A2", holds: "a teardown run starts no agent",
		file: "run/run.go", line: "if r.lease.Kind == blaise.RunTeardown {", by: "if false {",
		test: "run TestTeardown",
	},
	{
		number: "A3", holds: "the environment outlives the run",
		file: "run/end.go", line: "return <-last == blaise.VerdictTeardown", by: "return <-last != blaise.VerdictTeardown",
		test: "internal/e2e TestA1_A2_A3_A12_A13_A17_A33_OneLife",
	},
	{
		number: "A4", holds: "a report moves nothing that Blaise did not ask for",
		file: "decide_teardown.go", line: "if s.Environment.State != EnvTearingDown {", by: "if false {",
		test: ". TestA4_ReportsMoveNothingUnasked",
	},
	{
		number: "A5", holds: "each state is explained where it is shown",
		file: "server/session_view.go", line: "Meaning: env.State.Meaning(),", by: `Meaning: "",`,
		test: "internal/e2e TestA4_A5_StateIsBlaisesAndExplained",
	},
	{
		number: "A5", holds: "the page of a session explains its state",
		file: "dashboard/templates/session.html", line: `<p class="meaning">{{.EnvironmentMeaning}}</p>`,
		test: "dashboard TestPages",
	},
	{
		number: "A6", holds: "a time limit in blaise.yml is told from a misspelt key",
		file: "config/timing.go", line: "if t, ok := timingOf(key.Value, section); ok {", by: "if t, ok := timingOf(key.Value, section); ok && false {",
		test: "config TestA6TimingKeys",
	},
	{
		number: "A7", holds: "a stop that is asked does not bind yet",
		file: "decide_stop.go", line: "d.ask(stop)\n\td.out.Verdict = VerdictPending", by: "d.confirm(stop)\n\td.out.Verdict = VerdictPending",
		test: ". TestA7_StopBindsWhenItIsReceived",
	},
	{
		number: "A7", holds: "a stop that is not received in time is void",
		file: "decide_stop.go", line: "if !s.Session.Held && d.e.At.After(stop.IssuedAt.Add(StopReceipt)) {", by: "if false {",
		test: ". TestA7_StopNotReceivedInTimeIsVoid",
	},
	{
		number: "A7", holds: "an idle stop that a message overtakes is void",
		file: "decide_settle.go", line: `d.void(stop.N, "overtaken by a message")`,
		test: ". TestA7_IdleStopIsOvertakenByAMessage",
	},
	{
		number: "A7", holds: "the answer to the pause outranks an idle end",
		file: "decide_stop.go", line: "case s.first() != nil:\n\t\treturn false, \"\"\n\tcase s.Run.Stop", by: "case s.Run.Stop",
		test: ". TestA7_MessageDuringAnIdleEndTurnsItIntoExit",
	},
	{
		number: "A7", holds: "a pause that Blaise does not answer destroys nothing",
		file: "run/end.go", line: "return <-last == blaise.VerdictTeardown", by: "return <-last != blaise.VerdictExit",
		test: "run TestA7_NoAnswerToAPauseDestroysNothing",
	},
	{
		number: "A8", holds: "a run that nobody hears is lost",
		file: "decide_fire.go", line: `d.loseRun("no heartbeat")`,
		test: ". TestA8_SilentRunTimesOutAndTheNextMessageResumes",
	},
	{
		number: "A9", holds: "a changed policy moves the clock that runs",
		file: "decide_admin.go", line: "c.DueAt, c.Setting = c.Since.Add(length), d.settingOf(c.Kind)", by: "c.Setting = d.settingOf(c.Kind)",
		test: ". TestA9_PolicyChangeMovesTheClockThatRuns",
	},
	{
		number: "A9", holds: "a clock that was moved does not fire at its old time",
		file: "decide_fire.go", line: "if c == nil || c.DueAt.After(d.e.At) || d.next.Session.Held {", by: "if c == nil || d.next.Session.Held {",
		test: ". TestA9_ClockThatWasMovedDoesNotFire",
	},
	{
		number: "A10", holds: "what cannot be resumed ends when it is idle",
		file: "decide_crowd.go", line: `|| p.IdleCannotResume == ThenEnd && d.next.cannotResume() != ""`,
		test: ". TestA10_PlugThatCannotResumeEndsTheSession",
	},
	{
		number: "A10", holds: "Blaise decides again when the pause is reported",
		file: "decide_stop.go", line: `if why == "" || s.Policy.IdleCannotResume == ThenPause {`, by: "if true {",
		test: ". TestA10_BlaiseDecidesAgainWhenThePauseIsReported",
	},
	{
		number: "A10", holds: "a run that pauses unasked is overruled",
		file: "decide_stop.go", line: "if !d.can(onPauseExit) {", by: "if false {",
		test: ". TestA10_PauseThatNobodyAskedForIsOverruled",
	},
	{
		number: "A11", holds: "no idle clock runs in a turn",
		file: "decide_clocks.go", line: "return d.ready() && !d.next.open() && !d.next.asked()", by: "return d.next.live() != nil",
		test: ". TestA11_IdleClockStandsStillInATurn",
	},
	{
		number: "A12", holds: "plugs go down outwards, the outermost last",
		file: "plug/stack_down.go", line: "for i := len(s.layers) - 1; i >= 0; i-- {", by: "for i := range s.layers {",
		test: "plug TestStack",
	},
	{
		number: "A12", holds: "a pause in a turn cancels it",
		file: "decide_stop.go", line: "d.leaveTurn()\n\tif teardown, why", by: "if teardown, why",
		test: ". TestA12_PauseAskedInATurnCancelsIt",
	},
	{
		number: "A12", holds: "what a paused environment holds is shown",
		file: "server/session_view.go", line: "plugOf(p, env.Resources)", by: "plugOf(p, nil)",
		test: "internal/e2e TestA1_A2_A3_A12_A13_A17_A33_OneLife",
	},
	{
		number: "A13", holds: "the agent's conversation is kept",
		file: "decide_run.go", line: "s.Conversation = *c\n", by: "\n",
		test: ". TestA13_ConversationIsKeptWithItsEnvironment",
	},
	{
		number: "A13", holds: "a replay is not recorded again",
		file: "run/conversation.go", line: "c.r.record.update(u.Raw, replayed, u.Late)", by: "c.r.record.update(u.Raw, false, u.Late)",
		test: "run TestC26_ReplayIsNotRecorded",
	},
	{
		number: "A14", holds: "an agent that has lost the conversation begins anew",
		file: "run/takeup.go", line: "case acp.IsSessionNotFound(err):\n\t\treturn final(c.anew(ctx, err.Error()))\n\tcase acp.IsAuthMissing(err):\n\t\treturn c.unusable(err)\n\tcase c.tries",
		by:   "case acp.IsAuthMissing(err):\n\t\treturn c.unusable(err)\n\tcase c.tries",
		test: "run TestContextLost",
	},
	{
		number: "A14", holds: "a notice says that a new conversation begins",
		file: "run/conversation.go", line: `c.r.notice("A new conversation begins in the same environment.", nil)`,
		test: "internal/e2e TestA14_AgentThatCannotLoadBeginsAnew",
	},
	{
		number: "A15", holds: "a session that is paused too long ends",
		file: "decide_fire.go", line: "case ClockMaxPaused:\n\t\td.fireMaxPaused()", by: "case ClockMaxPaused:",
		test: ". TestA15_PausedLongerThanAllowedEnds",
	},
	{
		number: "A16", holds: "a live run that ends is told to tear down",
		file: "decide_stop.go", line: "return true, s.Session.Reason", by: `return false, ""`,
		test: ". TestA16_EndWhileAliveTearsDownInItsOwnProcess",
	},
	{
		number: "A17", holds: "a session that ends while paused owes a teardown",
		file: "decide_settle.go", line: "if d.can(onEnded) && s.live() == nil {", by: "if false {",
		test: ". TestA17_EndWhilePausedOffersATeardownRun",
	},
	{
		number: "A18", holds: "an end is complete with the receipt of the stop",
		file: "decide_stop.go", line: "d.giveUpWork(stop.Discard)\n\t\td.end(stop.Outcome, stop.Reason)", by: "d.giveUpWork(stop.Discard)",
		test: ". TestA18_EndIsCompleteWithTheReceipt",
	},
	{
		number: "A18", holds: "an end that nobody can receive is refused",
		file: "decide_stop.go", line: "if run.State == RunAccepted || !run.UnreachableSince.IsZero() {", by: "if false {",
		test: ". TestA18_EndWithNoRunToHearItChangesNothing",
	},
	{
		number: "A18", holds: "an ended session takes no message",
		file: "decide_people.go", line: "case s.ended():\n\t\treturn Errorf(CodeRefused, \"session %s has ended", by: "case false:\n\t\treturn Errorf(CodeRefused, \"session %s has ended",
		test: ". TestA18_EndIsCompleteWithTheReceipt",
	},
}
