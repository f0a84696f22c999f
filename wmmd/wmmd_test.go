package wmmd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// draw makes up an embedding and a sample.
func draw(r *rand.Rand, words, dim, texts, classes, longest int, ragged bool) (Embedding[float64], Sample) {
	m := Embedding[float64]{make([]float64, words*dim), dim}
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
	}
	var s Sample
	for range texts {
		length := longest
		if ragged {
			length = r.IntN(longest + 1)
		}
		text := make([]int32, length)
		for j := range text {
			text[j] = int32(min(r.IntN(words), r.IntN(words)))
		}
		s.Texts = append(s.Texts, text)
		s.Labels = append(s.Labels, r.IntN(classes))
	}
	return m, s
}

// plain is what the definition sums over: the words of a text as rows.
func plain(m Embedding[float64], s Sample, o Options) [][][]float64 {
	var texts [][][]float64
	for _, words := range s.Texts {
		var text [][]float64
		for j, w := range words {
			switch {
			case o.Bigrams && j+1 == len(words):
			case slices.Contains(o.Without, w) || o.Bigrams && slices.Contains(o.Without, words[j+1]):
			case o.Bigrams:
				text = append(text, slices.Concat(m.Row(w), m.Row(words[j+1])))
			default:
				text = append(text, m.Row(w))
			}
		}
		texts = append(texts, text)
	}
	return texts
}

func squared(x, y []float64) float64 {
	sum := 0.0
	for k := range x {
		sum += (x[k] - y[k]) * (x[k] - y[k])
	}
	return sum
}

// definition is wMMD² by the sums over all pairs of positions, with the median of a
// sorted list if sigma2 is 0.
func definition(m Embedding[float64], s Sample, o Options, sigma2 float64) float64 {
	texts := plain(m, s, o)
	classes := 0
	for _, label := range s.Labels {
		classes = max(classes, label+1)
	}
	total := 0.0
	for b := range classes {
		for a := range b {
			total += definitionOfPair(texts, s.Labels, a, b, sigma2)
		}
	}
	return total
}

// load returns the pair of the classes 0 and 1.
func (e *Estimator[T]) load(m Embedding[T], s Sample) *pair {
	e.prepare(m, s)
	e.pair.between(&e.counts, e.point, 0, 1)
	return &e.pair
}

func definitionOfPair(texts [][][]float64, labels []int, a, b int, sigma2 float64) float64 {
	var kinds [3][]float64 // distances within a, within b, between
	for i, x := range texts {
		for j, y := range texts {
			var kind int
			switch {
			case i != j && labels[i] == a && labels[j] == a:
				kind = 0
			case i != j && labels[i] == b && labels[j] == b:
				kind = 1
			case labels[i] == a && labels[j] == b:
				kind = 2
			default:
				continue
			}
			for _, v := range x {
				for _, w := range y {
					kinds[kind] = append(kinds[kind], squared(v, w))
				}
			}
		}
	}
	if len(kinds[0]) == 0 || len(kinds[1]) == 0 {
		return 0
	}
	if sigma2 == 0 {
		all := slices.Concat(kinds[0], kinds[1], kinds[2], kinds[2])
		if sigma2 = middle(all); sigma2 == 0 {
			all = slices.DeleteFunc(all, func(d float64) bool { return d == 0 })
			if len(all) == 0 {
				return 0
			}
			sigma2 = middle(all)
		}
	}
	var mean [3]float64
	for kind, list := range kinds {
		for _, d := range list {
			mean[kind] += math.Exp(-d/(2*sigma2)) / float64(len(list))
		}
	}
	return mean[0] + mean[1] - 2*mean[2]
}

func middle(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// TestDefinition compares with the definition on 50 random cases of every form.
func TestDefinition(t *testing.T) {
	t.Parallel()
	forms := map[string]func(r *rand.Rand) Options{
		"plain":      func(*rand.Rand) Options { return Options{} },
		"structured": func(r *rand.Rand) Options { return Options{Without: []int32{0, int32(r.IntN(4))}} },
		"bigrams":    func(*rand.Rand) Options { return Options{Bigrams: true} },
		"both":       func(*rand.Rand) Options { return Options{Bigrams: true, Without: []int32{1}} },
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := map[string]*Estimator[float64]{}
			for seed := range uint64(50) {
				r := rand.New(rand.NewPCG(seed, 1))
				o := form(r)
				m, s := draw(r, 1+r.IntN(30), 1+r.IntN(6), r.IntN(12), 1+r.IntN(4), 1+r.IntN(8), seed%2 == 0)
				if seed%5 == 0 { // rows that are the same, so that medians are 0
					clear(m.Data[:len(m.Data)*3/4])
				}
				key := fmt.Sprint(o)
				if e[key] == nil { // kept memory must not show
					e[key] = New[float64](o)
				}
				got, want := e[key].Value(m, s), definition(m, s, o, 0)
				if !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("seed %d: %v, by the definition %v", seed, got, want)
				}
				again := e[key].AddGradient(make([]float64, len(m.Data)), 1, m, s)
				if again != got {
					t.Errorf("seed %d: %v with the gradient, %v without", seed, again, got)
				}
			}
		})
	}
}

