package classifier

import (
	"fmt"
	"math/rand/v2"

	"github.com/agepath/agepath/wmmd/internal/neural"
)

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
