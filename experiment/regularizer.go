package experiment

// Names of the self-paced regularizers; Linear is one of them.
const (
	Hard       = "hard"
	Polynomial = "polynomial"
	Mixture    = "mixture"
	LOG        = "log"
)

// Regularizer is a self-paced regularizer with its parameter. The zero value
// stands for none. Its JSON is part of the canonical form of a cell.
type Regularizer struct {
	Name  string  `json:"name"`
	Param float64 `json:"param,omitempty"` // order t of Polynomial, γ of Mixture, a of LOG, else 0
}

// regularizerParameters gives the name in a grid file and the rule of the
// parameter of each regularizer that has one.
var regularizerParameters = map[string]struct {
	key  string
	rule rule
}{
	Polynomial: {"order", aboveOne},
	Mixture:    {"gamma", positive},
	LOG:        {"a", positive},
}

// regularizerNames lists the regularizers in the order messages and documents
// show them.
var regularizerNames = []string{Hard, Linear, Polynomial, Mixture, LOG}

// Regularizers is one entry of a grid's regularizers: one for each value of
// its parameter.
type Regularizers struct {
	Name   string
	Params []float64 // nil for Hard and Linear, which have none

	place place
}

// Count returns the number of regularizers of the entry.
func (r *Regularizers) Count() int { return max(1, len(r.Params)) }

// At returns the i-th regularizer.
func (r *Regularizers) At(i int) Regularizer {
	if r.Params == nil {
		return Regularizer{Name: r.Name}
	}
	return Regularizer{Name: r.Name, Param: r.Params[i]}
}
