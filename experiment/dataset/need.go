package dataset

import (
	"fmt"
	"math"
)

// DefaultMemory is what a data set may take by [Need] where nobody says: 4 GiB.
const DefaultMemory int64 = 4 << 30

// growing is by how much a list that grows can exceed what is in it, with the
// list it is copied from.
const growing = 3

// bytesOfName is about what a text takes that is looked up by a map, too.
func bytesOfName[T string | []byte](text T) int64 { return 256 + 2*int64(len(text)) }

// Need estimates, from above, the memory that reading a data set of n rows and d
// features and preparing it once takes: the data with the list they were copied
// from, the scaled copy, the parts, and for each row its numbers in the file and
// in the parts and its place among equal rows.
func Need(n, d int) int64 {
	bytes := float64(n) * (44*float64(d+1) + 96)
	if bytes >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(bytes)
}

// CheckNeed refuses a data set that needs more than memory, [DefaultMemory] for
// 0.
func CheckNeed(n, d int, memory int64) error { return limited(memory).check(0, n, d) }

// check refuses n rows of d features, of which bytes are taken besides.
func (l limits) check(bytes int64, n, d int) error {
	if need := Need(n, d); need > l.memory-bytes {
		return fmt.Errorf("%d rows of %d features need about %d MiB of memory; allowed are %d MiB, which limits.memory of the grid sets (default: %d MiB)",
			n, d, (need+min(bytes, math.MaxInt64-need))>>20, l.memory>>20, DefaultMemory>>20)
	}
	return nil
}
