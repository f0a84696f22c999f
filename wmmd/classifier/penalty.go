package classifier

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agepath/agepath/wmmd"
	"github.com/agepath/agepath/wmmd/internal/neural"
)

// The penalties. L1 adds the weight times the mean magnitude of the embedding's entries, GroupLasso
// the weight times the mean norm of its rows. WMMD, SWMMD and BiWMMD subtract the weight times
// wMMD² of each batch: of words, of words without some, and of pairs of neighbouring words. The
// weight of Dropout is the share of dropped entries of embedded texts. Frozen and FineTuned begin
// with vectors computed from the texts; frozen ones do not change.
const (
	None       = "none"
	L1         = "l1"
	Dropout    = "dropout"
	WMMD       = "wmmd"
	SWMMD      = "swmmd"
	BiWMMD     = "biwmmd"
	GroupLasso = "group-lasso"
	Frozen     = "frozen"
	FineTuned  = "fine-tuned"
)

// Penalties returns all penalties.
func Penalties() []string {
	return []string{None, L1, Dropout, WMMD, SWMMD, BiWMMD, GroupLasso, Frozen, FineTuned}
}

// Penalty is one of [Penalties].
type Penalty struct {
	Kind   string
	Weight float64
	// Without are the words that SWMMD leaves out.
	Without []int32
}

// Weighted reports whether a penalty has a weight.
func Weighted(kind string) bool { return kind != None && kind != Frozen && kind != FineTuned }

func (p Penalty) pretrains() bool { return p.Kind == Frozen || p.Kind == FineTuned }

func (p Penalty) check() error {
	switch {
	case !slices.Contains(Penalties(), p.Kind):
		return fmt.Errorf("penalty %q is not one of %q", p.Kind, Penalties())
	case p.Kind == Dropout && !(p.Weight >= 0 && p.Weight < 1):
		return fmt.Errorf("dropout must be >= 0 and < 1 (got %v)", p.Weight)
	case Weighted(p.Kind) && !(p.Weight >= 0 && !math.IsInf(p.Weight, 0)):
		return fmt.Errorf("the weight of %s must be >= 0 and finite (got %v)", p.Kind, p.Weight)
	}
	return nil
}

type penalty[T Float] struct {
	Penalty
	estimator *wmmd.Estimator[T]
	sample    wmmd.Sample
}

func newPenalty[T Float](p Penalty) *penalty[T] {
	q := &penalty[T]{Penalty: p}
	switch p.Kind {
	case WMMD:
		q.estimator = wmmd.New[T](wmmd.Options{})
	case SWMMD:
		q.estimator = wmmd.New[T](wmmd.Options{Without: p.Without})
	case BiWMMD:
		q.estimator = wmmd.New[T](wmmd.Options{Bigrams: true})
	}
	return q
}

func (p *penalty[T]) add(e *neural.Embedding[T], words []int32, labels []int) float64 {
	switch {
	case p.Weight == 0:
		return 0
	case p.estimator != nil:
		length := len(words) / len(labels)
		p.sample.Labels, p.sample.Texts = labels, p.sample.Texts[:0]
		for i := range labels {
			p.sample.Texts = append(p.sample.Texts, words[i*length:][:length])
		}
		m := wmmd.Embedding[T]{Data: e.Value, Dim: e.Dim}
		return -p.Weight * p.estimator.AddGradient(e.Slope, -p.Weight, m, p.sample)
	case p.Kind == L1:
		sum, by := 0.0, T(p.Weight/float64(len(e.Value)))
		for i, v := range e.Value {
			sum += math.Abs(float64(v))
			switch {
			case v > 0:
				e.Slope[i] += by
			case v < 0:
				e.Slope[i] -= by
			}
		}
		return p.Weight * sum / float64(len(e.Value))
	case p.Kind == GroupLasso:
		rows := len(e.Value) / e.Dim
		sum := 0.0
		for w := range rows {
			row, slope := e.Value[w*e.Dim:][:e.Dim], e.Slope[w*e.Dim:][:e.Dim]
			square := 0.0
			for _, v := range row {
				square += float64(v) * float64(v)
			}
			if square == 0 {
				continue // 0 is a subgradient
			}
			norm := math.Sqrt(square)
			sum += norm
			by := T(p.Weight / float64(rows) / norm)
			for k, v := range row {
				slope[k] += by * v
			}
		}
		return p.Weight * sum / float64(rows)
	}
	return 0
}

// The models. Logistic and MLP take the embedded words concatenated; CNN has convolutions of widths
// 3, 4 and 5; GRU and BiLSTM are recurrent. The last three take the maximum of each output over the
// positions, and ReLU.
const (
	Logistic = "logistic"
	MLP      = "mlp"
	CNN      = "cnn"
	GRU      = "gru"
	BiLSTM   = "bilstm"
)

// Models returns all models.
func Models() []string { return []string{Logistic, MLP, CNN, GRU, BiLSTM} }

type sizes struct {
	first, second int
	channels      int // of each width of the CNN
	hidden        int // of recurrent layers, each way
}

var published = sizes{first: 64, second: 32, channels: 100, hidden: 100}

func body[T Float](model string, positions, dim, classes int, s sizes, r *rand.Rand) neural.Layer[T] {
	type list = []neural.Layer[T]
	relu := func() neural.Layer[T] { return &neural.ReLU[T]{} }
	switch model {
	case Logistic:
		return neural.NewLinear[T](positions*dim, classes, r)
	case MLP:
		return neural.Chain[T]{
			neural.NewLinear[T](positions*dim, s.first, r), relu(),
			neural.NewLinear[T](s.first, s.second, r), relu(),
			neural.NewLinear[T](s.second, classes, r),
		}
	case CNN:
		var layers list
		for _, width := range []int{3, 4, 5} {
			layers = append(layers, neural.NewConvolution[T](positions, dim, width, s.channels, r))
		}
		widths := []int{s.channels, s.channels, s.channels}
		return neural.Chain[T]{
			neural.NewConcat(layers, widths), relu(), neural.NewLinear[T](3*s.channels, classes, r),
		}
	case GRU:
		return neural.Chain[T]{
			neural.NewGRU[T](positions, dim, s.hidden, r), neural.NewMaxPositions[T](positions, s.hidden),
			relu(), neural.NewLinear[T](s.hidden, classes, r),
		}
	case BiLSTM:
		var layers list
		for _, reverse := range []bool{false, true} {
			layers = append(layers, neural.Chain[T]{
				neural.NewLSTM[T](positions, dim, s.hidden, reverse, r), neural.NewMaxPositions[T](positions, s.hidden),
			})
		}
		return neural.Chain[T]{
			neural.NewConcat(layers, []int{s.hidden, s.hidden}), relu(), neural.NewLinear[T](2*s.hidden, classes, r),
		}
	}
	panic(fmt.Sprintf("classifier: model %q", model))
}
