package classifier

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/agepath/agepath/wmmd/corpus"
	"github.com/agepath/agepath/wmmd/internal/neural"
)

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 9)) }

// small are the sizes of layers in tests.
var small = sizes{first: 5, second: 4, channels: 3, hidden: 4}

// draw makes up texts whose class tells which half of the vocabulary most words are from.
func draw(n, length, vocabulary, classes int, r *rand.Rand) *corpus.Corpus {
	t := &corpus.Corpus{Length: length, Words: make([]string, vocabulary), Classes: make([]string, classes)}
	for range n {
		label := r.IntN(classes)
		for range length {
			word := r.IntN(vocabulary)
			if r.IntN(3) > 0 {
				word = (word/classes*classes + label) % vocabulary
			}
			t.Texts = append(t.Texts, int32(word))
		}
		t.Labels = append(t.Labels, label)
	}
	return t
}

// TestPyTorch compares steps of training of every model and penalty with PyTorch's.
func TestPyTorch(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/golden_torch.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Model, Penalty            string
			Weight                    float64
			Classes                   int
			Words                     []int32
			Labels                    []int
			Start                     [][]float64
			Losses, Penalties, Scores []float64
		}
	}
	if err := json.Unmarshal(content, &golden); err != nil {
		t.Fatal(err)
	}
	for _, g := range golden.Cases {
		s := Defaults()
		s.Model, s.Dim, s.Penalty = g.Model, 3, Penalty{Kind: g.Penalty, Weight: g.Weight}
		texts := &corpus.Corpus{Texts: g.Words, Labels: g.Labels, Length: 6, Words: make([]string, 12), Classes: make([]string, g.Classes)}
		c := build[float64](texts, s, small, stream(1))
		params := append(c.body.Params(), c.embedding.Param)
		if len(params) != len(g.Start) {
			t.Fatalf("%s: %d blocks of parameters, %d in the golden file", g.Model, len(params), len(g.Start))
		}
		for i, p := range params {
			if copy(p.Value, g.Start[i]) != len(p.Value) || len(p.Value) != len(g.Start[i]) {
				t.Fatalf("%s: block %d has %d parameters, not %d", g.Model, i, len(p.Value), len(g.Start[i]))
			}
		}
		all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
		agree := func(what string, i int, got, want float64) {
			if math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("%s with %s: %s %d is %v, PyTorch's %v", g.Model, g.Penalty, what, i, got, want)
			}
		}
		for step := range g.Losses {
			loss, penalty := c.step(texts, all, 0.1*(1-float64(step)/5))
			agree("loss", step, loss, g.Losses[step])
			agree("penalty", step, penalty, g.Penalties[step])
		}
		c.load(texts, all)
		for i, v := range c.forward(false) {
			agree("score", i, v, g.Scores[i])
		}
	}
}

// TestModelGradients compares the gradients of whole models with central differences.
func TestModelGradients(t *testing.T) {
	t.Parallel()
	for _, model := range Models() {
		for _, length := range []int{6, 1} { // shorter than the widest window, too
			for _, p := range []Penalty{{Kind: None}, {Kind: L1, Weight: 2}, {Kind: GroupLasso, Weight: 3}} {
				s := Defaults()
				s.Model, s.Dim, s.Penalty = model, 3, p
				r := stream(4)
				texts := draw(7, length, 12, 3, r)
				c := build[float64](texts, s, small, r)
				for i := range c.embedding.Value {
					c.embedding.Value[i] /= 10 // norms below 1: no gradient goes through scaling
				}
				checkModel(t, c, texts)
			}
		}
	}
}

func checkModel(t *testing.T, c *Classifier[float64], texts *corpus.Corpus) {
	t.Helper()
	all := []int{0, 1, 2, 3, 4, 5, 6}
	value := func() float64 {
		c.load(texts, all)
		loss := neural.CrossEntropy(slices.Clone(c.forward(true)), c.labels)
		e := *c.embedding
		shadow := *e.Param
		shadow.Slope = make([]float64, len(e.Value))
		e.Param = &shadow
		return loss + c.penalty.add(&e, c.words, c.labels)
	}
	params := append(c.body.Params(), c.embedding.Param)
	c.load(texts, all)
	scores := c.forward(true)
	neural.CrossEntropy(scores, c.labels)
	c.embedding.Backward(c.dropout.Backward(c.body.Backward(scores)))
	c.penalty.add(c.embedding, c.words, c.labels)
	for i, p := range params {
		for k, old := range p.Value {
			const h = 1e-6
			p.Value[k] = old + h
			above := value()
			p.Value[k] = old - h
			below := value()
			p.Value[k] = old
			if want := (above - below) / (2 * h); math.Abs(p.Slope[k]-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("%s with %s: parameter %d of block %d is %v, by differences %v",
					c.settings.Model, c.settings.Penalty.Kind, k, i, p.Slope[k], want)
			}
		}
	}
}

