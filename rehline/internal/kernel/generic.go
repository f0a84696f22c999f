package kernel

// dotGo returns x·y over len(x) entries.
func dotGo(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] * y[i]
		s1 += x[i+1] * y[i+1]
		s2 += x[i+2] * y[i+2]
		s3 += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// axpyGo adds a x to y over len(x) entries.
func axpyGo(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

func mulVecGo(dst, x []float64, stride int, v []float64) {
	for i := range dst {
		dst[i] = dotGo(x[i*stride:][:len(v)], v)
	}
}

func mulTransAddGo(w, x []float64, stride int, a []float64) {
	for i, s := range a {
		if s != 0 {
			axpyGo(s, x[i*stride:][:len(w)], w)
		}
	}
}

func gramAddGo(h []float64, ld int, p []float64, rows int) {
	for r := range rows {
		row := p[r*ld:][:ld]
		for i, s := range row {
			if s != 0 {
				axpyGo(s, row[:i+1], h[i*ld:][:i+1])
			}
		}
	}
}
