package storetest

import (
	"testing"

	"blaise.dev/blaise/store"
)

// Run tests that open gives a store as package control needs it. Each call of
// open gives an empty one, closed when its test ends.
func Run(t *testing.T, open func(t *testing.T) *store.DB) {
	for _, c := range conformance {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open(t))
		})
	}
}

var conformance = []struct {
	name string
	test func(t *testing.T, db *store.DB)
}{
	{"a snapshot comes back as it was written", testRoundTrip},
	{"a plan writes what changed", testPlan},
	{"a lost run is taken back", testTakeback},
	{"a plan that changes nothing writes nothing", testNoChange},
	{"a plan that loses a row is refused", testLostRow},
	{"a taken id is refused", testExists},
	{"A30: an old snapshot is refused", testConflict},
	{"a session that is not there is not found", testNotFound},
	{"A30: sessions are changed one after the other", testSerialized},
	{"a caller's error undoes only its own writes", testIsolation},
	{"a caller that gives up hurts nobody", testCancelled},
	{"a panic is the caller's own", testPanic},
	{"directives are received once", testDirectives},
	{"answers are kept once", testAnswers},
	{"leases are found by their token", testLease},
	{"configs and saves are kept", testConfigAndSaves},
	{"the state of plugs is sealed", testPlugState},
	{"a hold stops clocks and offers", testHold},
	{"clocks are due in order", testDue},
	{"clocks ahead of the time are found", testAhead},
	{"a teardown is offered first", testOffers},
	{"runs are offered to one person after the other", testLines},
	{"offers of many lines are read to their end", testManyLines},
	{"an agent has as many runs at work as it may", testPlaces},
	{"a place is taken once", testPlaceIsTakenOnce},
	{"live runs are found by who runs them", testLiveRuns},
	{"sessions are found", testFind},
	{"sessions are listed", testList},
	{"sessions are counted", testCounts},
	{"sessions are found by how they ended", testOutcomes},
	{"sessions of an agent are found", testSessionsOf},
	{"a view shows everything", testView},
	{"what an agent says of its session is kept", testStatus},
	{"agents keep their revisions", testAgents},
	{"runners are found by their token", testRunners},
	{"a login code works once", testLoginCode},
	{"users are found by their token", testTokens},
	{"a user goes with all tokens", testUsers},
	{"events are kept exactly once", testEvents},
	{"a gap in the events is refused", testGap},
	{"the digest is over the lines as they came", testDigest},
	{"chunks are small", testChunks},
	{"many append to one session", testAppendTogether},
	{"notices come exactly once", testNotices},
	{"environments that may hold something are found", testHolders},
	{"paused environments are listed", testPaused},
	{"the last inventory of an instance is kept", testInventories},
	{"a webhook's secret is sealed, and goes with it", testWebhooks},
	{"deliveries are listed, due, given up and forgotten", testDeliveries},
	{"a delivery is claimed once", testClaims},
	{"audit lines are listed, and stay", testAudit},
	{"blobs are kept once and go with their session", testBlobs},
	{"a blob that is not whole leaves nothing", testBrokenBlobs},
	{"the same blob from many is kept once", testBlobsTogether},
	{"what a session changed is kept as told last", testDiff},
	{"of a deleted session one row stays", testDelete},
	{"what may be deleted is listed", testSettled},
}
