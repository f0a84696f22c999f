package convex

import "github.com/agepath/agepath/internal/activeset"

// Standing says where a multiplier α_i of the support vector machine stands in
// its box [0, C v_i].
type Standing uint8

const (
	AtZero  Standing = iota // α_i = 0: a margin y_i f(x_i) of at least 1
	Free                    // 0 < α_i < C v_i: a margin of 1
	AtUpper                 // α_i = C v_i: a margin of at most 1
)

func (s Standing) String() string {
	return [...]string{"at zero", "free", "at upper bound"}[s]
}

// Standing returns where multiplier i of [SVM.Duals] stands. It is exact after
// Solve: the solver moves a multiplier to a bound, or where a free one ends there
// it has the bound's value.
// A sample without weight, whose bounds meet, stands where its margin would have
// it: AtUpper below 1, else AtZero. SetDuals, which does not know the next
// weights, counts every positive multiplier as Free, and SetScores goes by the margins.
func (s *SVM) Standing(i int) Standing {
	switch s.places[i] {
	case activeset.Inside:
		if s.given == solved && s.alpha[i] == 0 {
			return AtZero
		}
		if s.given == solved && s.alpha[i] == s.upper[i] {
			return AtUpper
		}
		return Free
	case s.dual.Zero(i):
		return AtZero
	}
	return AtUpper
}