// train trains on half of made-up texts and returns epochs, accuracy on the other half and
// the embedding.
func train(t *testing.T, s Settings, seed uint64) ([]Epoch, float64, []float32) {
	t.Helper()
	r := stream(seed)
	texts, test := draw(60, 8, 30, 2, r), draw(100, 8, 30, 2, r)
	c := build[float32](texts, s, sizes{first: 20, second: 10, channels: 20, hidden: 24}, r)
	var epochs []Epoch
	if err := c.Train(context.Background(), texts, r, func(e Epoch) { epochs = append(epochs, e) }); err != nil {
		t.Fatal(err)
	}
	return epochs, c.Accuracy(test), c.Embedding().Data
}

// TestTraining: every model learns with every penalty, and has the same bits again.
func TestTraining(t *testing.T) {
	t.Parallel()
	for _, model := range Models() {
		for _, kind := range Penalties() {
			s := Defaults()
			s.Model, s.Epochs, s.Batch, s.Rate = model, 8, 16, 0.03
			s.Penalty = Penalty{Kind: kind, Weight: 0.3, Without: []int32{0, 1}}
			epochs, accuracy, rows := train(t, s, 3)
			if accuracy < 0.6 || len(epochs) != 8 {
				t.Errorf("%s with %s: accuracy %v after %d epochs", model, kind, accuracy, len(epochs))
			}
			if last := epochs[7]; !(last.Loss < epochs[0].Loss) || last.Penalty > 0 != (kind == L1 || kind == GroupLasso) {
				t.Errorf("%s with %s: the loss goes from %v to %v", model, kind, epochs[0], last)
			}
			again, accuracyAgain, rowsAgain := train(t, s, 3)
			if !slices.Equal(epochs, again) || accuracy != accuracyAgain || !slices.Equal(rows, rowsAgain) {
				t.Errorf("%s with %s: other numbers the second time", model, kind)
			}
		}
	}
}

// TestAccuracyChangesNothing: curves over epochs have no part in a training.
func TestAccuracyChangesNothing(t *testing.T) {
	t.Parallel()
	s := Defaults()
	s.Model, s.Epochs, s.Penalty = CNN, 3, Penalty{Kind: Dropout, Weight: 0.5}
	var rows [2][]float32
	for i := range rows {
		r := stream(8)
		texts, test := draw(30, 4, 40, 2, r), draw(30, 4, 40, 2, r)
		c, err := New[float32](texts, s, r)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Train(context.Background(), texts, r, func(Epoch) {
			if i == 0 {
				c.Accuracy(test)
			}
		}); err != nil {
			t.Fatal(err)
		}
		rows[i] = c.Embedding().Data
	}
	if !slices.Equal(rows[0], rows[1]) {
		t.Error("a look at the test part changes the training")
	}
}

func TestFrozen(t *testing.T) {
	t.Parallel()
	s := Defaults()
	s.Model, s.Epochs = Logistic, 3
	var rows [2][]float32
	for i, kind := range []string{Frozen, FineTuned} {
		s.Penalty.Kind = kind
		r := stream(8)
		texts := draw(200, 6, 30, 2, r)
		c, err := New[float32](texts, s, r)
		if err != nil {
			t.Fatal(err)
		}
		before := c.Embedding().Data
		if err := c.Train(context.Background(), texts, r, nil); err != nil {
			t.Fatal(err)
		}
		rows[i] = c.Embedding().Data
		if same := slices.EqualFunc(before, rows[i], func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }); same != (kind == Frozen) {
			t.Errorf("%s: the embedding stays: %v", kind, same)
		}
	}
}

