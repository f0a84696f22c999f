package factor

import "math"

// PivotPositive tests a new last row of the positive part. column is the row of the new M, with the
// diagonal at index Positive(). pivot is the Schur complement of the positive part, column's
// diagonal - m₁ᵀM₁₁⁻¹m₁, independent of the negative entries. ok: it is positive beyond the
// tolerance, and Accept can insert the row.
func (s *Signed) PivotPositive(column []float64) (pivot float64, ok bool) {
	row := s.prepare(column)
	copy(row, column[:s.p])
	for t, v := range column[s.p+1:] {
		row[s.n-1-t] = v
	}
	diagonal := column[s.p]
	s.forwardPositive(row, 0)
	a := dot(row[:s.p], row[:s.p])
	pivot = diagonal - a
	if ok = s.sound(pivot, diagonal, a); ok {
		s.next.kind, s.next.pivot = positive, pivot
	}
	return pivot, ok
}

// PivotNegative tests a new last row of the negative part. column is the row of the new M, with the
// diagonal last. pivot is the Schur complement of all rows, column's diagonal - mᵀM⁻¹m. ok: it is
// negative beyond the tolerance, and Accept can append the row.
func (s *Signed) PivotNegative(column []float64) (pivot float64, ok bool) {
	row := s.prepare(column)
	s.scatter(row, column[:s.Len()])
	diagonal := column[s.Len()]
	s.forwardPositive(row, 0)
	tail := row[s.n-s.q:]
	s.eliminate(tail, row[:s.p], 0)
	for i, v := range tail {
		s.next.rest[s.q-1-i] = v
	}
	s.forwardNegative(tail)
	a, b := s.squares(row, 0)
	pivot = diagonal - a + b
	if ok = s.sound(-pivot, diagonal, a+b); ok {
		s.next.kind, s.next.pivot = negative, pivot
	}
	return pivot, ok
}

func (s *Signed) prepare(column []float64) []float64 {
	s.check("column", len(column), s.Len()+1)
	if s.Len() == s.n {
		s.Grow(s.n + s.n/2 + 8)
	}
	s.next.kind = none
	return s.next.row
}

// Accept inserts the row of the last PivotPositive or PivotNegative. It panics if that was not ok,
// if the factor has changed since, or if the column is not finite. A positive row takes a rank-one
// update of the negative part's triangle, which always succeeds.
func (s *Signed) Accept() {
	switch s.next.kind {
	case positive:
		s.acceptPositive()
	case negative:
		s.acceptNegative()
	default:
		panic("factor: Accept without a pivot of the right sign")
	}
	s.next.kind = none
	s.changes++
}

// acceptPositive adds the row l = L11⁻¹m₁ with diagonal √pivot, the column v = (m₂ - L21 l)/√pivot
// below it, and v to L22 L22ᵀ = L21 L21ᵀ - M22.
func (s *Signed) acceptPositive() {
	first, root := s.n-s.q, math.Sqrt(s.next.pivot)
	row := s.data[s.p*s.n:]
	copy(row, s.next.row[:s.p])
	row[s.p] = root
	v := s.w[first:]
	copy(v, s.next.row[first:])
	s.eliminate(v, s.next.row[:s.p], 0)
	for i := range v {
		v[i] /= root
		s.data[(first+i)*s.n+s.p] = v[i]
	}
	if s.q > 0 && !s.sweep(s.p, -1) {
		panic("factor: a column of numbers that are not finite")
	}
	if s.schur.known {
		s.schur.column(s.q, -1)
	}
	s.p++
}

// acceptNegative adds the row J L⁻¹m with diagonal √-pivot.
func (s *Signed) acceptNegative() {
	at := s.n - 1 - s.q
	row := s.data[at*s.n : (at+1)*s.n]
	copy(row, s.next.row[:s.p])
	row[at] = math.Sqrt(-s.next.pivot)
	for i := at + 1; i < s.n; i++ {
		row[i] = -s.next.row[i]
	}
	if s.schur.known {
		s.schur.add(s.next.rest[:s.q], dot(row[:s.p], row[:s.p]))
	}
	s.q++
}

// InsertPositive is PivotPositive and, if ok, Accept.
func (s *Signed) InsertPositive(column []float64) (pivot float64, ok bool) {
	if pivot, ok = s.PivotPositive(column); ok {
		s.Accept()
	}
	return pivot, ok
}

// AppendNegative is PivotNegative and, if ok, Accept.
func (s *Signed) AppendNegative(column []float64) (pivot float64, ok bool) {
	if pivot, ok = s.PivotNegative(column); ok {
		s.Accept()
	}
	return pivot, ok
}
