// Package plugtest is what every plug must pass: Run opens, pauses, breaks and
// destroys it the way runs do that crash, repeat and race. A plug's test is
// three lines:
//
//	func TestWorktree(t *testing.T) {
//		plugtest.Run(t, func(t *testing.T) plugtest.Setup { ... })
//	}
//
// The test binary is its own shim: TestMain must be plugtest.Main.
package plugtest
