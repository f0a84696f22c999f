package nsga3

import "fmt"

// DasDennis returns the C(m + divisions - 1, divisions) points of the unit simplex whose m
// coordinates are multiples of 1/divisions (Das and Dennis, 1998). It panics unless m >= 2 and
// divisions >= 1.
func DasDennis(m, divisions int) [][]float64 {
	if m < 2 || divisions < 1 {
		panic(fmt.Sprintf("nsga3: %d objectives with %d divisions, need at least 2 and 1", m, divisions))
	}
	var points [][]float64
	steps := make([]int, m)
	var fill func(axis, left int)
	fill = func(axis, left int) {
		if axis == m-1 {
			steps[axis] = left
			point := make([]float64, m)
			for j, k := range steps {
				point[j] = float64(k) / float64(divisions)
			}
			points = append(points, point)
			return
		}
		for k := 0; k <= left; k++ {
			steps[axis] = k
			fill(axis+1, left-k)
		}
	}
	fill(0, divisions)
	return points
}
