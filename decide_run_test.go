package blaise_test

import (
	"reflect"
	"testing"
	"time"

	"blaise.dev/blaise"
)

func TestA1_RunsOneAtATimeNumbered(t *testing.T) {
	st := begin(t)
	st.offers(blaise.RunStart, "")
	if st.s.Run.ID != "abcd1234.1" || st.s.Run.Attempt != 1 {
		t.Fatalf("first run: %+v", st.s.Run)
	}
	st.opens()
	st.post("second")
	if st.s.Session.Runs != 1 {
		t.Fatal("a second run beside the first")
	}
}

func TestA2_MessageWhilePausedResumes(t *testing.T) {
	st := begin(t).paused()
	st.post("second")
	st.offers(blaise.RunResume, "r1")
	st.opens()
	if st.s.Environment.Generation != 1 || st.s.Environment.ID != "abcd1234" {
		t.Fatalf("another environment: %+v", st.s.Environment)
	}
	st.message(st.claim(), blaise.MessageDelivered)
}

func TestA8_SilentRunTimesOutAndTheNextMessageResumes(t *testing.T) {
	st := begin(t).idles()
	st.fires(blaise.ClockLost)
	st.wants(blaise.EnvUnattended, blaise.SessionPaused)
	st.lastRun(blaise.RunLost)
	st.post("second")
	st.offers(blaise.RunResume, "r1")
}

func TestA13_ConversationIsKeptWithItsEnvironment(t *testing.T) {
	st := begin(t)
	st.connect()
	st.do(blaise.Event{Kind: blaise.EventOpened, Plugs: resumable,
		Conversation: &blaise.Conversation{ACP: "acp-1", CWD: "/w"}, Context: blaise.ContextFull})
	if c := st.s.Session.Conversation; c.ACP != "acp-1" || c.Generation != 1 {
		t.Fatalf("conversation: %+v", c)
	}
	if st.s.Session.Context != blaise.ContextFull {
		t.Fatalf("context %q", st.s.Session.Context)
	}
}

func TestA20_SignalCancelsAndTearsDown(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	second := st.post("second")
	st.wantsVerdict(st.event(blaise.EventSignalled), blaise.VerdictTeardown)
	st.wants(blaise.EnvTearingDown, blaise.SessionEnded)
	st.outcome(blaise.OutcomeCancelled)
	st.message(first, blaise.MessageCancelled)
	if m := st.message(second, blaise.MessageFailed); m.Reason != "session_ended" {
		t.Errorf("queued message failed with %q", m.Reason)
	}
	st.event(blaise.EventDestroyed)
	st.lastRun(blaise.RunCancelled)
	st.wants(blaise.EnvDestroyed, blaise.SessionEnded)
}

func TestA21_RepeatedLastWordsAreIgnoredAndRecorded(t *testing.T) {
	st := begin(t).paused()
	run := st.gone[len(st.gone)-1].ID
	before := st.s.Session
	for _, kind := range []blaise.EventKind{
		blaise.EventPauseReported, blaise.EventDestroyed, blaise.EventTeardownFailed,
		blaise.EventRunFailed, blaise.EventSignalled, blaise.EventRefused, blaise.EventRunDead,
		blaise.EventLostContact, blaise.EventPlugFailed, blaise.EventSpawnFailed,
	} {
		v := st.do(blaise.Event{Kind: kind, Run: run})
		st.wantsVerdict(v, blaise.VerdictExit)
	}
	st.wants(blaise.EnvPaused, blaise.SessionPaused)
	if !reflect.DeepEqual(st.s.Session, before) {
		t.Errorf("the session changed: %+v", st.s.Session)
	}
	st.recorded("run:"+string(run), "ignored")
}

