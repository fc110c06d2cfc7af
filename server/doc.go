// Package server is the JSON face of control: the routes of package api over
// HTTP, their description at /openapi.json and /docs, streams of server-sent
// events, and the door with its four guards (Host, Origin, token, kind of
// token). The dashboard hangs behind the same door.
//
// cmd/blaise calls New. Streams end with the request's context: give the
// http.Server a BaseContext and cancel it before Shutdown. The server decides
// nothing and keeps nothing that a restart would lose.
package server
