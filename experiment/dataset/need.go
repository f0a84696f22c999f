package dataset

import (
	"fmt"
	"math"
)

// DefaultMemory is the default limit on [Need].
const DefaultMemory int64 = 4 << 30

// bytesOfName estimates the memory of a text that is a map key.
func bytesOfName[T string | []byte](text T) int64 { return 256 + 2*int64(len(text)) }

// Need bounds the bytes for reading and preparing n rows of d features: the data and the list they
// are copied from, the scaled copy, parts, and indexes.
func Need(n, d int) int64 {
	bytes := float64(n) * (44*float64(d+1) + 96)
	if bytes >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(bytes)
}

// CheckNeed refuses data whose [Need] exceeds memory, by default [DefaultMemory].
func CheckNeed(n, d int, memory int64) error { return limited(memory).check(0, n, d) }

// Amounts formats an amount and its limit in the largest unit up to MiB in which the limit has two
// digits.
func Amounts(need, limit int64) (needed, allowed string) {
	unit, name := int64(1), "bytes"
	for _, u := range []string{"KiB", "MiB"} {
		if limit >= 10*1024*unit {
			unit, name = 1024*unit, u
		}
	}
	up := need / unit
	if need%unit > 0 {
		up++
	}
	return fmt.Sprintf("%d %s", up, name), fmt.Sprintf("%d %s", limit/unit, name)
}

func (l limits) check(bytes int64, n, d int) error {
	if need := Need(n, d); need > l.memory-bytes {
		needed, allowed := Amounts(need+min(bytes, math.MaxInt64-need), l.memory)
		return fmt.Errorf("%d rows of %d features need about %s of memory; allowed are %s, which limits.memory of the grid sets (default: %d MiB)",
			n, d, needed, allowed, DefaultMemory>>20)
	}
	return nil
}
