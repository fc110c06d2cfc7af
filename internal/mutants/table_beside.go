package main

// beside are the lines of X: what users ask for.
var beside = []mutant{
	{
		number: "X1", holds: "the same key is the same message",
		file: "decide_people.go", line: `if d.e.Key != "" && m.Key == d.e.Key {`, by: "if false && m.Key == d.e.Key {",
		test: ". TestX1_SameKeyIsTheSameMessage",
	},
	{
		number: "X1", holds: "the key is known for good",
		file: "control/message.go", line: "if ok {\n\t\t\t\tknown = &m", by: "if false && ok {\n\t\t\t\tknown = &m",
		test: "control TestX1TheSameKeyIsTheSameMessage",
	},
	{
		number: "X1", holds: "messages are delivered in order",
		file: "decide_turn.go", line: "case m != s.first():", by: "case false:",
		test: ". TestX1_OneTurnPerMessageInOrder",
	},
	{
		number: "X1", holds: "a withdrawn message's prompt is void",
		file: "decide_people.go", line: "d.voidPrompt(m.ID)\n",
		test: ". TestX1_QueuedMessageCanBeWithdrawn",
	},
	{
		number: "X1", holds: "a message is written to the agent only when it is claimed",
		file: "run/turn.go", line: "if !ok {\n\t\treturn err\n\t}\n", by: "_ = ok\n",
		test: "run TestX1_WhatIsNotClaimedIsNotWritten",
	},
	{
		number: "X1", holds: "a second write is shown as a repeat",
		file: "decide_turn.go", line: "m.Repeats++",
		by: "", test: ". TestX1_InterruptedTurnGoesOnInTheNextRun",
	},
	{
		number: "X1", holds: "a prompt that the replay holds is not written again",
		file: "run/turn.go", line: "if d.GoOn && c.verified && c.replay.holds(d.Text) {", by: "if false {",
		test: "run TestAgentDies",
	},
	{
		number: "X1", holds: "a prompt that the replay lacks is written again",
		file: "run/turn.go", line: "if d.GoOn && c.verified && c.replay.holds(d.Text) {", by: "if d.GoOn {",
		test: "run TestX1_PromptThatTheReplayLacksIsWrittenAgain",
	},
	{
		number: "X2", holds: "a report of another run is stale",
		file: "decide.go", line: "if from == fromLive || d.fenced() {", by: "if false {",
		test: ". TestX2_ReportOfAnotherRunIsStale",
	},
	{
		number: "X2", holds: "one accept wins",
		file: "control/lease.go", line: "if known.Nonce != a.Nonce {", by: "if known.Nonce != a.Nonce && false {",
		test: "control TestX2OneAcceptWins",
	},
	{
		number: "X2", holds: "a lost run does not come back beside its successor",
		file: "decide_back.go", line: "s.live() != nil || s.Session.Held {", by: "s.Session.Held {",
		test: ". TestX2_LostRunIsStaleOnceASuccessorWasAccepted",
	},
	{
		number: "X2", holds: "a run that a person declared lost does not come back",
		file: "decide_back.go", line: "last.Outcome != RunLost || last.Declared ||", by: "last.Outcome != RunLost ||",
		test: ". TestX2_APersonDeclaresARunLost",
	},
	{
		number: "X2", holds: "a silence that Blaise was not there to hear counts from its return",
		file: "decide_away.go", line: "return until, c.DueAt.Before(until)", by: "return until, false",
		test: ". TestX2_SilenceIsCountedFromBlaisesReturn",
	},
	{
		number: "X2", holds: "what fell due while Blaise was away waits until it has listened",
		file: "control/clock.go", line: "At: now, Serving: s.c.beats.since(),", by: "At: now,",
		test: "control TestX2RestartAfterHours",
	},
	{
		number: "X2", holds: "a run whose lease is stale touches no layer and says nothing",
		file: "run/run.go", line: "func (r *run) fenceOff() { r.life(ErrFenced) }", by: `func (r *run) fenceOff() { r.cut(errors.New("refused")) }`,
		test: "run TestStale",
	},
	{
		number: "X2", holds: "a run that hangs is killed at its fence",
		file: "daemon/fence.go", line: "\t\t\td.fence(c)\n",
		test: "daemon TestHungRun",
	},
	{
		number: "X2", holds: "a run is dead when all it started is gone",
		file: "daemon/fence.go", line: "r.killMarked() == 0 && !r.lives() {", by: "true {",
		test: "daemon TestDetached",
	},
	{
		number: "X2", holds: "after a gap the run's tree stands still until Blaise has answered",
		file: "run/pulse.go", line: "p.freeze()\n", by: "\n",
		test: "daemon TestX2_AfterAGapTheTreeStandsStill",
	},
	{
		number: "X2", holds: "Blaise declares a run lost after its fence, not at it",
		file: "policy.go", line: "p.Misses+p.Misses/5", by: "p.Misses",
		test: ". TestX2_StopsThenIsKilledThenIsLost",
	},
	{
		number: "X3", holds: "the next daemon adopts a live run",
		file: "daemon/bury.go", line: "case r.locked():", by: "case false:",
		test: "daemon TestX3_TheNextDaemonAdopts",
	},
	{
		number: "X3", holds: "an accept whose answer was lost is asked again",
		file: "daemon/bury.go", line: "d.unborn = append(d.unborn, r)", by: "_ = r.remove()",
		test: "daemon TestBirth",
	},
	{
		number: "X3", holds: "what a dead run left in its spool is shipped",
		file: "daemon/bury.go", line: "err := d.shipRest(ctx, r)", by: "var err error",
		test: "daemon TestShipsTheRest",
	},
	{
		number: "X4", holds: "destroyed means that the ledger is empty",
		file: "decide_teardown.go", line: "d.allGone()\n\ts.Environment", by: "s.Environment",
		test: ". TestX4_DestroyedMeansThatTheLedgerIsEmpty",
	},
	{
		number: "X4", holds: "a worktree is in the ledger before it is made",
		file: "plug/worktree_create.go", line: "if err := s.Intend(ctx, worktreeResource(repo, m.Dir)); err != nil {", by: "if err := error(nil); err != nil {",
		test: "plug TestX4_WorktreeAndBranchAreInTheLedger",
	},
	{
		number: "X5", holds: "saved work that Blaise alone may have is not deleted unasked",
		file: "control/deletion.go", line: "err != nil && !dropWork {", by: "err != nil && false {",
		test: "control TestX5_DeleteAsksForWorkThatBlaiseAloneHas",
	},
	{
		number: "X5", holds: "a mirror with saved work stays",
		file: "plug/mirror_use.go", line: `return kept + ", has " + own, nil`, by: `return "", nil`,
		test: "plug TestX5_MirrorWithSavedWorkStays",
	},
	{
		number: "X5", holds: "a failed save stops the destroy",
		file: "run/end.go", line: "if saved != nil && !r.lease.Forced {", by: "if false {",
		test: "internal/e2e TestA19_UnsavedWorkIsNotDestroyed",
	},
	{
		number: "X7", holds: "a clock that fires is in the record",
		file: "decide_fire.go", line: `d.note("clock:"+string(fired.Kind), "running", "fired", fired.Kind.Meaning())`,
		test: ". TestX7_EveryClockDecisionNamesItsSettingAndWhoSetIt",
	},
	{
		number: "X7", holds: "why names the setting of a clock",
		file: "why.go", line: "Span(c.DueAt.Sub(now)), c.Setting, then)", by: `Span(c.DueAt.Sub(now)), "", then)`,
		test: ". TestX7_WhyNamesClockTimeSettingAndEffect",
	},
	{
		number: "X7", holds: "a message that waits says for what",
		file: "why_message.go", line: "case s.live() != nil && s.Run.State == RunAccepted:", by: "case false:",
		test: ". TestX7_WhyAMessageWaits",
	},
	{
		number: "X7", holds: "why says who has the slots",
		file: "control/why.go", line: "if err != nil || len(runs) < in.Slots {", by: "if true {",
		test: "control TestX7WhySaysWhoHasTheSlots",
	},
	{
		number: "X8", holds: "a secret that is split across chunks is removed",
		file: "run/clean.go", line: `text := r.streams.Next(c.Kind+" "+c.Message, c.Content.Text)`, by: "text := c.Content.Text",
		test: "run TestX8_SecretSplitAcrossChunks",
	},
	{
		number: "X8", holds: "the beginning of a secret is withheld until it is decided",
		file: "redact/stream.go", line: "spans, open := s.r.find(s.before, text)", by: "spans, open := s.r.find(s.before, text)\n\topen = len(text)",
		test: "redact TestStream",
	},
	{
		number: "X8", holds: "a filter that fails ends the run",
		file: "run/record.go", line: "if err != nil {\n\t\tr.failed(err)\n\t}\n\treturn err == nil", by: "return err == nil",
		test: "internal/e2e TestX8_BrokenFilterFailsClosed",
	},
	{
		number: "X11", holds: "a drain lets the turn end",
		file: "decide_drain.go", line: `if run.Turn != "" && !s.asked() && s.clock(ClockDrain) != nil {`, by: "if false {",
		test: ". TestX11_DrainLetsTheTurnEndAndGivesNoOther",
	},
	{
		number: "X11", holds: "a turn that waits on a person is not waited for",
		file: "decide_drain.go", line: `if run.Turn != "" && !s.asked() && s.clock(ClockDrain) != nil {`, by: `if run.Turn != "" && s.clock(ClockDrain) != nil {`,
		test: ". TestX11_DrainCancelsParkedTurnsAtOnce",
	},
	{
		number: "X11", holds: "a drained session can be resumed, whatever idle.then says",
		file: "decide_drain.go", line: `d.ask(Stop{Reason: run.Drain, MayResume: true, By: "drain", Clock: string(ClockDrain)})`,
		by:   `d.ask(Stop{Reason: run.Drain, Ends: true, By: "drain", Clock: string(ClockIdle)})`,
		test: ". TestX11_DrainPausesAnIdleRunWhateverIdleThenSays",
	},
	{
		number: "X11", holds: "a draining instance is offered nothing",
		file: "control/drain.go", line: "in.Draining = true\n\t\treturn tx.PutInstance(in)", by: "return tx.PutInstance(in)",
		test: "internal/e2e TestX11_DrainLetsTurnsEnd",
	},
}
