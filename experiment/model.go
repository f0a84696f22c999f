package experiment

import (
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
)

// Names of the models a cell can fit.
const (
	Lasso      = "lasso"
	ElasticNet = "elastic-net"
	Ridge      = "ridge"
	SVM        = "svm"
	Logistic   = "logistic"
)

// Kernels of the support vector machine.
const (
	Linear = "linear" // also the name of a self-paced regularizer
	RBF    = "rbf"    // exp(-γ ‖x - x'‖²)
)

// ScaleGamma as a kernel width stands for 1/(d var(X)), with d features and
// the variance of all entries of the training part as the solver sees it.
const ScaleGamma = 0.0

// DefaultL1Ratio is the elastic net's ratio where the grid gives none, as in
// scikit-learn.
const DefaultL1Ratio = 0.5

// Model is a model with its parameters. Parameters that it does not have are
// zero. Its JSON is part of the canonical form of a cell.
type Model struct {
	Name        string  `json:"name"`                   // Lasso, ElasticNet, Ridge, SVM or Logistic
	Alpha       float64 `json:"alpha,omitempty"`        // weight of the penalty, > 0 (Lasso, ElasticNet, Ridge)
	L1Ratio     float64 `json:"l1_ratio,omitempty"`     // share of the penalty that is ‖w‖₁, in (0, 1] (ElasticNet)
	C           float64 `json:"c,omitempty"`            // weight of the loss against the penalty, > 0 (SVM, Logistic)
	Kernel      string  `json:"kernel,omitempty"`       // Linear or RBF (SVM)
	KernelGamma float64 `json:"kernel_gamma,omitempty"` // width of the RBF kernel, > 0, or ScaleGamma
	Intercept   bool    `json:"intercept"`              // whether a free intercept is fitted
}

// modelTasks gives the task that each model is for.
var modelTasks = map[string]dataset.Task{
	Lasso:      dataset.Regression,
	ElasticNet: dataset.Regression,
	Ridge:      dataset.Regression,
	SVM:        dataset.Classification,
	Logistic:   dataset.Classification,
}

// modelsFor returns the models for a task.
func modelsFor(task dataset.Task) []string {
	return slices.DeleteFunc(slices.Clone(modelNames), func(name string) bool { return modelTasks[name] != task })
}

// modelNames lists the models in the order messages and documents show them.
var modelNames = []string{Lasso, ElasticNet, Ridge, SVM, Logistic}

// Models is one entry of a grid's models: all combinations of its values.
type Models struct {
	Name      string
	Strengths []float64 // α for regression, C for classification
	Ratios    []float64 // shares of ‖w‖₁ in the elastic net's penalty
	Kernel    string
	Gammas    []float64 // widths of the RBF kernel
	Intercept bool

	place place
}

// Count returns the number of models of the entry.
func (m *Models) Count() int {
	return max(1, len(m.Strengths)) * max(1, len(m.Ratios)) * max(1, len(m.Gammas))
}

// At returns the i-th model; the kernel's width or the elastic net's ratio
// varies fastest.
func (m *Models) At(i int) Model {
	model := Model{Name: m.Name, Kernel: m.Kernel, Intercept: m.Intercept}
	if n := len(m.Gammas); n > 0 {
		model.KernelGamma = m.Gammas[i%n]
		i /= n
	}
	if n := len(m.Ratios); n > 0 {
		model.L1Ratio = m.Ratios[i%n]
		i /= n
	}
	switch {
	case len(m.Strengths) == 0: // the method ignores it
	case modelTasks[m.Name] == dataset.Regression:
		model.Alpha = m.Strengths[i]
	default:
		model.C = m.Strengths[i]
	}
	return model
}
