// Command _asm writes loops_amd64.s, for "go generate ./wmmd/internal/loops".
package main

import (
	. "github.com/mmcloughlin/avo/build"

	. "github.com/agepath/agepath/internal/kernel/_asm/emit"
)

func main() {
	ConstraintExpr("!purego")
	distances(Doubles())
	gauss(Doubles())
	for i, p := range Precisions() {
		if i > 0 { // internal/kernel has the first
			MulAdd(p)
		}
		sigmoid(p)
		tanh(p)
	}
	Generate()
}
