package experiment

import (
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
)

// Names of the models a cell can fit.
const (
	Lasso    = "lasso"
	SVM      = "svm"
	Logistic = "logistic"
)

// Kernels of the support vector machine.
const (
	Linear = "linear" // also the name of a self-paced regularizer
	RBF    = "rbf"    // exp(-γ ‖x - x'‖²)
)

// ScaleGamma as a kernel width stands for 1/(d var(X)), with d features and
// the variance of all entries of the training part as the solver sees it.
const ScaleGamma = 0.0

// Model is a model with its parameters. Parameters that it does not have are
// zero. Its JSON is part of the canonical form of a cell.
type Model struct {
	Name        string  `json:"name"`                   // Lasso, SVM or Logistic
	Alpha       float64 `json:"alpha,omitempty"`        // weight of the Lasso's penalty, > 0
	C           float64 `json:"c,omitempty"`            // weight of the loss against the penalty, > 0 (SVM, Logistic)
	Kernel      string  `json:"kernel,omitempty"`       // Linear or RBF (SVM)
	KernelGamma float64 `json:"kernel_gamma,omitempty"` // width of the RBF kernel, > 0, or ScaleGamma
	Intercept   bool    `json:"intercept"`              // whether a free intercept is fitted
}

// modelTasks gives the task that each model is for.
var modelTasks = map[string]dataset.Task{
	Lasso:    dataset.Regression,
	SVM:      dataset.Classification,
	Logistic: dataset.Classification,
}

// modelsFor returns the models for a task.
func modelsFor(task dataset.Task) []string {
	return slices.DeleteFunc(slices.Clone(modelNames), func(name string) bool { return modelTasks[name] != task })
}

// modelNames lists the models in the order messages and documents show them.
var modelNames = []string{Lasso, SVM, Logistic}

// Models is one entry of a grid's models: all combinations of its values.
type Models struct {
	Name      string
	Strengths []float64 // α of the Lasso, C of the others
	Kernel    string
	Gammas    []float64 // widths of the RBF kernel
	Intercept bool

	place place
}

// Count returns the number of models of the entry.
func (m *Models) Count() int { return len(m.Strengths) * max(1, len(m.Gammas)) }

// At returns the i-th model; the kernel's width varies fastest.
func (m *Models) At(i int) Model {
	model := Model{Name: m.Name, Kernel: m.Kernel, Intercept: m.Intercept}
	if n := len(m.Gammas); n > 0 {
		model.KernelGamma = m.Gammas[i%n]
		i /= n
	}
	if m.Name == Lasso {
		model.Alpha = m.Strengths[i]
	} else {
		model.C = m.Strengths[i]
	}
	return model
}
