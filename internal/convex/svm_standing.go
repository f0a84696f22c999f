package convex

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
// Solve: the solver moves a multiplier to a bound, it does not compare values.
// A sample without weight, whose bounds meet, stands where its margin would have
// it: AtUpper below 1, else AtZero. SetDuals, which does not know the next
// weights, counts every positive multiplier as Free, and SetTheta of a linear
// model goes by the margins.
func (s *SVM) Standing(i int) Standing {
	switch s.places[i] {
	case inside:
		return Free
	case s.dual.zero(i):
		return AtZero
	}
	return AtUpper
}

// KernelRow returns the kernel of training row i with all n. It stays valid
// until the next call for another row of this solver, or, where n rows fit into
// SVMOptions.CacheBytes, for good.
func (s *SVM) KernelRow(i int) []float64 { return s.dual.gram.row(i) }

// AddKernelRows adds the sum of coefficient_k times the kernel of training row sample_k
// with all n to dst, of length n.
func (s *SVM) AddKernelRows(dst []float64, sample []int, coefficient []float64) {
	s.dual.gram.accumulate(dst, sample, coefficient)
}
