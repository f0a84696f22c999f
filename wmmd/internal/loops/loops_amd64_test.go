//go:build !purego

package loops

// levels are what the processor can run: Go, and assembly.
func levels() []bool {
	if !detected {
		return []bool{false}
	}
	return []bool{false, true}
}

// detected is what vector was before a test changed it.
var detected = vector

func setLevel(l bool) { vector = l }
