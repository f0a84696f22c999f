package rehline

import "gonum.org/v1/gonum/blas/blas64"

// Loss is a composite ReLU-ReHU loss of n samples,
//
//	L_i(z) = Offset_i + Σ_l ReLU(U_li z + V_li) + Σ_h ReHU_τhi(S_hi z + T_hi)
//
// of the score z = x_i·β (+ intercept), see [ReLU] and [ReHU]. Check reports errors in the
// arguments of Hinge, Huber and other constructors.
type Loss struct {
	U, V      blas64.General // L x n, row-major; L may be 0.
	S, T, Tau blas64.General // H x n; Tau >= 0 and may be +Inf; H may be 0.
	Offset    []float64      // nil for zeros.

	err error // of the constructor, for Check
}

// ReLU is the function max(U z + V, 0).
type ReLU struct{ U, V float64 }

// ReHU is, with w = S z + T, the function 0 for w <= 0, w²/2 for 0 < w <= Tau and Tau (w - Tau/2)
// above. Tau may be +Inf.
type ReHU struct{ S, T, Tau float64 }

func (l Loss) N() int {
	switch {
	case l.U.Rows > 0:
		return l.U.Cols
	case l.S.Rows > 0:
		return l.S.Cols
	}
	return max(len(l.Offset), l.U.Cols, l.S.Cols)
}

// Value writes the loss of every sample at the scores z into dst, which must not overlap z. The
// loss must pass Check.
func (l Loss) Value(dst, z []float64) {
	n := l.N()
	if len(dst) != n || len(z) != n {
		panic("rehline: Value needs one destination and one score per sample")
	}
	clear(dst)
	copy(dst, l.Offset)
	for r := range l.U.Rows {
		u, v := row(l.U, r), row(l.V, r)
		for i, zi := range z {
			dst[i] += max(u[i]*zi+v[i], 0)
		}
	}
	for r := range l.S.Rows {
		s, t, tau := row(l.S, r), row(l.T, r), row(l.Tau, r)
		for i, zi := range z {
			dst[i] += rehu(s[i]*zi+t[i], tau[i])
		}
	}
}

func rehu(z, tau float64) float64 {
	switch {
	case z <= 0:
		return 0
	case z <= tau:
		return z * z / 2
	}
	return tau * (z - tau/2)
}

func row(m blas64.General, r int) []float64 {
	return m.Data[r*m.Stride : r*m.Stride+m.Cols]
}