func TestX2_ReportOfAnotherRunIsStale(t *testing.T) {
	st := begin(t).idles()
	st.fires(blaise.ClockLost)
	lost := st.gone[0].ID
	for _, kind := range []blaise.EventKind{
		blaise.EventOpened, blaise.EventTurnClaimed, blaise.EventProgress, blaise.EventStopReceived,
		blaise.EventPauseReported, blaise.EventSignalled,
	} {
		st.refuses(blaise.Event{Kind: kind, Run: lost}, blaise.CodeStale, "stop now")
	}
	st.refuses(blaise.Event{Kind: blaise.EventOpened, Run: "other999.1"}, blaise.CodeNotFound, "no run")
}

func TestX2_LostRunIsTakenBackBeforeASuccessorIsAccepted(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	st.fires(blaise.ClockLost)
	lost := st.gone[0].ID
	st.message(first, blaise.MessageInterrupted)
	st.offers(blaise.RunResume, "r1")
	v := st.do(blaise.Event{Kind: blaise.EventRunBack, Run: lost})
	st.wantsVerdict(v, blaise.VerdictGo)
	st.wants(blaise.EnvOpen, blaise.SessionWorking)
	st.message(first, blaise.MessageDelivered)
	if st.s.Run.ID != lost || st.s.Run.Turn != first || st.s.Session.Failures != 0 {
		t.Fatalf("run %+v, failures %d", st.s.Run, st.s.Session.Failures)
	}
	st.lastRun(blaise.RunCancelled) // the offer
	st.ends(blaise.MessageAnswered)
	if m := st.message(first, blaise.MessageAnswered); m.Repeats != 0 {
		t.Errorf("repeats %d", m.Repeats)
	}
}

func TestX2_LostRunIsStaleOnceASuccessorWasAccepted(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	st.fires(blaise.ClockLost)
	lost := st.gone[0].ID
	st.accept()
	st.refuses(blaise.Event{Kind: blaise.EventRunBack, Run: lost}, blaise.CodeStale, "stop now")
}

func TestX2_APersonDeclaresARunLost(t *testing.T) {
	st := begin(t).opens()
	st.refuses(blaise.Event{Kind: blaise.EventLostDeclared, Run: "abcd1234.7"}, blaise.CodeRefused, "not alive")
	st.do(blaise.Event{Kind: blaise.EventLostDeclared, Reason: "the machine burnt"})
	st.recorded("run:abcd1234.1", "declared lost by ann: the machine burnt")
	st.offers(blaise.RunResume, "r1")
	st.refuses(blaise.Event{Kind: blaise.EventRunBack, Run: "abcd1234.1"}, blaise.CodeStale, "stop now")
}

func TestA22_BrokenResumeIsMadeAnewForTheWaitingMessage(t *testing.T) {
	st := begin(t).paused()
	second := st.post("second")
	st.connect()
	v := st.do(blaise.Event{Kind: blaise.EventPlugFailed, Reason: "the container is gone"})
	st.wantsVerdict(v, blaise.VerdictTeardown)
	st.wants(blaise.EnvTearingDown, blaise.SessionQueued)
	st.message(second, blaise.MessageQueued)
	third := st.post("third") // A29: it waits
	st.event(blaise.EventDestroyed)
	st.lastRun(blaise.RunFailed)
	st.offers(blaise.RunStart, "")
	st.opens()
	st.told("The environment was recreated")
	st.told("the container is gone")
	if st.s.Environment.ID != "abcd1234-2" || st.s.Environment.Generation != 2 {
		t.Fatalf("environment %+v", st.s.Environment)
	}
	if got := st.claim(); got != second {
		t.Fatalf("claimed %s", got)
	}
	st.message(third, blaise.MessageQueued)
}