// TestMedianLarge compares the median with a sorted list where histograms of all levels are
// needed.
func TestMedianLarge(t *testing.T) {
	t.Parallel()
	for name, spread := range map[string]float64{"even": 1, "dense": 1e-7, "denser": 1e-13, "equal": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 7))
			m, s := draw(r, 500, 2, 30, 2, 40, false)
			for i := range m.Data { // two places, around which words are
				m.Data[i] *= spread
				if i/2%2 == 0 {
					m.Data[i]++
				}
			}
			e := New[float64](Options{})
			var all []float64
			for i, x := range s.Texts {
				for j, y := range s.Texts {
					for _, v := range x {
						for _, w := range y {
							if i != j {
								all = append(all, squared(m.Row(v), m.Row(w)))
							}
						}
					}
				}
			}
			got, want := e.Bandwidth(m, s, 0, 1), middle(all)
			if !(math.Abs(got-want) <= 1e-14*(want+spread*spread)) {
				t.Errorf("σ² is %v, the median %v", got, want)
			}
		})
	}
}

// TestUnbiased draws texts from two laws: the mean of the estimates is the value by
// summation over the vocabulary.
func TestUnbiased(t *testing.T) {
	t.Parallel()
	const (
		words, dim, length, texts, sigma2 = 8, 2, 3, 4, 0.7
		draws                             = 10_000
	)
	r := rand.New(rand.NewPCG(3, 4))
	m, _ := draw(r, words, dim, 0, 1, 1, false)
	laws := [2][]float64{make([]float64, words), make([]float64, words)}
	for _, law := range laws {
		total := 0.0
		for w := range law {
			law[w] = r.Float64()
			total += law[w]
		}
		for w := range law {
			law[w] /= total
		}
	}
	truth := 0.0
	for v := range int32(words) {
		for w := range int32(words) {
			truth += (laws[0][v] - laws[1][v]) * (laws[0][w] - laws[1][w]) *
				math.Exp(-squared(m.Row(v), m.Row(w))/(2*sigma2))
		}
	}
	e := New[float64](Options{})
	sum, squares := 0.0, 0.0
	for range draws {
		var s Sample
		for i := range 2 * texts {
			label := i % 2
			text := make([]int32, length)
			for j := range text {
				u := r.Float64()
				for u -= laws[label][0]; u > 0 && text[j] < words-1; u -= laws[label][text[j]] {
					text[j]++
				}
			}
			s.Texts, s.Labels = append(s.Texts, text), append(s.Labels, label)
		}
		value := e.load(m, s).evaluate(1/(2*sigma2), false)
		sum += value
		squares += value * value
	}
	mean := sum / draws
	standardError := math.Sqrt((squares/draws - mean*mean) / draws)
	if math.Abs(mean-truth) > 3*standardError {
		t.Errorf("mean %v ± %v, true value %v", mean, standardError, truth)
	}
}

// TestGradient compares with central differences of the definition, with the bandwidth
// fixed at the median's value, through which no gradient goes.
func TestGradient(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		o := Options{Bigrams: seed%3 == 1}
		if seed%4 == 2 {
			o.Without = []int32{2}
		}
		m, s := draw(r, 12, 3, 14, 2, 8, true)
		for i := range s.Labels {
			s.Labels[i] = i % 2
		}
		got := make([]float64, len(m.Data))
		e := New[float64](o)
		e.AddGradient(got, 1, m, s)
		sigma2 := e.Bandwidth(m, s, 0, 1)
		if sigma2 == 0 {
			t.Fatalf("seed %d has no two classes", seed)
		}
		for i, old := range m.Data {
			const h = 1e-5
			m.Data[i] = old + h
			above := definition(m, s, o, sigma2)
			m.Data[i] = old - h
			below := definition(m, s, o, sigma2)
			m.Data[i] = old
			if want := (above - below) / (2 * h); math.Abs(got[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("seed %d: entry %d is %v, by differences %v", seed, i, got[i], want)
			}
		}
	}
}

// TestSinglePrecision: embeddings in float32 have sums in float64.
func TestSinglePrecision(t *testing.T) {
	t.Parallel()
	m, s := draw(rand.New(rand.NewPCG(5, 9)), 40, 5, 30, 2, 10, false)
	short := Embedding[float32]{make([]float32, len(m.Data)), m.Dim}
	for i, v := range m.Data {
		short.Data[i] = float32(v)
		m.Data[i] = float64(short.Data[i])
	}
	if got, want := New[float32](Options{}).Value(short, s), New[float64](Options{}).Value(m, s); got != want {
		t.Errorf("%v in float32, %v in float64", got, want)
	}
}

