//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

// vector says whether the processor supports the assembly's instructions.
var vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA
