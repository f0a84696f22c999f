package model

// Point is a point of the path. Arrays from U to Curvature are over the watched samples.
type Point struct {
	Age                   float64
	Theta, Rate           []float64 // P: θ (zero while inactive) and dθ/dλ
	Dual, DDual           []float64 // N, for losses with a kink: multipliers of the pinned samples; with a kernel part of Theta and Rate
	U, DU                 []float64
	Loss, Slope           []float64
	Curvature             []float64
	Grad, DGrad           []float64 // P: Σ_i a_i m φ + L2 θ; current where coordinates can become active
	Threshold, DThreshold []float64
	Iterations            int
}

// NewPoint allocates a point.
func NewPoint(p *Problem) *Point {
	f := func(k int) []float64 { return make([]float64, k) }
	edges := p.Thresholds()
	pt := &Point{
		Theta: f(p.P), Rate: f(p.P), Grad: f(p.P), DGrad: f(p.P),
		U: f(p.N), DU: f(p.N), Loss: f(p.N), Slope: f(p.N), Curvature: f(p.N),
		Threshold: f(edges), DThreshold: f(edges),
	}
	switch {
	case p.Kernel != nil:
		pt.Dual, pt.DDual = pt.Theta[:p.N], pt.Rate[:p.N]
	case p.Kinked():
		pt.Dual, pt.DDual = f(p.N), f(p.N)
	}
	return pt
}

// Cause says what ends a segment, see gaga.Cause.
type Cause uint8

const (
	NoCause Cause = iota
	SampleUp
	SampleDown
	Activated
	Dropped
	Fold
	Stall
)

// Opposite returns the cause of the reverse change, or NoCause.
func (c Cause) Opposite() Cause {
	switch c {
	case SampleUp:
		return SampleDown
	case SampleDown:
		return SampleUp
	case Activated:
		return Dropped
	case Dropped:
		return Activated
	}
	return NoCause
}

// Crossing is a critical point, or a candidate for the next one.
type Crossing struct {
	Cause Cause
	Index int // sample or coordinate, or -1
	Slot  int
	Sign  float64 // Activated: of the coefficient, opposite to its gradient's; Dropped: its former sign
	At    float64 // 0 to 1, in the step
}

func (c Crossing) OfSample() bool { return c.Cause == SampleUp || c.Cause == SampleDown }
