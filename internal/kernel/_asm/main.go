// Command _asm writes kernel_amd64.s, for "go generate ./internal/kernel".
package main

import (
	. "github.com/mmcloughlin/avo/build"

	"github.com/agepath/agepath/internal/kernel/_asm/emit"
)

func main() {
	ConstraintExpr("!purego")
	emit.Kernels()
	Generate()
}
