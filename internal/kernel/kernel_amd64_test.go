//go:build !purego

package kernel

// levels are the instruction sets that this processor has.
func levels() []int {
	var list []int
	for l := range level + 1 {
		list = append(list, l)
	}
	return list
}

func setLevel(l int) { level = l }

// widest tells whether the level in use is the one that all kernels exist in.
func widest() bool { return level == avx512 }
