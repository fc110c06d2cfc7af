// Package shim is the small program under which a run starts everything that
// it starts, and the client that talks to it. The shim makes one promise: all
// that its command started, session leaders and orphans included, is dead when
// the shim is gone, and the shim goes when it is told, when the program that
// started it dies, and when the fence has passed (X2).
//
//	PROGRAM shim run [--fence NANOS] -- COMMAND ARGS...
//
// The command inherits stdin, stdout and stderr; nothing is pumped. The control
// socket is descriptor 3, one line a message:
//
//	to the shim                      from the shim
//	signal N       to the group      started PID STARTTIME
//	kill           the whole tree    exit CODE SIGNAL   ("-": none)
//	fence NANOS    CLOCK_BOOTTIME    error KIND TEXT
//	freeze, thaw   the whole tree
//
// On Linux the shim is a subreaper and empties its whole tree; elsewhere it
// ends the process group of the command. Package plug is the only user of the
// client. The shim knows nothing of Blaise.
package shim