func TestDegenerate(t *testing.T) {
	t.Parallel()
	m := Embedding[float64]{[]float64{0, 0, 1, 0, 0, 2}, 2}
	cases := map[string]struct {
		sample Sample
		value  float64
	}{
		"nothing":              {Sample{}, 0},
		"one class":            {Sample{[][]int32{{0, 1}, {1, 2}}, []int{1, 1}}, 0},
		"one text of a class":  {Sample{[][]int32{{0, 1}, {1, 2}, {0}}, []int{0, 0, 1}}, 0},
		"empty texts":          {Sample{[][]int32{{0}, {1}, {}, {}}, []int{0, 0, 1, 1}}, 0},
		"one word":             {Sample{[][]int32{{1, 1}, {1}, {1}, {1, 1}}, []int{0, 0, 1, 1}}, 0},
		"padding has the most": {Sample{[][]int32{{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}}, []int{0, 0, 1, 1}}, math.NaN()},
		"two points":           {Sample{[][]int32{{0}, {0}, {1}, {1}}, []int{0, 0, 1, 1}}, math.NaN()},
	}
	for name, test := range cases {
		want := test.value
		if math.IsNaN(want) {
			want = definition(m, test.sample, Options{}, 0)
		}
		e := New[float64](Options{})
		slope := make([]float64, len(m.Data))
		got := e.AddGradient(slope, 1, m, test.sample)
		if math.Abs(got-want) > 1e-15 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		for _, v := range slope {
			if math.IsNaN(v) || want == 0 && v != 0 {
				t.Errorf("%s: gradient %v", name, slope)
				break
			}
		}
	}
	m.Data[0] = math.NaN()
	if got := New[float64](Options{}).Value(m, cases["two points"].sample); !math.IsNaN(got) {
		t.Errorf("a row that is no number gives %v", got)
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	m := Embedding[float64]{make([]float64, 6), 2}
	for name, misuse := range map[string]func(){
		"rows":     func() { New[float64](Options{}).Value(Embedding[float64]{m.Data, 4}, Sample{}) },
		"word":     func() { New[float64](Options{}).Value(m, Sample{[][]int32{{3}}, []int{0}}) },
		"labels":   func() { New[float64](Options{}).Value(m, Sample{[][]int32{{0}}, nil}) },
		"label":    func() { New[float64](Options{}).Value(m, Sample{[][]int32{{0}}, []int{-1}}) },
		"gradient": func() { New[float64](Options{}).AddGradient(nil, 1, m, Sample{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

// news is a batch as of BBC News: 64 texts of 512 words, about half of it padding, of 5
// classes.
func news() (Embedding[float32], Sample) {
	const words, dim = 5000, 5
	r := rand.New(rand.NewPCG(1, 2))
	m := Embedding[float32]{make([]float32, words*dim), dim}
	for i := range m.Data {
		m.Data[i] = float32(r.NormFloat64() / 3)
	}
	var s Sample
	for i := range 64 {
		text := make([]int32, 512)
		for j := range 200 + r.IntN(300) {
			text[j] = int32(math.Exp(r.Float64()*math.Log(words-1))) + 1
			if r.IntN(2) == 0 {
				text[j] = int32(1 + r.IntN(words-1))
			}
		}
		s.Texts, s.Labels = append(s.Texts, text), append(s.Labels, i%5)
	}
	return m, s
}

func BenchmarkGradient(b *testing.B) {
	m, s := news()
	short, few := draw(rand.New(rand.NewPCG(1, 2)), 500, 5, 64, 2, 10, false)
	b.Run("64x512/5 classes", func(b *testing.B) {
		e, to := New[float32](Options{}), make([]float32, len(m.Data))
		for b.Loop() {
			e.AddGradient(to, -1000, m, s)
		}
		b.ReportMetric(float64(len(e.counts.rows)), "words")
	})
	b.Run("64x10/2 classes", func(b *testing.B) {
		e, to := New[float64](Options{}), make([]float64, len(short.Data))
		b.ReportAllocs()
		for b.Loop() {
			e.AddGradient(to, -1000, short, few)
		}
	})
}

// TestAllocatesNothing once the memory of a sample is there.
func TestAllocatesNothing(t *testing.T) {
	for name, o := range map[string]Options{"words": {}, "bigrams": {Bigrams: true}, "without": {Without: []int32{1}}} {
		m, s := draw(rand.New(rand.NewPCG(1, 2)), 300, 5, 64, 3, 10, true)
		e, to := New[float64](o), make([]float64, len(m.Data))
		e.AddGradient(to, 1, m, s)
		if got := testing.AllocsPerRun(5, func() { e.AddGradient(to, 1, m, s) }); got > 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}
