package convex

import "github.com/agepath/agepath/internal/activeset"

// Standing is the position of a multiplier α_i in its box [0, C v_i].
type Standing uint8

const (
	AtZero  Standing = iota // α_i = 0: margin y_i f(x_i) >= 1
	Free                    // 0 < α_i < C v_i: margin 1
	AtUpper                 // α_i = C v_i: margin <= 1
)

func (s Standing) String() string {
	return [...]string{"at zero", "free", "at upper bound"}[s]
}

// Standing returns the position of multiplier i of [SVM.Duals], exactly after Solve. Without weight
// the margin decides: AtUpper below 1, else AtZero. After SetDuals positive multipliers are Free,
// as the next weights are unknown; after SetScores margins decide.
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
