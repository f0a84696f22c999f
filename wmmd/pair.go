package wmmd

import (
	"github.com/agepath/agepath/internal/kernel"
	"github.com/agepath/agepath/wmmd/internal/loops"
)

// pair is two classes of a sample. Matrices have a row of n numbers, stride apart, for each
// dimension.
type pair struct {
	dim, n, stride int
	words          []int32   // indices in the sample
	place          []int32   // of the sample's words: index here
	x              []float64 // the words' rows, transposed
	sum            [2][]float64
	both           []float64
	class          [2]*class
	texts          []member
	entries        []entry
	selection      selection
	point, d, g    []float64
	text           block
	sums           sums // with kernels
}

type member struct {
	class   int
	entries []entry
}

type sums struct {
	value  float64
	total  []float64 // each word's weights
	moment []float64 // the same times the rows of the other words
}

type block struct {
	n, stride           int
	x, count            []float64
	total, moment, d, g []float64
}

// between reports whether both classes have two texts with words; else wMMD² is 0.
func (p *pair) between(c *counts, rows []float64, a, b int) bool {
	if c.classes[a].pairs() <= 0 || c.classes[b].pairs() <= 0 {
		return false
	}
	p.class = [2]*class{&c.classes[a], &c.classes[b]}
	p.words, p.place = p.words[:0], resize(p.place, len(c.rows))
	for i, s := range p.class[0].sum {
		if s+p.class[1].sum[i] > 0 {
			p.place[i] = int32(len(p.words))
			p.words = append(p.words, int32(i))
		}
	}
	p.dim, p.n = c.dim, len(p.words)
	p.stride = kernel.Pad(p.n)
	p.x, p.both = resize(p.x, p.dim*p.stride), resize(p.both, p.n)
	for k := range p.sum {
		p.sum[k] = resize(p.sum[k], p.n)
	}
	for j, word := range p.words {
		for k := range p.dim {
			p.x[k*p.stride+j] = rows[int(word)*p.dim+k]
		}
		p.sum[0][j], p.sum[1][j] = p.class[0].sum[word], p.class[1].sum[word]
		p.both[j] = p.sum[0][j] + p.sum[1][j]
	}
	p.takeTexts(c)
	p.point, p.d, p.g = resize(p.point, p.dim), resize(p.d, p.n), resize(p.g, p.n)
	return true
}

func (p *pair) takeTexts(c *counts) {
	size := 0
	for _, k := range p.class {
		for _, t := range k.texts {
			size += len(c.texts[t])
		}
	}
	p.texts, p.entries = p.texts[:0], resize(p.entries, size)[:0]
	for i, k := range p.class {
		for _, t := range k.texts {
			start := len(p.entries)
			for _, e := range c.texts[t] {
				p.entries = append(p.entries, entry{p.place[e.word], e.count})
			}
			p.texts = append(p.texts, member{i, p.entries[start:]})
		}
	}
}

func (p *pair) distances(i int) []float64 {
	for k := range p.point {
		p.point[k] = p.x[k*p.stride+i]
	}
	d := p.d[:p.n-1-i]
	loops.Distances(d, p.x[i+1:], p.stride, p.point)
	return d
}

func (b *block) load(p *pair, text []entry) {
	b.n = len(text)
	b.stride = kernel.Pad(b.n)
	b.x, b.count = resize(b.x, p.dim*b.stride), resize(b.count, b.n)
	b.d, b.g = resize(b.d, b.n), resize(b.g, b.n)
	for j, e := range text {
		b.count[j] = e.count
		for k := range p.dim {
			b.x[k*b.stride+j] = p.x[k*p.stride+int(e.word)]
		}
	}
}

func (b *block) distances(point []float64, i int) []float64 {
	for k := range point {
		point[k] = b.x[k*b.stride+i]
	}
	d := b.d[:b.n-1-i]
	loops.Distances(d, b.x[i+1:], b.stride, point)
	return d
}

// evaluate returns wMMD² of the two classes and, with gradient, leaves what it consists of in sums.
func (p *pair) evaluate(gamma float64, gradient bool) float64 {
	to := &p.sums
	to.value, to.total, to.moment = 0, resize(to.total, p.n), resize(to.moment, p.dim*p.stride)
	clear(to.total)
	clear(to.moment)
	p.overWords(gamma, gradient)
	p.overTexts(gamma, gradient)
	if gradient { // the value has each pair twice, and ∂‖x - y‖²/∂x = 2(x - y)
		kernel.ScaleTo(to.total, -4*gamma, to.total)
		kernel.ScaleTo(to.moment, 4*gamma, to.moment)
	}
	return to.value
}

func (p *pair) overWords(gamma float64, gradient bool) {
	to := &p.sums
	own := [2]float64{1 / p.class[0].pairs(), 1 / p.class[1].pairs()}
	cross := -1 / (p.class[0].words * p.class[1].words)
	for i := range p.n {
		s := [2]float64{p.sum[0][i], p.sum[1][i]}
		a, b := s[0]*own[0]+s[1]*cross, s[1]*own[1]+s[0]*cross
		to.value += s[0]*a + s[1]*b // the word with itself
		d := p.distances(i)
		g := p.g[:len(d)]
		sum := loops.Gauss(g, d, p.sum[0][i+1:], p.sum[1][i+1:], a, b, gamma)
		to.value += 2 * sum
		if gradient {
			spread(to.total, to.moment, p.x, p.stride, p.point, g, sum, i)
		}
	}
}

func (p *pair) overTexts(gamma float64, gradient bool) {
	b, to := &p.text, &p.sums
	for _, text := range p.texts {
		share := -1 / p.class[text.class].pairs()
		b.load(p, text.entries)
		b.total, b.moment = resize(b.total, b.n), resize(b.moment, p.dim*b.stride)
		clear(b.total)
		clear(b.moment)
		for i, count := range b.count {
			to.value += share * count * count
			d := b.distances(p.point, i)
			g := b.g[:len(d)]
			rest := b.count[i+1:]
			sum := loops.Gauss(g, d, rest, rest, share*count, 0, gamma)
			to.value += 2 * sum
			if gradient {
				spread(b.total, b.moment, b.x, b.stride, p.point, g, sum, i)
			}
		}
		if !gradient {
			continue
		}
		for j, e := range text.entries {
			to.total[e.word] += b.total[j]
			for k := range p.dim {
				to.moment[k*p.stride+int(e.word)] += b.moment[k*b.stride+j]
			}
		}
	}
}

// spread adds the weights g of word i with the later words to both words' totals and moments.
func spread(total, moment, x []float64, stride int, point, g []float64, sum float64, i int) {
	total[i] += sum
	if len(g) == 0 {
		return
	}
	kernel.Axpy(1, g, total[i+1:][:len(g)])
	for k, v := range point {
		row := k*stride + i
		moment[row] += kernel.Dot(g, x[row+1:][:len(g)])
		kernel.Axpy(v, g, moment[row+1:][:len(g)])
	}
}

func (p *pair) addSlope(slope []float64) {
	for j, word := range p.words {
		to := slope[int(word)*p.dim:][:p.dim]
		for k := range to {
			to[k] += p.sums.total[j]*p.x[k*p.stride+j] + p.sums.moment[k*p.stride+j]
		}
	}
}
