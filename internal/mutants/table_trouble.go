package main

// trouble are the lines of A19 to A33: what goes wrong, and what follows.
var trouble = []mutant{
	{
		number: "A19", holds: "the waits between the tries of a teardown grow",
		file: "decide_teardown.go", line: "delay := waits[env.Teardowns-1]", by: "delay := waits[0]",
		test: ". TestA19_TeardownIsTriedAgainThenOrphaned",
	},
	{
		number: "A19", holds: "after the last try the environment is orphaned",
		file: "decide_teardown.go", line: "d.move(onLast, reason)", by: "d.move(on, reason)",
		test: ". TestA19_TeardownIsTriedAgainThenOrphaned",
	},
	{
		number: "A19", holds: "a retry by a person begins a full series",
		file: "decide.go", line: "env.Teardowns = 0 // a new series of tries (A19)",
		test: ". TestA19_TeardownIsTriedAgainThenOrphaned",
	},
	{
		number: "A19", holds: "a teardown that fails is reported",
		file: "run/end.go", line: "rep = api.Report{Event: blaise.EventTeardownFailed, Reason: err.Error(), Clean: saved == nil}",
		test: "internal/e2e TestA19_OrphanMarkedDestroyedWithAReason",
	},
	{
		number: "A20", holds: "a signal cancels the session",
		file: "decide_teardown.go", line: "return d.goDown(onSignalled, RunCancelled, OutcomeCancelled)", by: "return d.goDown(onSignalled, RunFailed, OutcomeFailed)",
		test: ". TestA20_SignalCancelsAndTearsDown",
	},
	{
		number: "A20", holds: "a run that is signalled tears down",
		file: "run/ending.go", line: "return ending{layers: true, destroy: unlessNo, first: blaise.EventSignalled}", by: "return ending{layers: true, first: blaise.EventSignalled}",
		test: "run TestInterrupted",
	},
	{
		number: "A20", holds: "the daemon passes a signal on to its runs",
		file: "daemon/daemon.go", line: "stop(errNoMore)\n\t\t\td.signalAll(os.Interrupt)", by: "stop(errNoMore)",
		test: "daemon TestInterrupt",
	},
	{
		number: "A20", holds: "a stop by hand pauses, and is no lost run",
		file: "decide_drain.go", line: "d.endRun(RunPaused, reason)", by: "d.endRun(RunLost, reason)",
		test: ". TestA20_StopByHandPausesWithoutBlaise",
	},
	{
		number: "A20", holds: "a stop by hand is no signal to tear down",
		file: "daemon/socket.go", line: "return syscall.SIGUSR1", by: "return syscall.SIGTERM",
		test: "daemon TestStopHere",
	},
	{
		number: "A20", holds: "HUP reads token and blaise.yml again",
		file: "cmd/runner/ear.go", line: "case s == syscall.SIGHUP:", by: "case false:",
		test: "internal/e2e TestA20_HUPReadsTokenAndFileAgain",
	},
	{
		number: "A21", holds: "last words that come again are ignored",
		file: "decide.go", line: `d.ignore("the run has ended")`,
		test: ". TestA21_RepeatedLastWordsAreIgnoredAndRecorded",
	},
	{
		number: "A21", holds: "a report that is sent again gets the answer it got",
		file: "control/report.go", line: "if err != nil || known {", by: "if err != nil || known && false {",
		test: "control TestA21AReportSentAgainGetsTheSameAnswer",
	},
	{
		number: "A21", holds: "a record that is refused fails the run",
		file: "run/beside.go", line: "r.stopWork(err) // A21",
		by: "_ = err // A21", test: "run TestA21_RefusedRecordFailsTheRun",
	},
	{
		number: "A22", holds: "a plug that does not open on a resume breaks the environment, not the session",
		file: "decide_teardown.go", line: "if s.Environment.State == EnvResuming && !s.Session.Held {", by: "if false {",
		test: ". TestA22_BrokenResumeIsMadeAnewForTheWaitingMessage",
	},
	{
		number: "A22", holds: "a notice says that the environment was recreated",
		file: "decide_run.go", line: "d.noticeRecreated()\n\t}\n", by: "}\n",
		test: ". TestA22_BrokenResumeIsMadeAnewForTheWaitingMessage",
	},
	{
		number: "A22", holds: "a refused run leaves the environment as it was",
		file: "decide_loss.go", line: "d.move(onRefused, reason)\n", by: "d.move(onRunLost, reason)\n",
		test: ". TestA22_RefusedRunLeavesAllAsItIs",
	},
	{
		number: "A22", holds: "an agent that is missing refuses the run",
		file: "run/agent.go", line: "return nil, nil, refusal{c.command.missing(err)}", by: "return nil, nil, c.command.missing(err)",
		test: "run TestRefused",
	},
	{
		number: "A23", holds: "a run that fails tears down what it can",
		file: "decide_teardown.go", line: "d.tearDown(on, run, reason)\n\t}", by: "d.endRun(run, reason)\n\t}",
		test: ". TestA23_FailedStartFailsTheSessionAndTearsDown",
	},
	{
		number: "A23", holds: "three deaths of the agent fail the run",
		file: "run/conversation.go", line: "c.deaths >= maxDeaths {", by: "c.deaths > maxDeaths {",
		test: "run TestAgentDies",
	},
	{
		number: "A23", holds: "an agent that dies in a turn is started again",
		file: "run/turn.go", line: "err = c.revive(ctx)", by: "",
		test: "run TestAgentDies",
	},
	{
		number: "A24", holds: "three runs lost in a row give up",
		file: "decide_loss.go", line: "if s.Session.Failures < maxFailures || s.ended() {", by: "if true {",
		test: ". TestA24_ThreeLostRunsInARowGiveUp",
	},
	{
		number: "A24", holds: "an answered turn clears the count",
		file: "decide_turn.go", line: "s.Session.Failures = 0\n", by: "\n",
		test: ". TestA24_AnAnsweredTurnClearsTheCount",
	},
	{
		number: "A24", holds: "what was never open is started, not resumed",
		file: "decide_settle.go", line: "if s.Environment.EverOpen {", by: "if true {",
		test: ". TestA24_LostBeforeItWasEverOpenStartsAgain",
	},
	{
		number: "A25", holds: "a run whose process did not start is followed after a delay",
		file: "decide_loss.go", line: "delay := spawnDelays[min(s.Session.SpawnFails, len(spawnDelays)-1)]", by: "delay := spawnDelays[0]",
		test: ". TestA25_UnstartableProcessIsTriedAgainAfterADelay",
	},
	{
		number: "A25", holds: "the daemon says at once that a process did not start",
		file: "daemon/take.go", line: "d.bury(ctx, r, err.Error())\n", by: "\n",
		test: "daemon TestSpawnFails",
	},
	{
		number: "A26", holds: "a run out of reach stops itself",
		file: "run/pulse.go", line: "p.end(ErrLostContact)",
		test: "run TestLostContact",
	},
	{
		number: "A26", holds: "a run out of reach destroys nothing",
		file: "run/ending.go", line: "case errors.Is(cause, ErrLostContact):\n\t\treturn ending{layers: true, last: blaise.EventLostContact}\n",
		test: "run TestLostContact",
	},
	{
		number: "A26", holds: "what a run saved before it stopped itself counts",
		file: "decide_loss.go", line: "d.saved()\n\td.loseRun(cmp.Or(d.e.Reason, \"Lost contact", by: "d.loseRun(cmp.Or(d.e.Reason, \"Lost contact",
		test: ". TestA26_LostContactIsADeadRunThatPausedItself",
	},
	{
		number: "A27", holds: "a disabled agent has no new runs",
		file: "decide_settle.go", line: "case s.Policy.Disabled || s.Policy.Archived:", by: "case false:",
		test: ". TestA27_DisabledAgent",
	},
	{
		number: "A27", holds: "an archived agent's idle runs are stopped now",
		file: "decide_clocks.go", line: "if p.Archived {", by: "if false {",
		test: ". TestA27_ArchivedAgentStopsIdleRunsNow",
	},
	{
		number: "A28", holds: "an orphaned environment takes no message",
		file: "decide_people.go", line: "case s.Environment.State == EnvOrphaned:", by: "case false:",
		test: ". TestA28_OrphanedEnvironmentTakesNoMessage",
	},
	{
		number: "A29", holds: "a fresh run follows a teardown",
		file: "decide_settle.go", line: "case EnvNone, EnvDestroyed, EnvLost:", by: "case EnvNone, EnvLost:",
		test: ". TestA29_MessageDuringATeardownWaitsForAFreshRun",
	},
	{
		number: "A30", holds: "a decision about a session that has changed since is not written",
		file: "store/session.go", line: "WHERE id = ? AND version = ?`", by: "WHERE id = ? AND version >= ?`",
		test: "store TestSQLite/A30:_an_old_snapshot_is_refused",
	},
	{
		number: "A31", holds: "a resume is for the runner that ran the session",
		file: "decide_run.go", line: `case run.Runner != "" && run.Runner != d.e.Runner:`, by: "case false:",
		test: ". TestA31_ResumeGoesToItsRunnerAndMachine",
	},
	{
		number: "A31", holds: "a resume is for the machine where the environment is",
		file: "decide_run.go", line: "case pinned && machine != d.e.Machine:", by: "case pinned && machine != d.e.Machine && false:",
		test: ". TestA31_ResumeGoesToItsRunnerAndMachine",
	},
	{
		number: "A31", holds: "what a revoked runner has is lost",
		file: "decide_admin.go", line: "d.move(onRevoked, reason)",
		test: ". TestA31_RevokedRunnerLosesItsEnvironment",
	},
	{
		number: "A31", holds: "what sleeps at a runner that goes for good is taken down there first",
		file: "decide_drain.go", line: "d.move(onLeaves, d.e.Reason)",
		test: ". TestA31_WhatSleepsIsTakenDownBeforeItsRunnerGoes",
	},
	{
		number: "A31", holds: "a runner that goes for good stays until nothing is left there",
		file: "control/farewell.go", line: "err != nil || busy > 0 {", by: "err != nil || busy < 0 {",
		test: "control TestA31RevokeAfterDrainTakesDownWhatSleeps",
	},
	{
		number: "A31", holds: "the last instance goes first",
		file: "control/offer.go", line: `if last := v.Session.Instance; last != "" && last != a.Instance.ID {`, by: `if last := v.Session.Instance; last == "none" {`,
		test: "control TestA31TheLastInstanceGoesFirst",
	},
	{
		number: "A32", holds: "plugs are found again by id",
		file: "decide_change.go", line: "return x.ID == p.ID })", by: "return false })",
		test: ". TestA32_PlugsAreFoundAgainByID",
	},
	{
		number: "A32", holds: "a stateful plug that was removed is left alone and listed",
		file: "plug/stack.go", line: "if r.HasState && !s.o.Unreadable {", by: "if false {",
		test: "plug TestStackRemembers",
	},
	{
		number: "A33", holds: "a resume starts the agent and loads",
		file: "run/takeup.go", line: "err = c.load(ctx)\n", by: "\n",
		test: "internal/e2e TestA1_A2_A3_A12_A13_A17_A33_OneLife",
	},
}
