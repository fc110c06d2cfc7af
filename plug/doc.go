// Package plug makes the place where an agent works, layer by layer. A Plug
// makes one layer inside the layer before it; a Stack opens, saves, pauses and
// destroys the layers of blaise.yml in their order; an Env is where commands
// run. Package run owns a Stack for each run, package daemon asks Inventory
// what exists, package config checks specs here.
//
// The first plug of blaise.yml is the outermost, the agent lives in the
// innermost Env. Opening goes inwards. Going down is three passes, each
// outwards: Save all, Pause all, Destroy all.
//
//	host --Open--> worktree --Open--> container --Open--> sandbox: the agent
//
// Whatever an Env starts runs under the shim (internal/shim), so that its whole
// tree is gone when it is killed, when its run dies and when the fence passes.
// A plug never decides when a session ends, and never talks to Blaise.
package plug
