package main

// crowd are the lines of L: the runs at work for an agent, and who waits.
var crowd = []mutant{
	{
		number: "L1", holds: "a run beside as many as may be at work is refused",
		file: "decide_run.go", line: "s.Policy.Concurrency > 0 && d.e.AtWork >= s.Policy.Concurrency:", by: "false:",
		test: "control TestConcurrency_ManyInstancesNeverExceedIt",
	},
	{
		number: "L1", holds: "who is at work is counted where the run is taken",
		file: "control/control.go", line: "if e.AtWork, err = tx.AtWork(before.Session.Agent); err != nil {", by: "if err != nil {",
		test: "control TestConcurrency_ManyInstancesNeverExceedIt",
	},
	{
		number: "L1", holds: "on PostgreSQL who counts is alone",
		file: "store/place.go", line: "_, err := tx.q.exec(alone, \"places of \"+clean(string(agent))); err != nil", by: "err := error(nil); err != nil || alone == \"\"",
		test: "store TestPostgres/suite/a_place_is_taken_once",
	},
	{
		number: "L1", holds: "no more runs are offered than may be taken",
		file: "control/waiting.go", line: " || !w.room(o, now) {", by: " {",
		test: "control TestConcurrency_PeopleInTurnAndChangesAtOnce",
	},
	{
		number: "L2", holds: "lines are served in rounds",
		file: "line.go", line: "list[i].round = l.Waiting\n",
		test: ". TestConcurrency_LinesAreServedRoundRobin",
	},
	{
		number: "L2", holds: "who was served longest ago goes first",
		file: "line.go", line: "cmp.Or(l.Served.Compare(o.Served), l.Oldest", by: "cmp.Or(l.Oldest",
		test: ". TestConcurrency_LinesAreServedRoundRobin",
	},
	{
		number: "L2", holds: "who was served before is told from who never was",
		file: "store/offer.go", line: "one.Served = l.served\n",
		test: "control TestConcurrency_PeopleInTurnAndChangesAtOnce",
	},
	{
		number: "L2", holds: "the place told counts those who are served between",
		file: "line.go", line: "place += min(l.Waiting, ahead)\n",
		test: ". TestConcurrency_ThePlaceToldIsThePlaceServed",
	},
	{
		number: "L3", holds: "an idle session pauses early for who waits",
		file: "decide_crowd.go", line: "c.DueAt = due\n",
		test: ". TestConcurrency_IdlePausesEarlyForOthers",
	},
	{
		number: "L3", holds: "nobody is ended for others",
		file: "decide_crowd.go", line: "|| d.idleEnds() {", by: "{",
		test: ". TestConcurrency_WhoDoesNotPauseForOthers",
	},
	{
		number: "L3", holds: "what cannot be resumed any more has its time again",
		file: "decide_fire.go", line: "case c.ForOthers() && d.idleEnds():", by: "case false:",
		test: ". TestConcurrency_WhoDoesNotPauseForOthers",
	},
	{
		number: "L3", holds: "who is idle for longest pauses",
		file: "control/crowd.go", line: "a.Clock.Since.Compare(b.Clock.Since)", by: "b.Clock.Since.Compare(a.Clock.Since)",
		test: "control TestConcurrency_TheLongestIdlePausesForWhoWaits",
	},
	{
		number: "L3", holds: "no more pause than wait",
		file: "control/crowd.go", line: "if n.waiting <= 0 {\n\t\t\treturn nil\n\t\t}\n",
		test: "control TestConcurrency_TheLongestIdlePausesForWhoWaits",
	},
	{
		number: "L3", holds: "who pauses for nobody any more is told",
		file: "control/crowd.go", line: "k.tell(ctx, id, blaise.Event{Kind: blaise.EventOthersServed})\n", by: "_ = id\n",
		test: "control TestConcurrency_TheLongestIdlePausesForWhoWaits",
	},
	{
		number: "L3", holds: "nobody pauses for runs that nobody may take",
		file: "control/crowd.go", line: "if n == 0 {\n\t\t\tcontinue\n\t\t}\n", by: "n = max(n, 1)\n",
		test: "control TestConcurrency_NobodyPausesForWhatNobodyMayTake",
	},
	{
		number: "L3", holds: "nobody pauses where another instance has a slot free",
		file: "control/crowd_slots.go", line: "if len(in.Runs) < in.Slots {\n\t\t\treturn nil, err\n\t\t}\n", by: "_ = in\n",
		test: "control TestConcurrency_IdleGivesItsSlotToWhoWaits",
	},
}
