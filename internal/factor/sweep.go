package factor

import "math"

// sweep turns [L w] into [L' 0] with
//
//	L' J L'ᵀ = L J Lᵀ + sign w wᵀ
//
// over the rows from first on, where w is given over slots and is zero before
// first. Column j takes w's entry j to zero by a Givens rotation where its sign
// in J is sign, else by a hyperbolic one. It reports false, and leaves a wreck,
// when a rotation does not exist.
//
// Rows are swept one group after the other, with the rotations stored, so that
// each entry of L is read and written once and in the order of memory.
func (s *Signed) sweep(first int, sign float64) bool {
	front, back := sign < 0, sign > 0 // which part's rotations are hyperbolic
	for i := first; i < s.p; i += group {
		rows, w := s.gang(i, min(group, s.p-i), 1)
		s.front(rows, &w, first, i, front)
		if !s.corner(i, min(group, s.p-i), 1, &w, front) {
			return false
		}
	}
	start := max(first-s.p, 0)
	hi := s.n - start
	for t := start; t < s.q; t += group {
		i, size := s.n-1-t, min(group, s.q-t)
		rows, w := s.gang(i, size, -1)
		s.front(rows, &w, first, s.p, front)
		if i+1 < hi {
			for k := range rows {
				rows[k] = rows[k][i+1 : hi]
			}
			turns := s.turn.slice(i+1, hi)
			if back {
				turns.hyperbolic4Back(&rows, &w)
			} else {
				turns.givens4Back(&rows, &w)
			}
		}
		if !s.corner(i, size, -1, &w, back) {
			return false
		}
	}
	return true
}

// gang returns the rows of a group, which starts at slot i and goes on in
// steps of step, and their entries of w. Missing rows are played by one of
// zeros, which stays so.
func (s *Signed) gang(i, size, step int) (rows [group][]float64, w [group]float64) {
	for k := range group {
		if k < size {
			at := i + k*step
			rows[k], w[k] = s.data[at*s.n:(at+1)*s.n], s.w[at]
		} else {
			rows[k] = s.rest
		}
	}
	return rows, w
}

// front rotates the group's columns u..v-1 of the positive part.
func (s *Signed) front(rows [group][]float64, w *[group]float64, u, v int, hyperbolic bool) {
	if u >= v {
		return
	}
	for k := range rows {
		rows[k] = rows[k][u:v]
	}
	turns := s.turn.slice(u, v)
	if hyperbolic {
		turns.hyperbolic4(&rows, w)
	} else {
		turns.givens4(&rows, w)
	}
}

// corner makes the rotations of the group's own columns, from its triangle on
// the diagonal.
func (s *Signed) corner(i, size, step int, w *[group]float64, hyperbolic bool) bool {
	for k := range size {
		at := i + k*step
		row := s.data[at*s.n : (at+1)*s.n]
		for m := range k {
			j := i + m*step
			row[j], w[k] = s.turn.one(j, hyperbolic, row[j], w[k])
		}
		if hyperbolic {
			row[at] = s.turn.hyperbolic(at, row[at], w[k])
		} else {
			row[at] = s.turn.givens(at, row[at], w[k])
		}
		if !(row[at] > 0) || math.IsInf(row[at], 0) {
			return false
		}
	}
	return true
}
