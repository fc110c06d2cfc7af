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
// Where there is no descriptor to hand over (a container, another machine) the
// shim is reached by one stream, over which Over carries all of this and the
// command's files besides, in frames:
//
//	PROGRAM shim stream MARK    start one command, under a shim of its own
//	PROGRAM shim reap MARK      end what carries the mark: a stream was lost
//	PROGRAM shim idle           the first process of a container
//
// The command dies when the stream ends, and at the fence if nobody sees that.
//
// Beside run there are verbs that do one thing where they are started, inside a
// layer:
//
//	get, put   one file of a workspace
//	resolve    where the links of paths lead
//	sandbox    run a command as a prisoner (package jail): the shim "inside" is the
//	           first process in there. A shim that is to run this verb of its own
//	           program runs the prisoner itself: one start less for every command
//	tty        run a command on a terminal of its own; stdin is input and its sizes
//	probe      say in JSON what of a sandbox can be had here
//	proxy      the door of a sandbox to the network (package gate)
//
// On Linux the shim is a subreaper and empties its whole tree; elsewhere it
// ends the process group of the command. Package plug is the only user of the
// client. The shim knows nothing of Blaise.
package shim
