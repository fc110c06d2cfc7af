package jail

import "golang.org/x/sys/unix"

const auditArch uint32 = unix.AUDIT_ARCH_X86_64

// alsoRefused are the calls to refuse that this machine has beside the others.
var alsoRefused = []uint32{unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_IOPERM, unix.SYS_IOPL}
