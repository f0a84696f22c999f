package wmmd

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agepath/agepath/internal/kernel"
)

// Test is a permutation test of wMMD² = 0: texts of all classes have the same distribution.
type Test struct {
	Statistic float64 // wMMD²
	// P is the share of labellings, including the given one, with at least this value: the test at
	// level α rejects if P <= α.
	P float64
}

// PermutationTest permutes labels of texts. With two classes the statistic is that of
// [Estimator.Value]. With more, all pairs of classes share the bandwidth of all texts, so that
// kernels are computed once. Texts without words are ignored.
func (e *Estimator[T]) PermutationTest(m Embedding[T], s Sample, permutations int, random *rand.Rand) Test {
	if permutations < 1 {
		panic(fmt.Sprintf("wmmd: %d permutations", permutations))
	}
	e.prepare(m, s)
	c := &e.counts
	all, none := c.everything()
	if len(all.texts) == 0 {
		return Test{P: 1}
	}
	e.pair.setClasses(c, e.point, all, none)
	sigma2 := e.pair.bandwidth(e.options)
	if sigma2 == 0 {
		return Test{P: 1}
	}
	g := newGram(&e.pair, 1/(2*sigma2))
	labels := make([]int, len(all.texts))
	for i, text := range all.texts {
		labels[i] = s.Labels[text]
	}
	test := Test{Statistic: g.statistic(labels, len(c.classes))}
	const rounding = 1e-12 // rounding must not separate equal values
	least := test.Statistic - rounding*(1+math.Abs(test.Statistic))
	reached := 1
	for range permutations {
		random.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
		if g.statistic(labels, len(c.classes)) >= least {
			reached++
		}
	}
	test.P = float64(reached) / float64(permutations+1)
	return test
}

func (c *counts) everything() (all, none *class) {
	all, none = &class{sum: make([]float64, len(c.rows))}, &class{sum: make([]float64, len(c.rows))}
	for i, text := range c.texts {
		if len(text) > 0 {
			all.texts = append(all.texts, int32(i))
		}
	}
	for _, k := range c.classes {
		kernel.Axpy(1, k.sum, all.sum)
		all.words += k.words
		all.within += k.within
	}
	return all, none
}

// textSums has the sums of kernels over the words of any two texts, which determine wMMD².
type textSums struct {
	n      int
	sums   []float64
	length []float64 // words of each text
	means  []float64 // sums over classes, for statistic
	words  []float64
	within []float64 // of each class, Σ d_i²
}

func newGram(p *pair, gamma float64) *textSums {
	n := len(p.texts)
	g := &textSums{n: n, sums: make([]float64, n*n), length: make([]float64, n)}
	holders := make([][]entry, p.n) // of each word: the texts that contain it
	for i, text := range p.texts {
		for _, e := range text.entries {
			g.length[i] += e.count
			holders[e.word] = append(holders[e.word], entry{int32(i), e.count})
		}
	}
	k, ones, withText := make([]float64, p.n), make([]float64, p.n), make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	point := make([]float64, p.dim)
	for word, texts := range holders {
		for d := range point {
			point[d] = p.x[d*p.stride+word]
		}
		kernel.Distances(k, p.x, p.stride, point)
		kernel.Gauss(k, k, ones, ones, 1, 0, gamma)
		for i, text := range p.texts {
			sum := 0.0
			for _, e := range text.entries {
				sum += e.count * k[e.word]
			}
			withText[i] = sum
		}
		for _, e := range texts {
			kernel.Axpy(e.count, withText, g.sums[int(e.word)*n:][:n])
		}
	}
	return g
}

func (g *textSums) statistic(labels []int, classes int) float64 {
	g.means = resize(g.means, classes*classes)
	g.words, g.within = resize(g.words, classes), resize(g.within, classes)
	clear(g.means)
	clear(g.words)
	clear(g.within)
	for i, a := range labels {
		g.words[a] += g.length[i]
		g.within[a] += g.length[i] * g.length[i]
		row := g.sums[i*g.n:][:g.n]
		to := g.means[a*classes:][:classes]
		for j, b := range labels {
			to[b] += row[j]
		}
		to[a] -= row[i]
	}
	total := 0.0
	for b := range classes {
		for a := range b {
			pairsA, pairsB := g.words[a]*g.words[a]-g.within[a], g.words[b]*g.words[b]-g.within[b]
			if pairsA > 0 && pairsB > 0 {
				total += g.means[a*classes+a]/pairsA + g.means[b*classes+b]/pairsB -
					2*g.means[a*classes+b]/(g.words[a]*g.words[b])
			}
		}
	}
	return total
}
