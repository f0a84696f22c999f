package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/agepath/agepath/internal/kernel"
)

// Simulation is the law of made-up texts of two classes. Words are numbers: the first
// Informative of a text in class 0 are beta-binomial with both parameters 0.5, in class 1
// with both 5.
type Simulation struct {
	Name        string
	Texts       int // as published
	Length      int // words a text
	Informative int // words whose law depends on the class
	Noise       int // words behind those, uniform whatever the class
	// Share is the probability that a word is of the Noise ones.
	Share float64
	// Ordered says that a text has a word of each law, and that their order tells the class.
	Ordered bool
}

// Simulations are those of the paper: 1, words tell the class; 2, some words do not; 3,
// only the order of two words does.
func Simulations() []Simulation {
	return []Simulation{
		{Name: "sim1", Texts: 200, Length: 10, Informative: 500},
		{Name: "sim2", Texts: 400, Length: 10, Informative: 1000, Noise: 100, Share: 0.4},
		{Name: "sim3", Texts: 400, Length: 2, Informative: 500, Ordered: true},
	}
}

// LookUp returns the simulation of a name.
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

// Draw makes up texts; 0 of them are as many as published. Classes have the same
// probability.
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

// betaBinomial returns the probabilities of 0 to n - 1, with both parameters a.
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