func TestA22_RefusedRunLeavesAllAsItIs(t *testing.T) {
	st := begin(t).paused()
	second := st.post("second")
	st.connect()
	st.wantsVerdict(st.do(blaise.Event{Kind: blaise.EventRefused, Reason: "blaise.yml:3: no such key"}), blaise.VerdictExit)
	st.wants(blaise.EnvPaused, blaise.SessionQueued)
	st.lastRun(blaise.RunRefused)
	if m := st.message(second, blaise.MessageQueued); m.Reason != "run refused: blaise.yml:3: no such key" {
		t.Errorf("reason %q", m.Reason)
	}
	if st.s.Run != nil {
		t.Fatalf("tried again at once: %+v", st.s.Run)
	}
	st.event(blaise.EventRetryAsked)
	st.offers(blaise.RunResume, "r1")
	st.connect()
	st.do(blaise.Event{Kind: blaise.EventRefused, Reason: "still"})
	st.post("third")
	st.offers(blaise.RunResume, "r1")
	st.refuses(blaise.Event{Kind: blaise.EventRetryAsked}, blaise.CodeRefused, "nothing")
}

func TestA22_RefusedStartGoesBackToNone(t *testing.T) {
	st := begin(t)
	st.connect()
	st.do(blaise.Event{Kind: blaise.EventRefused, Reason: "no agent program"})
	st.wants(blaise.EnvNone, blaise.SessionQueued)
}

func TestA23_FailedStartFailsTheSessionAndTearsDown(t *testing.T) {
	for _, kind := range []blaise.EventKind{blaise.EventPlugFailed, blaise.EventRunFailed} {
		st := begin(t)
		st.connect()
		st.wantsVerdict(st.do(blaise.Event{Kind: kind, Reason: "no space"}), blaise.VerdictTeardown)
		st.wants(blaise.EnvTearingDown, blaise.SessionEnded)
		st.outcome(blaise.OutcomeFailed)
		st.message("abcd1234.m1", blaise.MessageFailed)
		st.event(blaise.EventTeardownFailed)
		st.lastRun(blaise.RunFailed)
		st.outcome(blaise.OutcomeFailed)
	}
}

func TestA24_ThreeLostRunsInARowGiveUp(t *testing.T) {
	st := begin(t).opens()
	st.claim()
	for range 2 {
		st.event(blaise.EventRunDead)
		st.offers(blaise.RunResume, "r1")
		st.opens()
	}
	st.event(blaise.EventRunDead)
	st.wants(blaise.EnvTeardownWaiting, blaise.SessionEnded)
	st.outcome(blaise.OutcomeFailed)
	st.offers(blaise.RunTeardown, "r1")
	st.message("abcd1234.m1", blaise.MessageFailed)
}

func TestA24_AnAnsweredTurnClearsTheCount(t *testing.T) {
	st := begin(t).opens()
	st.event(blaise.EventRunDead)
	st.opens()
	st.claim()
	if st.s.Session.Failures != 1 {
		t.Fatalf("failures %d", st.s.Session.Failures)
	}
	st.ends(blaise.MessageAnswered)
	if st.s.Session.Failures != 0 {
		t.Fatalf("failures %d", st.s.Session.Failures)
	}
}

func TestA24_LostBeforeItWasEverOpenStartsAgain(t *testing.T) {
	st := begin(t)
	st.connect()
	st.event(blaise.EventRunDead)
	st.wants(blaise.EnvUnattended, blaise.SessionQueued)
	st.offers(blaise.RunStart, "r1")
	st.connect()
	st.wants(blaise.EnvCreating, blaise.SessionQueued)
}

func TestA24_RunThatNeverConnectsIsLost(t *testing.T) {
	st := begin(t)
	st.accept()
	st.fires(blaise.ClockConnect)
	st.lastRun(blaise.RunLost)
	st.wants(blaise.EnvNone, blaise.SessionQueued)
	st.offers(blaise.RunStart, "")
}

