package landing

import (
	"math"
	"testing"

	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// The nudge of jumps that come right after landings grows, but only while they do.
func TestNudge(t *testing.T) {
	t.Parallel()
	l, age := &Lander{landed: 2}, 2.0
	for range tolerance.RestlessJumps {
		if b := l.nudge(age); b != tolerance.Nudge {
			t.Errorf("nudge %v after few jumps, want %v", b, tolerance.Nudge)
		}
	}
	for k := range 20 {
		if b, want := l.nudge(age), tolerance.Nudge*math.Exp2(float64(k)); b != want {
			t.Errorf("nudge %v, want %v", b, want)
		}
	}
	age = l.landed * (1 + 1e-6) // less than the last nudge
	if b := l.nudge(age); b != tolerance.Nudge {
		t.Errorf("nudge %v behind a branch that lasts, want %v", b, tolerance.Nudge)
	}
}
