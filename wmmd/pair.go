package wmmd

import (
	"github.com/agepath/agepath/internal/kernel"
	"github.com/agepath/agepath/wmmd/internal/loops"
)

// points are words' rows, transposed. Matrices have a row of n numbers, stride apart, for each
// dimension.
type points struct {
	n, stride   int
	x           []float64
	point, d, g []float64
	total       []float64 // each word's weights, with kernels
	moment      []float64 // the same times the rows of the other words
}

func (m *points) resize(n, dim int) {
	m.n, m.stride = n, kernel.Pad(n)
	m.x, m.point = resize(m.x, dim*m.stride), resize(m.point, dim)
	m.d, m.g = resize(m.d, n), resize(m.g, n)
}

func (m *points) reset() {
	m.total, m.moment = resize(m.total, m.n), resize(m.moment, len(m.x))
	clear(m.total)
	clear(m.moment)
}

// distances returns the squared distances of word i, at point, from the later words.
func (m *points) distances(i int) []float64 {
	for k := range m.point {
		m.point[k] = m.x[k*m.stride+i]
	}
	d := m.d[:m.n-1-i]
	loops.Distances(d, m.x[i+1:], m.stride, m.point)
	return d
}

// spread adds the weights g of word i, at point, with the later words to both words' totals and
// moments.
func (m *points) spread(g []float64, sum float64, i int) {
	m.total[i] += sum
	if len(g) == 0 {
		return
	}
	kernel.Axpy(1, g, m.total[i+1:][:len(g)])
	for k, v := range m.point {
		row := k*m.stride + i
		m.moment[row] += kernel.Dot(g, m.x[row+1:][:len(g)])
		kernel.Axpy(v, g, m.moment[row+1:][:len(g)])
	}
}

// pair is two classes of a sample.
type pair struct {
	points
	dim       int
	words     []int32 // indices in the sample
	place     []int32 // of the sample's words: index here
	sum       [2][]float64
	both      []float64
	class     [2]*class
	texts     []member
	entries   []entry
	selection selection
	text      block
	value     float64
}

type member struct {
	class   int
	entries []entry
}

type block struct {
	points
	count []float64
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
	p.dim = c.dim
	p.resize(len(p.words), p.dim)
	p.both = resize(p.both, p.n)
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

func (b *block) load(p *pair, text []entry) {
	b.resize(len(text), p.dim)
	b.count = resize(b.count, b.n)
	for j, e := range text {
		b.count[j] = e.count
		for k := range p.dim {
			b.x[k*b.stride+j] = p.x[k*p.stride+int(e.word)]
		}
	}
}

// evaluate returns wMMD² of the two classes and, with gradient, leaves its totals and moments.
func (p *pair) evaluate(gamma float64, gradient bool) float64 {
	p.value = 0
	p.reset()
	p.overWords(gamma, gradient)
	p.overTexts(gamma, gradient)
	if gradient { // the value has each pair twice, and ∂‖x - y‖²/∂x = 2(x - y)
		kernel.ScaleTo(p.total, -4*gamma, p.total)
		kernel.ScaleTo(p.moment, 4*gamma, p.moment)
	}
	return p.value
}

func (p *pair) overWords(gamma float64, gradient bool) {
	own := [2]float64{1 / p.class[0].pairs(), 1 / p.class[1].pairs()}
	cross := -1 / (p.class[0].words * p.class[1].words)
	for i := range p.n {
		s := [2]float64{p.sum[0][i], p.sum[1][i]}
		a, b := s[0]*own[0]+s[1]*cross, s[1]*own[1]+s[0]*cross
		p.value += s[0]*a + s[1]*b // the word with itself
		d := p.distances(i)
		g := p.g[:len(d)]
		sum := loops.Gauss(g, d, p.sum[0][i+1:], p.sum[1][i+1:], a, b, gamma)
		p.value += 2 * sum
		if gradient {
			p.spread(g, sum, i)
		}
	}
}

func (p *pair) overTexts(gamma float64, gradient bool) {
	b := &p.text
	for _, text := range p.texts {
		share := -1 / p.class[text.class].pairs()
		b.load(p, text.entries)
		b.reset()
		for i, count := range b.count {
			p.value += share * count * count
			d := b.distances(i)
			g := b.g[:len(d)]
			rest := b.count[i+1:]
			sum := loops.Gauss(g, d, rest, rest, share*count, 0, gamma)
			p.value += 2 * sum
			if gradient {
				b.spread(g, sum, i)
			}
		}
		if !gradient {
			continue
		}
		for j, e := range text.entries {
			p.total[e.word] += b.total[j]
			for k := range p.dim {
				p.moment[k*p.stride+int(e.word)] += b.moment[k*b.stride+j]
			}
		}
	}
}

func (p *pair) addSlope(slope []float64) {
	for j, word := range p.words {
		to := slope[int(word)*p.dim:][:p.dim]
		for k := range to {
			to[k] += p.total[j]*p.x[k*p.stride+j] + p.moment[k*p.stride+j]
		}
	}
}
