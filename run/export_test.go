package run

import "blaise.dev/blaise/transcript"

// NewUpload is newUpload, for the test of what is told of one.
var NewUpload = newUpload

// Detail is detail.
var Detail = detail

// Tell is tell.
func (u *upload) Tell(over <-chan struct{}, note func(transcript.Kind, any)) { u.tell(over, note) }
