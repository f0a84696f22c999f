package branch

import (
	"testing"

	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// A branch whose age creeps stalls after a number of steps without a critical point, after a
// larger one with critical points, and not at all if the age grows.
func TestStalled(t *testing.T) {
	for _, c := range []struct {
		name     string
		growth   float64 // of the age in a step
		critical bool
		most     int // 0: no stall
	}{
		{"creeping", 1e-8, false, tolerance.StepsAlone},
		{"crowded", 1e-8, true, tolerance.StepCrowd * 1000},
		{"tied", 0, true, 1000},
		{"growing", 1e-3, false, 0},
	} {
		s := steps{patience: 1000}
		age := 1.0
		s.begin(age, 1)
		stalled := 0
		for k := 1; k <= 20_000 && stalled == 0; k++ {
			if s.stalled(age) {
				stalled = k
			}
			if age *= 1 + c.growth; c.critical {
				s.alone = 0
			}
		}
		if c.most == 0 && stalled > 0 || c.most > 0 && stalled != c.most+1 {
			t.Errorf("%s: stalls at step %d, %d are allowed", c.name, stalled, c.most)
		}
	}
}
