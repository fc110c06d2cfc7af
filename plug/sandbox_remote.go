package plug

import "errors"

type remoteConfig struct{}

func (remoteConfig) empty() bool { return true }

func newRemoteSandbox(sandboxConfig) (Plug, error) { return nil, errors.New("x") }
