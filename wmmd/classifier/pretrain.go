package classifier

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/wmmd/corpus"
	"github.com/agepath/agepath/wmmd/internal/neural"
)

const (
	// window is the largest distance of two words of a text that count as neighbours.
	window = 5
	// Randomized decomposition (Halko, Martinsson, Tropp).
	oversampling    = 10
	powerIterations = 5
)

// pretrain sets rows to word vectors: the leading singular vectors of the matrix of positive
// pointwise mutual information, each times the root of its singular value (Levy and Goldberg),
// scaled to a mean squared norm of 1 over the nonzero rows. Words without neighbours get 0.
func pretrain[T Float](e *neural.Embedding[T], texts *corpus.Corpus, random *rand.Rand) {
	p := information(texts)
	n := len(texts.Words)
	rank := min(e.Dim, n)
	width := min(rank+oversampling, n)
	q := mat.NewDense(n, width, nil)
	for i := range n {
		for j := range width {
			q.Set(i, j, random.NormFloat64())
		}
	}
	var svd mat.SVD
	for range powerIterations {
		decompose(&svd, p.times(q), mat.SVDThinU)
		svd.UTo(q)
	}
	var core mat.Dense // qᵀ P q, whose decomposition is that of P within q
	core.Mul(q.T(), p.times(q))
	decompose(&svd, &core, mat.SVDThinU)
	var u, vectors mat.Dense
	svd.UTo(&u)
	vectors.Mul(q, &u)
	values := svd.Values(nil)
	square, rows := 0.0, 0.0
	for i := range n {
		norm := 0.0
		for k := range rank {
			v := vectors.At(i, k) * math.Sqrt(values[k])
			vectors.Set(i, k, v)
			norm += v * v
		}
		square += norm
		if len(p[i]) > 0 {
			rows++
		}
	}
	by := 0.0
	if square > 0 {
		by = math.Sqrt(rows / square)
	}
	clear(e.Value)
	for i := range n {
		if len(p[i]) == 0 {
			continue
		}
		for k := range rank {
			e.Value[i*e.Dim+k] = T(by * vectors.At(i, k))
		}
	}
}

func decompose(svd *mat.SVD, x mat.Matrix, kind mat.SVDKind) {
	if !svd.Factorize(x, kind) {
		panic("classifier: no singular values")
	}
}

type sparse [][]element

type element struct {
	column int
	value  float64
}

func (s sparse) times(x *mat.Dense) *mat.Dense {
	_, cols := x.Dims()
	y := mat.NewDense(len(s), cols, nil)
	for i, row := range s {
		to := y.RawRowView(i)
		for _, e := range row {
			for k, v := range x.RawRowView(e.column) {
				to[k] += e.value * v
			}
		}
	}
	return y
}

// information returns max(0, ln(#(v, w) # / (#(v) #(w)))) for the numbers of pairs of neighbours.
func information(texts *corpus.Corpus) sparse {
	counts := make([]map[int32]float64, len(texts.Words))
	sums := make([]float64, len(texts.Words))
	total := 0.0
	note := func(v, w int32) {
		if counts[v] == nil {
			counts[v] = map[int32]float64{}
		}
		counts[v][w]++
		sums[v]++
		total++
	}
	for i := range texts.Labels {
		text := texts.Text(i)
		for j, v := range text {
			for _, w := range text[j+1 : min(len(text), j+1+window)] {
				note(v, w)
				note(w, v)
			}
		}
	}
	p := make(sparse, len(texts.Words))
	for v, row := range counts {
		for _, w := range slices.SortedFunc(maps.Keys(row), cmp.Compare[int32]) {
			if value := math.Log(row[w] * total / (sums[v] * sums[w])); value > 0 {
				p[v] = append(p[v], element{int(w), value})
			}
		}
	}
	return p
}
