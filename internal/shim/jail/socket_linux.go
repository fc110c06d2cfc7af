package jail

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Arguments that the kernel takes as 32 bits are looked at as such: with
// something in the upper half they would pass.

// when runs the block for one system call, and goes on behind it for others.
func when(number uint32, block []bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: numberOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: number, SkipTrue: uint8(len(block))},
	}, block...)
}

// argument loads the lower half of an argument.
func argument(n uint32) bpf.Instruction {
	return bpf.LoadAbsolute{Off: argsOffset + 8*n, Size: 4} // amd64 and arm64 are little-endian
}

// oneOf refuses a loaded value that is none of the given.
func oneOf(values ...uint32) []bpf.Instruction {
	var block []bpf.Instruction
	for i, v := range values {
		block = append(block, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(len(values) - i)})
	}
	return append(block, bpf.RetConstant{Val: refuse})
}

// noneOf refuses a loaded value that is one of the given.
func noneOf(values ...uint32) []bpf.Instruction {
	var block []bpf.Instruction
	for i, v := range values {
		block = append(block, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(len(values) - i)})
	}
	return append(block, bpf.Jump{Skip: 1}, bpf.RetConstant{Val: refuse})
}

// namespaces refuses to make any.
func namespaces() []bpf.Instruction {
	return []bpf.Instruction{
		argument(0),
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: namespaceFlags, SkipTrue: 1},
		bpf.RetConstant{Val: refuse},
	}
}

// terminals refuses to put words into the mouth of whoever sits at a terminal.
func terminals() []bpf.Instruction {
	return []bpf.Instruction{
		argument(1),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.TIOCLINUX, SkipTrue: 1},
		bpf.RetConstant{Val: refuse},
	}
}

// sockets refuses the sockets that a prisoner cannot make. Where it has no view
// of its own this is its network; then it gets no socket of the file system
// either, for nothing else keeps it from those of others.
func (s Spec) sockets() []bpf.Instruction {
	families := []uint32{unix.AF_NETLINK}
	if s.OwnView() {
		families = append(families, unix.AF_UNIX)
	}
	if s.OwnView() || s.Network != NetworkNone {
		families = append(families, unix.AF_INET, unix.AF_INET6)
	}
	block := append([]bpf.Instruction{argument(0)}, oneOf(families...)...)
	if s.OwnView() || s.Network != NetworkProxy {
		return block
	}
	// TCP is the one protocol that Landlock binds: not UDP, and not MPTCP.
	tcp := append([]bpf.Instruction{
		argument(1), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: socketKind},
	}, oneOf(unix.SOCK_STREAM)...)
	tcp = append(tcp, argument(2))
	tcp = append(tcp, oneOf(0, unix.IPPROTO_TCP)...)
	block = append(block, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_NETLINK, SkipTrue: uint8(len(tcp))})
	return append(block, tcp...)
}

const socketKind = 0xf // the flags of a socket's type stand above
