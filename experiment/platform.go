package experiment

import (
	"runtime"
	"strings"
)

// Platform names what this process computes on, such as linux/amd64. A level is appended where it
// makes the compiler fuse operations: linux/amd64/v3.
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH + fusingLevel }

// SameArithmetic reports whether two platforms compute the same bits, as all of one architecture
// do. An empty, unknown platform counts as the same.
func SameArithmetic(a, b string) bool {
	_, x, _ := strings.Cut(a, "/")
	_, y, _ := strings.Cut(b, "/")
	return a == "" || b == "" || x == y
}

// Rounding is the difference up to which numbers of platforms with different arithmetic count as
// equal.
const Rounding = 1e-9
