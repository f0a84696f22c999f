package convex

import "math"

// The losses that tests give to [Smooth].
var smoothLosses = []struct {
	name   string
	loss   Loss
	labels bool
}{
	{"squared", squared{}, false},
	{"logistic", logLoss{2}, true},
	{"pseudo-Huber", pseudoHuber{0.1}, false},
	{"squared hinge", squaredHinge{}, true},
	{"quartic", quartic{}, false},
}

type squared struct{}

func (squared) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

type logLoss struct{ c float64 }

func (l logLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	p, dp := sigmoid(-y * u)
	return l.c * softplus(-y*u), -l.c * y * p, l.c * dp
}

// pseudoHuber is nearly straight beyond delta.
type pseudoHuber struct{ delta float64 }

func (h pseudoHuber) Eval(u, y float64) (loss, slope, curvature float64) {
	z := (u - y) / h.delta
	root := math.Sqrt(1 + z*z)
	return h.delta * h.delta * (z * z / (1 + root)), h.delta * z / root, 1 / (root * root * root)
}

// squaredHinge is flat beyond the margin, and its curvature jumps there.
type squaredHinge struct{}

func (squaredHinge) Eval(u, y float64) (loss, slope, curvature float64) {
	if g := 1 - y*u; g > 0 {
		return g * g, -2 * y * g, 2
	}
	return 0, 0, 0
}

// quartic has no curvature at its minimum.
type quartic struct{}

func (quartic) Eval(u, y float64) (loss, slope, curvature float64) {
	r := u - y
	return r * r * r * r, 4 * r * r * r, 12 * r * r
}

// exponential falls forever, and so does reciprocal, slowly.
type exponential struct{}

func (exponential) Eval(u, y float64) (loss, slope, curvature float64) {
	e := math.Exp(-y * u)
	return e, -y * e, e
}

type reciprocal struct{}

func (reciprocal) Eval(u, y float64) (loss, slope, curvature float64) {
	m := y * u
	root := math.Hypot(1, m)
	if m > 0 {
		return 1 / (root + m), -y / (root * (root + m)), 1 / (root * root * root)
	}
	return root - m, y * (m/root - 1), 1 / (root * root * root)
}

// sigmoid returns 1/(1 + exp(-z)) and its derivative, both to full relative
// accuracy.
func sigmoid(z float64) (value, slope float64) {
	e := math.Exp(-math.Abs(z))
	value = 1 / (1 + e)
	slope = e * value * value
	if z < 0 {
		value *= e
	}
	return value, slope
}

// softplus returns ln(1 + exp(z)).
func softplus(z float64) float64 {
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}
