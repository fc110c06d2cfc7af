package webhook

// Guard is what looks at the address of every connection.
func Guard(address string) error { return guard("tcp", address, nil) }