func TestA25_UnstartableProcessIsTriedAgainAfterADelay(t *testing.T) {
	st := begin(t)
	for _, delay := range []time.Duration{5 * time.Second, 30 * time.Second} {
		st.accept()
		st.do(blaise.Event{Kind: blaise.EventSpawnFailed, Reason: "fork: no memory"})
		st.lastRun(blaise.RunFailed)
		if st.s.Run != nil {
			t.Fatal("offered at once")
		}
		if c := st.clock(blaise.ClockRetry); c == nil || c.DueAt.Sub(st.now) != delay {
			t.Fatalf("retry clock %+v", c)
		}
		st.fires(blaise.ClockRetry)
		st.offers(blaise.RunStart, "")
	}
	st.accept()
	st.do(blaise.Event{Kind: blaise.EventSpawnFailed, Reason: "fork: no memory"})
	st.outcome(blaise.OutcomeFailed)
	st.wants(blaise.EnvNone, blaise.SessionEnded)
}

func TestA26_LostContactIsADeadRunThatPausedItself(t *testing.T) {
	st := begin(t).idles()
	saved := &blaise.SavedWork{N: 4, Ref: "refs/blaise/abcd1234/4"}
	v := st.do(blaise.Event{Kind: blaise.EventLostContact, Clean: true, Saved: saved})
	st.wantsVerdict(v, blaise.VerdictExit)
	st.wants(blaise.EnvUnattended, blaise.SessionPaused)
	st.lastRun(blaise.RunLost)
	if !st.s.Environment.Clean || st.s.Save.N != 4 {
		t.Fatalf("clean %t, save %+v", st.s.Environment.Clean, st.s.Save)
	}
}

func TestA31_ResumeGoesToItsRunnerAndMachine(t *testing.T) {
	st := begin(t).idles(blaise.PlugRecord{
		ID: "src", Use: "worktree", Opened: true, Resumable: true, Machine: "m1", Reach: blaise.ReachHost,
	})
	st.event(blaise.EventRunDead)
	st.post("second")
	st.refuses(blaise.Event{Kind: blaise.EventRunAccepted, Runner: "r2", Machine: "m1"}, blaise.CodeRefused, "runner r1")
	st.refuses(blaise.Event{Kind: blaise.EventRunAccepted, Runner: "r1", Machine: "m2"}, blaise.CodeRefused, "machine m1")
	st.accept()
}

func TestA31_RevokedRunnerLosesItsEnvironment(t *testing.T) {
	st := begin(t).opens()
	first := st.claim()
	st.do(blaise.Event{Kind: blaise.EventRunnerRevoked, Runner: "r2"})
	st.wants(blaise.EnvOpen, blaise.SessionWorking)
	st.do(blaise.Event{Kind: blaise.EventRunnerRevoked, Runner: "r1"})
	st.wants(blaise.EnvLost, blaise.SessionQueued)
	st.lastRun(blaise.RunLost)
	st.message(first, blaise.MessageInterrupted)
	st.offers(blaise.RunStart, "")
	st.opens()
	if st.s.Environment.Generation != 2 {
		t.Fatalf("generation %d", st.s.Environment.Generation)
	}
	st.told("was revoked")
}

func TestA31_RevokedRunnerOwesNoTeardown(t *testing.T) {
	st := begin(t).paused()
	st.event(blaise.EventEndAsked)
	st.offers(blaise.RunTeardown, "r1")
	st.do(blaise.Event{Kind: blaise.EventRunnerRevoked, Runner: "r1"})
	st.wants(blaise.EnvLost, blaise.SessionEnded)
	if st.s.Run != nil {
		t.Fatalf("offered %+v", st.s.Run)
	}
	st.refuses(blaise.Event{Kind: blaise.EventMarkDestroyed}, blaise.CodeInvalid, "reason")
	st.do(blaise.Event{Kind: blaise.EventMarkDestroyed, Reason: "the machine is scrap"})
	st.wants(blaise.EnvDestroyed, blaise.SessionEnded)
	if why := st.s.Environment.DestroyWhy; why != "the machine is scrap" {
		t.Errorf("destroyed because %q", why)
	}
}
