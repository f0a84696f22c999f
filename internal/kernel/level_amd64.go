//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

// vector says that the processor has the instructions of the assembly.
var vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA
