package model

import "math"

// State is a problem on a partition of its samples, with its equations at the point of the last
// Assemble. One condition owns it; others only read it.
type State struct {
	*Problem
	*Partition
	*Equations
	Bound float64 // of a multiplier for weight 1
}

// NewState returns a state with room for a number of unknowns.
func NewState(p *Problem, room int) *State {
	q := &Partition{
		Zone: make([]uint8, p.N), Members: make([]int, len(p.Zones)), Sign: make([]float64, p.P),
		Active: make([]int, 0, p.P), All: make([]int, p.N),
	}
	for i := range q.All {
		q.All[i] = i
	}
	q.Watch = q.All
	f := func() []float64 { return make([]float64, room) }
	return &State{p, q, &Equations{Residual: f(), Scale: f(), Diag: f(), Dage: f()}, p.Cost}
}

// Partition holds the zone of each sample and the unknowns. Arrays over the watched samples are in
// the order of Watch; a position there is a slot.
type Partition struct {
	Zone    []uint8
	Members []int
	Sign    []float64 // -1, +1, or 0 while inactive or without an L1 weight
	Active  []int     // unknown entries of θ, ascending (with a kernel in the order of the factor)
	Pins    []int     // pinned samples whose multipliers are further unknowns, ascending
	Watch   []int     // samples whose events are sought, ascending; all with a kernel
	All     []int
	Frozen  bool // undetermined free coordinates keep their values
}

func (q *Partition) Unknowns() int { return len(q.Active) + len(q.Pins) }

// Move moves a sample to a neighbouring zone, and returns the zone it left.
func (q *Partition) Move(i int, up bool) (from uint8) {
	from = q.Zone[i]
	if up {
		q.Zone[i]++
	} else {
		q.Zone[i]--
	}
	q.Members[from]--
	q.Members[q.Zone[i]]++
	return from
}

func (q *Partition) Count() {
	clear(q.Members)
	for _, z := range q.Zone {
		q.Members[z]++
	}
}

func (q *Partition) Gather(dst, from []float64) []float64 {
	for r, j := range q.Active {
		dst[r] = from[j]
	}
	return dst[:len(q.Active)]
}

// Discarded reports whether no sample carries weight.
func (s *State) Discarded() bool { return !s.Weighed && s.Members[len(s.Zones)-1] == s.N }

// Undetermined reports whether nothing determines the unpenalized coordinates.
func (s *State) Undetermined() bool {
	if s.Kinks == 0 {
		return s.Discarded()
	}
	if s.Members[Pinned] > 0 {
		return false
	}
	for k, curved := range s.Curved {
		if curved && s.Members[k] > 0 {
			return false
		}
	}
	return true
}

// Wakes reports whether a crossing gives the first sample weight while nothing determines the free
// coordinates, which then jump to the best fit of that sample.
func (s *State) Wakes(x Crossing) bool {
	return s.Frozen && x.Cause == SampleDown && !s.Strict()
}

// SignOf returns the sign of an active coefficient, 0 without an L1 weight.
func (s *State) SignOf(j int, w float64) float64 {
	if s.L1[j] == 0 {
		return 0
	}
	return Sign(w)
}

// Sign returns -1, 0 or +1.
func Sign(w float64) float64 {
	switch {
	case w > 0:
		return 1
	case w < 0:
		return -1
	}
	return 0
}

// Evaluate evaluates the losses of the watched samples at pt, whose U is set.
func (s *State) Evaluate(pt *Point) {
	if l, ok := s.Loss.(VectorLoss); ok && len(s.Watch) == s.N {
		l.EvalAll(pt.U, s.Y, pt.Loss, pt.Slope, pt.Curvature)
		return
	}
	if s.Squared {
		loss, slope, curvature := pt.Loss[:len(s.Watch)], pt.Slope[:len(s.Watch)], pt.Curvature[:len(s.Watch)]
		for slot, i := range s.Watch {
			r := pt.U[slot] - s.Y[i]
			loss[slot], slope[slot], curvature[slot] = r*r, 2*r, 2
		}
		return
	}
	for slot, i := range s.Watch {
		pt.Loss[slot], pt.Slope[slot], pt.Curvature[slot] = s.Eval(s.Zone[i], pt.U[slot], s.Y[i])
	}
}

// Equations is the system of equations on a partition.
type Equations struct {
	Residual, Scale []float64 // and the size of its terms
	Diag            []float64 // with all terms taken as positive
	Dage            []float64
	At              *Point // whose sums these are; nil for none
}

// Relative returns the largest residual relative to its scale, +Inf if one is NaN.
func (s *State) Relative() float64 {
	var worst float64
	for r, f := range s.Residual[:s.Unknowns()] {
		f = math.Abs(f)
		if f <= worst*s.Scale[r] {
			continue
		}
		if !(f > 0) {
			return math.Inf(1)
		}
		worst = max(worst, f/s.Scale[r])
	}
	return worst
}

// Step moves the unknowns of pt by -by times the step.
func (s *State) Step(pt *Point, step []float64, by float64) {
	for r, j := range s.Active {
		pt.Theta[j] -= by * step[r]
	}
	for q, i := range s.Pins {
		pt.Dual[i] -= by * step[len(s.Active)+q]
	}
}

func (s *State) SetRates(pt *Point, rate []float64) {
	clear(pt.Rate)
	for r, j := range s.Active {
		pt.Rate[j] = rate[r]
	}
	for q, i := range s.Pins {
		pt.DDual[i] = rate[len(s.Active)+q]
	}
}

// Distance returns the squared distance of two θ over the active coordinates, weighted by H's
// diagonal.
func (s *State) Distance(a, b []float64) float64 {
	var sum float64
	for r, j := range s.Active {
		sum += s.Diag[r] * (a[j] - b[j]) * (a[j] - b[j])
	}
	return sum
}
