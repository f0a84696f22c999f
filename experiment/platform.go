package experiment

import (
	"runtime"
	"strings"
)

// Platform names what this process computes on, as in linux/amd64. An architecture whose compiler
// fuses operations that it leaves apart otherwise is named with its level, as in linux/amd64/v3.
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH + fusingLevel }

// SameArithmetic reports whether two platforms compute the same numbers to the bit: all of one
// architecture do. The empty one, of files that do not say, is taken to.
func SameArithmetic(a, b string) bool {
	_, x, _ := strings.Cut(a, "/")
	_, y, _ := strings.Cut(b, "/")
	return a == "" || b == "" || x == y
}

// Rounding is how far apart two numbers may be for what is computed on platforms of different
// arithmetic to count as equal to rounding.
const Rounding = 1e-9
