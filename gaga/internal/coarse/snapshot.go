package coarse

import "slices"

// snapshot is the partition at a step's start, and H there.
type snapshot struct {
	system
	held   bool // it is that of the left point
	zone   []uint8
	sign   []float64
	active []int
	hess   []float64 // len(active) x len(active), upper triangle
	diag   []float64 // its diagonal with all terms taken positive
}

func newSnapshot(s system) snapshot {
	return snapshot{
		system: s, zone: make([]uint8, s.N), sign: make([]float64, s.P),
		hess: make([]float64, s.P*s.P), diag: make([]float64, s.P),
	}
}

// take takes that of the left point, where the condition was just factorized, unless it
// is held.
func (s *snapshot) take() {
	if s.held {
		return
	}
	s.held = true
	copy(s.zone, s.Zone)
	copy(s.sign, s.Sign)
	s.active = append(s.active[:0], s.Active...)
	s.Curve()
	copy(s.hess, s.Hess[:len(s.active)*len(s.active)])
	copy(s.diag, s.Diag[:len(s.active)])
}

// restore makes the condition's partition and factor those of the left point again.
func (s *snapshot) restore() {
	s.Place(s.zone, nil, nil)
	copy(s.Sign, s.sign)
	if !slices.Equal(s.active, s.Active) {
		s.Choose()
	}
	copy(s.Hess, s.hess[:len(s.active)*len(s.active)])
	copy(s.Diag, s.diag[:len(s.active)])
	s.At = nil
	s.held = s.Decompose()
}
