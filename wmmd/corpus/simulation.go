package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/agepath/agepath/internal/kernel"
)

// Simulation is a distribution of texts of two classes. Words are numbers: the first Informative
// ones of a text are beta-binomial, with both parameters 0.5 in class 0 and 5 in class 1.
type Simulation struct {
	Name        string
	Texts       int // as published
	Length      int // words per text
	Informative int // words whose distribution depends on the class
	Noise       int // further words, uniform in both classes
	// Share is the probability of a Noise word.
	Share float64
	// Ordered says that a text has a word of each distribution, and their order is that of the
	// class.
	Ordered bool
}

// Simulations lists the paper's: the class shows in words (1), in some words (2), only in the order
// of two words (3).
func Simulations() []Simulation {
	return []Simulation{
		{Name: "sim1", Texts: 200, Length: 10, Informative: 500},
		{Name: "sim2", Texts: 400, Length: 10, Informative: 1000, Noise: 100, Share: 0.4},
		{Name: "sim3", Texts: 400, Length: 2, Informative: 500, Ordered: true},
	}
}

// LookUp returns a simulation by name.
func LookUp(name string) (Simulation, bool) {
	list := Simulations()
	i := slices.IndexFunc(list, func(s Simulation) bool { return s.Name == name })
	if i < 0 {
		return Simulation{}, false
	}
	return list[i], true
}

// Words is the size of the vocabulary.
func (s Simulation) Words() int { return s.Informative + s.Noise }

// Draw draws texts, the published number for 0, of equally likely classes.
func (s Simulation) Draw(texts int, r *rand.Rand) *Corpus {
	if texts == 0 {
		texts = s.Texts
	}
	c := &Corpus{Classes: []string{"0", "1"}, Length: s.Length, Words: make([]string, s.Words())}
	for w := range c.Words {
		c.Words[w] = fmt.Sprint(w)
	}
	laws := [2][]float64{cumulated(s.Informative, 0.5), cumulated(s.Informative, 5)}
	for range texts {
		label := r.IntN(2)
		for j := range s.Length {
			law := label
			if s.Ordered {
				law = (label + j) % 2
			}
			word := drawFrom(laws[law], r)
			if s.Noise > 0 && r.Float64() < s.Share {
				word = s.Informative + r.IntN(s.Noise)
			}
			c.Texts = append(c.Texts, int32(word))
		}
		c.Labels = append(c.Labels, label)
	}
	return c
}

// betaBinomial returns the probabilities of 0 to n-1; both parameters are a.
func betaBinomial(n int, a float64) []float64 {
	beta := func(x, y float64) float64 { return gamma(x) + gamma(y) - gamma(x+y) }
	p := make([]float64, n)
	for k := range p {
		x, y := float64(k), float64(n-1-k)
		p[k] = kernel.Exp(gamma(float64(n)) - gamma(x+1) - gamma(y+1) + beta(x+a, y+a) - beta(a, a))
	}
	return p
}

func gamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

func cumulated(n int, a float64) []float64 {
	p := betaBinomial(n, a)
	for k := 1; k < n; k++ {
		p[k] += p[k-1]
	}
	return p
}

func drawFrom(law []float64, r *rand.Rand) int {
	u := r.Float64() * law[len(law)-1]
	return min(sort.Search(len(law), func(k int) bool { return law[k] > u }), len(law)-1)
}
