// Package gate is the one way out of a sandbox that has no network: a proxy
// that lets through what its rules list (Proxy), outside, and the door to it
// inside (Door). The shim runs both. It speaks CONNECT and plain HTTP, looks at
// no content, and resolves names itself, so that a name which is allowed cannot
// lead to where nobody allowed it.
package gate
