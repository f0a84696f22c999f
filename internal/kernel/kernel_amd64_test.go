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
