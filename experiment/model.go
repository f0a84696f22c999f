package experiment

import (
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/dataset"
)

// Names of the models a cell can fit.
const (
	Lasso      = "lasso"
	ElasticNet = "elastic-net"
	Ridge      = "ridge"
	SVM        = "svm"
	Logistic   = "logistic"
	ERM        = "erm" // any loss of package rehline, with constraints
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
	Name        string  `json:"name"`                   // Lasso, ElasticNet, Ridge, SVM, Logistic or ERM
	Alpha       float64 `json:"alpha,omitempty"`        // weight of the penalty, > 0 (Lasso, ElasticNet, Ridge)
	L1Ratio     float64 `json:"l1_ratio,omitempty"`     // share of the penalty that is ‖w‖₁, in (0, 1] (ElasticNet) or [0, 1) (ERM)
	C           float64 `json:"c,omitempty"`            // weight of the loss against the penalty, > 0 (SVM, Logistic, ERM)
	Kernel      string  `json:"kernel,omitempty"`       // Linear or RBF (SVM)
	KernelGamma float64 `json:"kernel_gamma,omitempty"` // width of the RBF kernel, > 0, or ScaleGamma
	Intercept   bool    `json:"intercept"`              // whether a free intercept is fitted
	Loss        Term    `json:"loss,omitzero"`          // of ERM
	Constraint  Term    `json:"constraint,omitzero"`    // of ERM, zero for none
}

// modelTasks gives the task that each model is for, but for ERM, whose loss
// decides.
var modelTasks = map[string]dataset.Task{
	Lasso:      dataset.Regression,
	ElasticNet: dataset.Regression,
	Ridge:      dataset.Regression,
	SVM:        dataset.Classification,
	Logistic:   dataset.Classification,
}

// modelsFor returns the models for a task.
func modelsFor(task dataset.Task) []string {
	return slices.DeleteFunc(slices.Clone(modelNames), func(name string) bool { return name != ERM && modelTasks[name] != task })
}

// modelNames lists the models in the order messages and documents show them.
var modelNames = []string{Lasso, ElasticNet, Ridge, SVM, Logistic, ERM}

// Models is one entry of a grid's models: all combinations of its values.
type Models struct {
	Name      string
	Strengths []float64 // α for regression, C for classification
	Ratios    []float64 // shares of ‖w‖₁ in the elastic net's penalty
	Kernel    string
	Gammas    []float64 // widths of the RBF kernel
	Intercept bool

	Loss, Constraint               string  // of ERM; no constraint is ""
	LossChoices, ConstraintChoices choices // of their parameters

	place place
}

// task returns the task that the models are for.
func (m *Models) task() dataset.Task {
	if loss := lookupLoss(m.Loss); loss != nil {
		return loss.task
	}
	return modelTasks[m.Name]
}

// words names the models among others of a plan.
func (m *Models) words() string {
	words := slices.DeleteFunc([]string{m.Name, m.Kernel, m.Loss, m.Constraint}, func(word string) bool { return word == "" })
	return strings.Join(words, " ")
}

// name names the models in messages.
func (m *Models) name() string {
	if m.Loss != "" {
		return m.Name + " with the loss " + m.Loss
	}
	return m.Name
}

// Count returns the number of models of the entry.
func (m *Models) Count() int {
	return max(1, len(m.Strengths)) * max(1, len(m.Ratios)) * max(1, len(m.Gammas)) *
		m.LossChoices.count() * m.ConstraintChoices.count()
}

// At returns the i-th model; the kernel's width, the elastic net's ratio or
// the constraint's and the loss's parameters vary fastest.
func (m *Models) At(i int) Model {
	model := Model{Name: m.Name, Kernel: m.Kernel, Intercept: m.Intercept}
	if m.Loss != "" {
		n := m.ConstraintChoices.count()
		model.Constraint = Term{m.Constraint, m.ConstraintChoices.at(i % n)}
		i /= n
		n = m.LossChoices.count()
		model.Loss = Term{m.Loss, m.LossChoices.at(i % n)}
		i /= n
	}
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
	case m.Name != ERM && modelTasks[m.Name] == dataset.Regression:
		model.Alpha = m.Strengths[i]
	default:
		model.C = m.Strengths[i]
	}
	return model
}
