package kernel

import "math"

// zeros adds products of zeros to the lanes from n on, as a partial vector does: -0 becomes 0.
func zeros(s []float64, n int) {
	for k := n; k < len(s); k++ {
		s[k] = math.FMA(0, 0, s[k])
	}
}

func rest(s *[4]float64, n int) {
	if n%4 > 0 {
		zeros(s[:], n%4)
	}
}

func total(s *[4]float64) float64 { return (s[0] + s[2]) + (s[1] + s[3]) }

// larger returns b if b > a, else a.
func larger(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// smaller returns b if b < a, else a.
func smaller(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

func dotGo(x, y []float64) float64 {
	y = y[:len(x)]
	var s [16]float64
	for ; len(x) >= 16; x, y = x[16:], y[16:] {
		a, b := (*[16]float64)(x), (*[16]float64)(y)
		for k := range s {
			s[k] = math.FMA(a[k], b[k], s[k])
		}
	}
	first := (*[4]float64)(s[:4])
	addProducts(first, x, y)
	for k := range first {
		first[k] = (s[k] + s[k+4]) + (s[k+8] + s[k+12])
	}
	return total(first)
}

func addProducts(s *[4]float64, x, y []float64) {
	n := len(x)
	y = y[:n]
	for ; len(x) >= 4; x, y = x[4:], y[4:] {
		a, b := (*[4]float64)(x), (*[4]float64)(y)
		for k := range s {
			s[k] = math.FMA(a[k], b[k], s[k])
		}
	}
	for k, a := range x {
		s[k&3] = math.FMA(a, y[k], s[k&3])
	}
	rest(s, n)
}

func axpyGo(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = math.FMA(a, v, y[i])
	}
}

func axpy4Go(a *[4]float64, x *[4][]float64, y []float64) {
	n := len(y)
	x0, x1, x2, x3 := x[0][:n], x[1][:n], x[2][:n], x[3][:n]
	for i, s := range y {
		s = math.FMA(x1[i], a[1], math.FMA(x0[i], a[0], s))
		y[i] = s + math.FMA(x3[i], a[3], x2[i]*a[2])
	}
}

func mulVecGo(dst, x []float64, stride int, v []float64) {
	for i := range dst {
		var s [4]float64
		addProducts(&s, x[i*stride:][:len(v)], v)
		dst[i] = (s[0] + s[1]) + (s[2] + s[3])
	}
}

const magnitude = 1<<63 - 1

// narrow entries of w stay in the assembly's registers.
const narrow = 8 * 4

func mulTransAddGo(w, x []float64, stride int, a []float64, bits uint64) {
	n := len(w)
	var sums [4][narrow]float64
	split := 0 // partial sums; none if a group's products are added at once
	if n <= narrow {
		split = max(1, min(4, narrow/4/((n+3)/4)))
		copy(sums[0][:], w)
	}
	for ; len(a) > 0; a, x = a[4:], x[min(len(x), 4*stride):] {
		f := (*[4]float64)(a)
		if *f == [4]float64{} {
			continue
		}
		r0, r1, r2, r3 := x[:n], x[stride:][:n], x[2*stride:][:n], x[3*stride:][:n]
		switch split {
		case 0:
			for j, v := range r0 {
				s := math.FMA(only(r1[j], bits), f[1], math.FMA(only(v, bits), f[0], w[j]))
				w[j] = s + math.FMA(only(r3[j], bits), f[3], only(r2[j], bits)*f[2])
			}
		case 1:
			s := sums[0][:n]
			for j, v := range r0 {
				t := math.FMA(only(r1[j], bits), f[1], math.FMA(only(v, bits), f[0], s[j]))
				s[j] = math.FMA(only(r3[j], bits), f[3], math.FMA(only(r2[j], bits), f[2], t))
			}
		case 2:
			s, t := sums[0][:n], sums[1][:n]
			for j, v := range r0 {
				s[j] = math.FMA(only(r2[j], bits), f[2], math.FMA(only(v, bits), f[0], s[j]))
				t[j] = math.FMA(only(r3[j], bits), f[3], math.FMA(only(r1[j], bits), f[1], t[j]))
			}
		default:
			for j, v := range r0 {
				sums[0][j] = math.FMA(only(v, bits), f[0], sums[0][j])
				sums[1][j] = math.FMA(only(r1[j], bits), f[1], sums[1][j])
				sums[2][j] = math.FMA(only(r2[j], bits), f[2], sums[2][j])
				sums[3][j] = math.FMA(only(r3[j], bits), f[3], sums[3][j])
			}
		}
	}
	if split == 0 {
		return
	}
	for half := split / 2; half > 0; half /= 2 {
		for i := range half {
			for j := range n {
				sums[i][j] += sums[i+half][j]
			}
		}
	}
	copy(w, sums[0][:n])
}

func only(x float64, bits uint64) float64 {
	return math.Float64frombits(math.Float64bits(x) & bits)
}

func gramTileGo(h, p, q []float64, ld, rows int) {
	for i := range 4 {
		var s [8]float64
		for r := range rows {
			a, b := p[r*ld+i], (*[8]float64)(q[r*ld:])
			for k := range s {
				s[k] = math.FMA(b[k], a, s[k])
			}
		}
		for k, v := range (*[8]float64)(h[i*ld:]) {
			h[i*ld+k] = v + s[k]
		}
	}
}

// AxpyTimes adds a x∘h to y.
func AxpyTimes(a float64, x, h, y []float64) {
	h, y = h[:len(x)], y[:len(x)]
	for i, v := range x {
		y[i] = math.FMA(h[i], a*v, y[i])
	}
}

// Norms sets dst_i to ‖x[i*stride:][:cols]‖².
func Norms(dst, x []float64, stride, cols int) {
	for i := range dst {
		r := x[i*stride:][:cols]
		dst[i] = Dot(r, r)
	}
}

// Sum returns the sum of x.
func Sum(x []float64) float64 {
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i]
		s1 += x[i+1]
		s2 += x[i+2]
		s3 += x[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// Changed writes to index where x_i unit differs from y_i by more than the given part of it. It
// returns the count, or false if index is too short.
func Changed(x, y []float64, unit, part float64, index []int32) (int, bool) {
	count := 0
	for i, a := range x {
		a *= unit
		if !(math.Abs(a-y[i]) > part*math.Abs(a)) {
			continue
		}
		if count == len(index) {
			return count, false
		}
		index[count] = int32(i)
		count++
	}
	return count, true
}

// Stack sets the rows of panel to rows of x in index, and those of scaled to change times them.
func Stack(panel, scaled []float64, ld int, x []float64, stride, cols int, index []int32, change []float64) {
	for k, i := range index {
		row := panel[k*ld:][:cols]
		copy(row, x[int(i)*stride:][:cols])
		ScaleTo(scaled[k*ld:][:cols], change[k], row)
	}
}
