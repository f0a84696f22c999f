// Command _asm writes loops_amd64.s, for "go generate ./wmmd/internal/loops".
package main

import (
	. "github.com/mmcloughlin/avo/build"

	. "github.com/agepath/agepath/internal/kernel/_asm/emit"
)

func main() {
	ConstraintExpr("!purego")
	double, single := Doubles(), Precisions()[1]
	distances(double)
	gauss(double)
	exps(double)
	MulAdd(single) // internal/kernel has that of float64
	sigmoid(single)
	tanh(single)
	Generate()
}
