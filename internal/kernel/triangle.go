package kernel

// block unknowns are solved one by one; MulVec and MulTransAdd do the rest.
const block = 8

// SolveLower overwrites x with L⁻¹x, L the lower triangle of t.
func SolveLower(x, t []float64, stride int) {
	n := len(x)
	rows(t, n, stride, n)
	for i := 0; i < n; i += block {
		j := min(i+block, n)
		subtract(x[i:j], t[i*stride:], stride, x[:i])
		for c := i; c < j; c++ {
			at := t[c*stride+c:]
			f := x[c] / at[0]
			x[c] = f
			for r := c + 1; r < j; r++ {
				x[r] -= f * at[(r-c)*stride]
			}
		}
	}
}

// SolveLowerTrans overwrites x with L⁻ᵀx.
func SolveLowerTrans(x, t []float64, stride int) {
	n := len(x)
	rows(t, n, stride, n)
	for j := n; j > 0; {
		i := (j - 1) / block * block
		for c := j - 1; c >= i; c-- {
			row := t[c*stride+i:][:c-i+1]
			f := x[c] / row[c-i]
			x[c] = f
			for r, v := range row[:c-i] {
				x[i+r] -= f * v
			}
		}
		subtractTrans(x[:i], t[i*stride:], stride, x[i:j])
		j = i
	}
}

// SolveUpper overwrites x with U⁻¹x, U the upper triangle of t.
func SolveUpper(x, t []float64, stride int) {
	n := len(x)
	rows(t, n, stride, n)
	for j := n; j > 0; { // blocks end where the matrix does
		i := max(j-block, 0)
		subtract(x[i:j], t[i*stride+j:], stride, x[j:])
		for c := j - 1; c >= i; c-- {
			column := t[i*stride+c:]
			f := x[c] / column[(c-i)*stride]
			x[c] = f
			for r := i; r < c; r++ {
				x[r] -= f * column[(r-i)*stride]
			}
		}
		j = i
	}
}

// SolveUpperTrans overwrites x with U⁻ᵀx.
func SolveUpperTrans(x, t []float64, stride int) {
	n := len(x)
	rows(t, n, stride, n)
	for i := 0; i < n; {
		j := i + (n-i-1)%block + 1 // blocks end where the matrix does
		for c := i; c < j; c++ {
			row := t[c*stride+c:][:j-c]
			f := x[c] / row[0]
			x[c] = f
			for r, v := range row[1:] {
				x[c+1+r] -= f * v
			}
		}
		subtractTrans(x[j:], t[i*stride+j:], stride, x[i:j])
		i = j
	}
}

func subtract(y, t []float64, stride int, x []float64) {
	if len(x) == 0 {
		return
	}
	var products [block]float64
	MulVec(products[:len(y)], t, stride, x)
	for r := range y {
		y[r] -= products[r]
	}
}

func subtractTrans(y, t []float64, stride int, x []float64) {
	if len(y) == 0 {
		return
	}
	var factors [block]float64
	for r, f := range x {
		factors[r] = -f
	}
	MulTransAdd(y, t, stride, factors[:len(x)])
}

// MulAdd adds A B to the m x n matrix C. Row i of C is c[i*ldc:], row i of the k x n matrix B is
// b[i*ldb:]. Entry (i, j) of A is a[i*rowA+j*colA]: a transposed matrix needs no copy. The sum over
// k is in order and added to C once.
func MulAdd(c []float64, ldc int, a []float64, rowA, colA int, b []float64, ldb int, m, n, k int) {
	const columns = 16
	if k == 0 {
		return
	}
	var sums [columns]float64
	for i := range m {
		for j := 0; j < n; j += columns {
			width := min(columns, n-j)
			row := sums[:width]
			clear(row)
			for p := range k {
				axpyGo(a[i*rowA+p*colA], b[p*ldb+j:][:width], row)
			}
			for l, v := range row {
				c[i*ldc+j+l] += v
			}
		}
	}
}
