//go:build !purego

package loops

import "golang.org/x/sys/cpu"

// vector: the assembly can run.
var vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA
