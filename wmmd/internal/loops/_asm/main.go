// Command _asm writes loops_amd64.s, for "go generate ./wmmd/internal/loops".
package main

import (
	. "github.com/mmcloughlin/avo/build"

	. "github.com/agepath/agepath/internal/kernel/_asm/emit"
)

func main() {
	ConstraintExpr("!purego")
	double, single := Doubles(), &ISA{Lanes: 8, Suffix: "32AVX2"}
	distances(double)
	gauss(double)
	exps(double)
	mulAdd(&ISA{Lanes: 4, Suffix: "64AVX2"})
	mulAdd(single)
	sigmoid(single)
	tanh(single)
	Generate()
}
