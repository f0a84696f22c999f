package kernel

import "math"

// The sizes of a power's series.
const (
	SeriesOrders = 10 // coefficients of a series
	SeriesBends  = 3  // of these of second derivatives
	SeriesBlock  = 64 // samples that are taken together
	SeriesRows   = 12 // SeriesOrders rounded up to a multiple of four
)

// PowerSeries is a power of a base that is linear in the squared residual, along a line: of
// the residual r + x dr, x from -1 to 1, the base is one of a quadratic in x, and the
// coefficients of the power follow from each other (J. C. P. Miller's recurrence; Knuth, The Art
// of Computer Programming 2, 4.7).
type PowerSeries struct { // the assembly knows the order of the fields
	q, slope, level, climb float64 // the exponent; the base's slope in the square, the rest of it in the middle, and that one's slope in x
	third                  [3]float64
	divisions              int64 // of the third derivative by the least base
	own, below, climbing   float64
	bend                   [3]float64 // the same of second derivatives
	bendBy                 float64
	ratio                  [SeriesBends]float64
	first, other           [SeriesOrders]float64 // the recurrence's factors
	rise                   [SeriesOrders]float64 // those of the power's integral
}

// PowerTerms has the terms of a block of samples: the power as the weight v of a squared loss,
// whose derivative in the residual is φ = 2vr. A row has a coefficient of each sample.
type PowerTerms struct { // the assembly knows the order of the fields
	R, DR, M [SeriesBlock]float64              // in: residuals in the middle, their rates, multiplicities m
	Phi      [SeriesRows * SeriesBlock]float64 // m φ
	PhiU     [SeriesRows * SeriesBlock]float64 // m ∂φ/∂u, and in row SeriesOrders the size of the first coefficient
	PhiUU    [(SeriesBends + 1) * SeriesBlock]float64
	V, DV    [SeriesBlock]float64 // the weight in the middle and its derivative in the loss
	Third    [SeriesBlock]float64 // m |∂³φ/∂u³|, largest on the line
	Bent     [SeriesBlock]float64 // m |∂²φ/∂u²| that PhiUU leaves out
	Value    [SeriesOrders][8]float64
}

// NewPowerSeries returns the power q, not 0, of level + climb x + slope (r + x dr)². All terms are to
// be multiplied with a series in x whose first coefficients, relative to the very first, are
// given: of products with PhiUU one coefficient more is known, which goes into the others.
func NewPowerSeries(q, slope, level, climb float64, ratio [SeriesBends]float64) PowerSeries {
	s := PowerSeries{
		q: q, slope: slope, level: level, climb: climb, ratio: ratio,
		third: [3]float64{12 * q * slope, 48 * (q - 1) * q * slope, 16 * (q - 1) * (q - 2) * q * slope},
		own:   2 * (1 + 2*q), below: -4 * q * level, climbing: -4 * q * climb,
		bend: [3]float64{4 + 8*q, -8 * (q - 1) * level, -8 * (q - 1) * climb}, bendBy: q * slope,
		divisions: max(int64(math.Ceil(3-q)), 0),
	}
	if s.rise[0] = 1 / slope; q != -1 {
		s.rise[0] /= q + 1
	}
	for k := 1; k < SeriesOrders; k++ {
		n := float64(k)
		s.first[k], s.other[k], s.rise[k] = (q-(n-1))/n, (2*q-(n-2))/n, 1/(slope*n)
	}
	return s
}

// Terms evaluates the terms of the first n samples, n > 0, and adds Σ m F, the integral of
// the weight over the loss, to Value: the sums of its rows.
func (s *PowerSeries) Terms(t *PowerTerms, n int) {
	for i := n; i < Pad(n); i++ {
		t.R[i], t.DR[i], t.M[i] = t.R[n-1], t.DR[n-1], 0
	}
	for i := range n {
		s.termsOf(t, i)
	}
}

