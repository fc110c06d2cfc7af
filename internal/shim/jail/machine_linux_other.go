//go:build linux && !amd64 && !arm64

package jail

// There is no filter for this machine, and so no sandbox.
const auditArch uint32 = 0

var alsoRefused []uint32
