package daemon

// Pause is pause, for the tests of how a fleet comes back.
var Pause = pause