func (s *PowerSeries) termsOf(t *PowerTerms, i int) {
	r, dr, m := t.R[i], t.DR[i], t.M[i]
	loss := r * r
	base := s.level + s.slope*loss
	inverse := 1 / base
	b, c := (s.climb+2*s.slope*r*dr)*inverse, s.slope*dr*dr*inverse // the base over that in the middle
	// g is m times the power, h the next lower one.
	v, integral := inverse, math.Log(base)
	if s.q != -1 {
		v = Exp(s.q * integral)
		integral = v * base
	}
	t.V[i], t.DV[i] = v, s.q*s.slope*v*inverse
	t.Value[0][0] += m * integral * s.rise[0]
	g, h := m*v, m*v*inverse
	part := s.slope * loss * inverse
	third := math.Abs((s.third[0] + s.third[1]*part + s.third[2]*part*part) * h)
	least := 1 - math.Abs(b) + c // of the base on the line, over that in the middle
	if math.Abs(b) < 2*c {
		least = 1 - b*b/(4*c)
	}
	for range s.divisions {
		third /= least
	}
	t.Third[i] = third
	bent := s.bends(h*inverse, r, dr, g, b, c, inverse)
	rest := 0.75 * (bent[3] + bent[2]*s.ratio[0] + bent[1]*s.ratio[1] + bent[0]*s.ratio[2])
	bent[1] += rest // x³ is ¾ x but for a third of that
	t.Bent[i] = math.Abs(rest) / 3
	for k, x := range bent[:SeriesBends] {
		t.PhiUU[k*SeriesBlock+i] = x
	}
	r, dr = 2*r, 2*dr
	var g1, g2, h1 float64 // one and two orders lower
	for k := range SeriesOrders {
		if k > 0 {
			g, g1, g2 = s.first[k]*b*g+s.other[k]*c*g1, g, g1
			h, h1 = g*inverse-b*h-c*h1, h
			t.Value[k][0] += base * (b*g1 + 2*c*g2) * s.rise[k]
		}
		t.Phi[k*SeriesBlock+i] = r*g + dr*g1
		t.PhiU[k*SeriesBlock+i] = s.own*g + s.below*h + s.climbing*h1
	}
	t.PhiU[SeriesOrders*SeriesBlock+i] = math.Abs(t.PhiU[i])
}

// bends returns the second derivatives, with one coefficient more than PhiUU has: by the
// power g and the two next lower ones, of which low is the lowest.
func (s *PowerSeries) bends(low, r, dr, g, b, c, inverse float64) (bent [SeriesBends + 1]float64) {
	h := g * inverse
	var g1, h1, low1, inner1 float64 // one order lower
	for k := range bent {
		if k > 0 {
			g, g1 = s.first[k]*b*g+s.other[k]*c*g1, g
			h, h1 = g*inverse-b*h-c*h1, h
			low, low1 = h*inverse-b*low-c*low1, low
		}
		inner := s.bend[0]*h + s.bend[1]*low + s.bend[2]*low1
		bent[k], inner1 = s.bendBy*(r*inner+dr*inner1), inner
	}
	return bent
}

// Powers sets dst to the powers x^q of numbers x > 0, to a relative error of a few
// roundings times |q ln x|.
func Powers(dst, x []float64, q float64) {
	for i, v := range x {
		dst[i] = Exp(q * math.Log(v))
	}
}

// PairRows copies the rows of x that index lists, x[i*stride:][:cols], to rows of dst, ld apart,
// and Pad(cols) entries behind their beginnings the products of two entries, of the pairs
// a <= b in the order of a.
func PairRows(dst []float64, ld int, x []float64, stride, cols int, index []int32) {
	for k, i := range index {
		row, to := x[int(i)*stride:][:cols], dst[k*ld:]
		copy(to, row)
		at := Pad(cols)
		for a, first := range row {
			for b, second := range row[a:] {
				to[at+b] = first * second
			}
			at += cols - a
		}
	}
}

// MulAddRows is [MulAdd] for few rows, a multiple of four.
func MulAddRows(c []float64, ldc int, a []float64, rowA, colA int, b []float64, ldb, m, n, k int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	if m%4 != 0 || len(c) < (m-1)*ldc+n || len(a) < (m-1)*rowA+(k-1)*colA+1 || len(b) < (k-1)*ldb+n {
		panic("kernel: matrix too short")
	}
	if !vector {
		mulAddGo(c, ldc, a, rowA, colA, b, ldb, m, n, k)
		return
	}
	for i := 0; i < m; i += 4 {
		for j := 0; j < n; j += 12 {
			stripAVX2(&c[i*ldc+j], &a[i*rowA], &b[j], ldc, rowA, colA, ldb, min(n-j, 12), k)
		}
	}
}

// ScaleRows sets row i of dst, dst[i*ld:][:cols], to a_i times that of x.
func ScaleRows(dst []float64, ld int, x []float64, stride, cols int, a []float64) {
	if !vector || cols == 0 || len(a) == 0 {
		for i, f := range a {
			scaleToGo(dst[i*ld:], f, x[i*stride:][:cols])
		}
		return
	}
	rows(dst, len(a), ld, cols)
	rows(x, len(a), stride, cols)
	scaleRowsAVX2(&dst[0], ld, &x[0], stride, cols, &a[0], len(a))
}
