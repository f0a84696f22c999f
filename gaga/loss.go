package gaga

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// Loss is a sample's loss l(u, y) >= 0, convex in the linear predictor u, for the target y.
type Loss interface {
	Name() string
	// Eval returns the loss and its first two derivatives in u; at a kink, the derivative on the
	// side of rising loss.
	Eval(u, y float64) (loss, slope, curvature float64)
	// Kinked reports whether the loss has kinks, where the slope is an interval.
	Kinked() bool
}

// Squared is the loss (u - y)².
type Squared struct{}

func (Squared) Name() string { return "squared" }
func (Squared) Kinked() bool { return false }

func (Squared) SquaredResidual() {}

func (Squared) Eval(u, y float64) (loss, slope, curvature float64) {
	r := u - y
	return r * r, 2 * r, 2
}

// Logistic is the loss C ln(1 + exp(-yu)) for targets -1 and +1; C > 0.
type Logistic struct{ C float64 }

func (Logistic) Name() string { return "logistic" }
func (Logistic) Kinked() bool { return false }

func (Logistic) Attained() bool { return false }

func (l Logistic) CheckParameters() error { return checkParameter("C", l.C, l.C > 0, "a number > 0") }

func (l Logistic) Eval(u, y float64) (loss, slope, curvature float64) {
	m := y * u
	e := kernel.Exp(-math.Abs(m))
	w := 1 + e
	p := e / w // 1/(1+exp(m)), probability of the other class
	loss = math.Log1p(e)
	if m < 0 {
		p = 1 / w
		loss -= m
	}
	return l.C * loss, -l.C * y * p, l.C * p * (1 - p)
}

// Hinge is the loss C max(0, 1 - yu) for targets -1 and +1; C > 0.
type Hinge struct{ C float64 }

func (Hinge) Name() string { return "hinge" }
func (Hinge) Kinked() bool { return true }

func (h Hinge) Cost() float64 { return h.C }

func (Hinge) Attained() bool { return true }

func (h Hinge) CheckParameters() error { return checkParameter("C", h.C, h.C > 0, "a number > 0") }

func (h Hinge) Eval(u, y float64) (loss, slope, curvature float64) {
	if g := 1 - y*u; g > 0 {
		return h.C * g, -h.C * y, 0
	}
	return 0, 0, 0
}