// TestPretrain: words that have the same neighbours get near rows.
func TestPretrain(t *testing.T) {
	t.Parallel()
	texts := &corpus.Corpus{Length: 3, Words: make([]string, 9), Classes: make([]string, 2), Labels: make([]int, 40)}
	r := stream(5)
	for i := range texts.Labels { // two topics of four words; word 8 is nowhere
		topic := int32(i % 2 * 4)
		texts.Texts = append(texts.Texts, topic+r.Int32N(4), topic+r.Int32N(4), topic+r.Int32N(4))
	}
	e := neural.NewEmbedding[float64](9, 5, r)
	pretrain(e, texts, r)
	cosine := func(v, w int32) float64 {
		dot, a, b := 0.0, 0.0, 0.0
		for k, x := range e.Row(v)[:2] {
			y := e.Row(w)[k]
			dot, a, b = dot+x*y, a+x*x, b+y*y
		}
		return dot / math.Sqrt(a*b)
	}
	for v := range int32(8) {
		for w := range int32(8) {
			if c := cosine(v, w); v/4 == w/4 && c < 0.8 || v/4 != w/4 && math.Abs(c) > 0.5 {
				t.Errorf("words %d and %d have the cosine %v", v, w, c)
			}
		}
	}
	if !slices.Equal(e.Row(8), make([]float64, 5)) {
		t.Errorf("a word that does not occur has the row %v", e.Row(8))
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	s := Defaults()
	s.Model, s.Epochs, s.Penalty.Kind = Logistic, 5, L1
	texts := draw(60, 6, 30, 2, stream(2))
	got, err := Choose[float32](context.Background(), texts, s, []float64{1e6, 0.01, 0.01}, 5, func(fold int) *rand.Rand { return stream(uint64(fold)) })
	if err != nil {
		t.Fatal(err)
	}
	if got.Weight != 0.01 || got.Accuracies[1] != got.Accuracies[2] || !(got.Accuracies[1] > got.Accuracies[0]) {
		t.Errorf("chosen %+v", got)
	}
	if _, err := Choose[float32](context.Background(), texts.Select([]int{0, 1}), s, []float64{1}, 5, nil); !errors.Is(err, ErrTexts) {
		t.Errorf("five folds of two texts: %v", err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	good := Defaults()
	good.Model, good.Penalty.Kind = Logistic, None
	for name, test := range map[string]struct {
		change   func(s *Settings, t *corpus.Corpus)
		sentinel error
	}{
		"model":     {func(s *Settings, _ *corpus.Corpus) { s.Model = "svm" }, nil},
		"penalty":   {func(s *Settings, _ *corpus.Corpus) { s.Penalty.Kind = "l2" }, nil},
		"weight":    {func(s *Settings, _ *corpus.Corpus) { s.Penalty = Penalty{Kind: L1, Weight: -1} }, nil},
		"dropout":   {func(s *Settings, _ *corpus.Corpus) { s.Penalty = Penalty{Kind: Dropout, Weight: 1} }, nil},
		"rate":      {func(s *Settings, _ *corpus.Corpus) { s.Rate = math.NaN() }, nil},
		"epochs":    {func(s *Settings, _ *corpus.Corpus) { s.Epochs = 0 }, nil},
		"no texts":  {func(_ *Settings, t *corpus.Corpus) { *t = corpus.Corpus{Length: 1, Classes: make([]string, 2)} }, ErrTexts},
		"one class": {func(_ *Settings, t *corpus.Corpus) { t.Classes = t.Classes[:1] }, ErrTexts},
		"label":     {func(_ *Settings, t *corpus.Corpus) { t.Labels[0] = 2 }, ErrTexts},
		"word":      {func(_ *Settings, t *corpus.Corpus) { t.Texts[0] = 30 }, ErrTexts},
		"words":     {func(_ *Settings, t *corpus.Corpus) { t.Texts = t.Texts[1:] }, ErrTexts},
	} {
		s, texts := good, draw(5, 3, 30, 2, stream(1))
		test.change(&s, texts)
		if _, err := New[float32](texts, s, stream(1)); err == nil || test.sentinel != nil && !errors.Is(err, test.sentinel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The weight of a penalty can be too large for any step.
	s, texts := good, draw(40, 3, 30, 2, stream(1))
	s.Rate = 1e38
	c, err := New[float32](texts, s, stream(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Train(context.Background(), texts, stream(1), nil); !errors.Is(err, ErrDiverged) {
		t.Errorf("a rate of 1e38: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Train(ended, texts, stream(1), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// TestOneWord: a vocabulary of one word and words that were not trained on leave a guess.
func TestOneWord(t *testing.T) {
	t.Parallel()
	for _, model := range Models() {
		for _, kind := range Penalties() {
			s := Defaults()
			s.Model, s.Epochs, s.Penalty = model, 2, Penalty{Kind: kind, Weight: 0.5}
			texts := &corpus.Corpus{Texts: make([]int32, 40), Labels: []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, Length: 2, Words: make([]string, 2), Classes: make([]string, 2)}
			c := build[float32](texts, s, small, stream(3))
			if err := c.Train(context.Background(), texts, stream(3), nil); err != nil {
				t.Errorf("%s with %s: %v", model, kind, err)
			}
			if a := c.Accuracy(texts); a != 0.5 {
				t.Errorf("%s with %s: accuracy %v", model, kind, a)
			}
			for i := range texts.Texts {
				texts.Texts[i] = 1
			}
			if a := c.Accuracy(texts); a != 0.5 {
				t.Errorf("%s with %s: accuracy %v on an unknown word", model, kind, a)
			}
		}
	}
}

// TestTrainingAllocatesNothing in its steps, once memory is there.
func TestTrainingAllocatesNothing(t *testing.T) {
	for _, model := range Models() {
		for _, kind := range Penalties() {
			s := Defaults()
			s.Model, s.Penalty = model, Penalty{Kind: kind, Weight: 0.5}
			texts := draw(20, 8, 30, 2, stream(1))
			c := build[float32](texts, s, small, stream(1))
			batch := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
			if got := testing.AllocsPerRun(5, func() { c.step(texts, batch, 0.01) }); got > 0 {
				t.Errorf("%s with %s: %v allocations a step", model, kind, got)
			}
		}
	}
}

func BenchmarkTraining(b *testing.B) {
	for _, model := range Models() {
		for _, kind := range []string{None, WMMD} {
			b.Run(model+"/"+kind, func(b *testing.B) {
				s := Defaults()
				s.Model, s.Penalty = model, Penalty{Kind: kind, Weight: 1000}
				texts := draw(100, 10, 500, 2, stream(1))
				for b.Loop() {
					c, err := New[float32](texts, s, stream(1))
					if err != nil {
						b.Fatal(err)
					}
					if err := c.Train(context.Background(), texts, stream(1), nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
