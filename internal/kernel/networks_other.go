//go:build !amd64 || purego

package kernel

func mulAdd[T Float](c []T, ldc int, a []T, rowA, colA int, b []T, ldb int, m, n, k int) {
	mulAddGo(c, ldc, a, rowA, colA, b, ldb, m, n, k)
}

// Sigmoid sets dst to 1/(1 + exp(-x)), entry by entry. Both may be the same slice.
func Sigmoid[T Float](dst, x []T) { sigmoidGo(dst, x) }

// Tanh sets dst to the hyperbolic tangents of x. Both may be the same slice.
func Tanh[T Float](dst, x []T) { tanhGo(dst, x) }

// Adam makes a step of Adam: it updates the means of gradients g and of their squares,
// and the parameters p by them.
func Adam[T Float](p, g, mean, square []T, by *AdamStep[T]) { adamGo(p, g, mean, square, by) }

// Distances sets dst_j to the squared distance of a point from column j of x, whose
// row k, x[k*stride:][:len(dst)], has the columns' k-th entries. The distance of a from b is
// that of b from a, bit for bit.
func Distances(dst, x []float64, stride int, point []float64) {
	distancesGo(dst, x, stride, point)
}

// Gauss sets dst to (a s + b t) exp(-gamma d), entry by entry, and returns the sum.
func Gauss(dst, d, s, t []float64, a, b, gamma float64) float64 {
	return gaussGo(dst, d, s, t, a, b, gamma)
}

// Between writes the indices of the numbers d with lo <= d < hi to index, which has 8
// entries more than there are numbers, and returns how many, and the weights w of those
// below lo.
func Between(index []int32, d, w []float64, lo, hi float64) (count int, below float64) {
	return betweenGo(index, d, w, lo, hi)
}
