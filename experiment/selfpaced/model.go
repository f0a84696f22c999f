package selfpaced

import (
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

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

// ScaleGamma as a kernel width means 1/(d var(X)), with d features and the variance of all entries
// of the training part as the solver sees it; 1 if that is 0.
const ScaleGamma = 0.0

// DefaultL1Ratio is scikit-learn's default.
const DefaultL1Ratio = 0.5

// Model has zero for parameters that do not apply. Its JSON is part of the canonical form of a
// cell.
type Model struct {
	Name        string  `json:"name"`
	Alpha       float64 `json:"alpha,omitempty"`        // weight of the penalty, > 0 (Lasso, ElasticNet, Ridge)
	L1Ratio     float64 `json:"l1_ratio,omitempty"`     // share of ‖w‖₁ in the penalty, in (0, 1] (ElasticNet) or [0, 1) (ERM)
	C           float64 `json:"c,omitempty"`            // weight of the loss against the penalty, > 0 (SVM, Logistic, ERM)
	Kernel      string  `json:"kernel,omitempty"`       // Linear or RBF (SVM)
	KernelGamma float64 `json:"kernel_gamma,omitempty"` // of RBF, > 0 or ScaleGamma
	Intercept   bool    `json:"intercept"`
	Loss        Term    `json:"loss,omitzero"`       // of ERM
	Constraint  Term    `json:"constraint,omitzero"` // of ERM
}

// modelInfo declares a model: its keys in a grid, and those settings with a cell for each value.
type modelInfo struct {
	name     string
	task     dataset.Task // "" if its loss decides
	keys     []string
	settings []gridfile.SettingInfo // the strength of the penalty or loss first
}

func (m *modelInfo) Declaration() (string, []gridfile.SettingInfo) { return m.name, m.settings }

var (
	alphaSetting = gridfile.SettingInfo{Name: "alpha", Rule: gridfile.Positive, Needed: true, Example: "[0.1, 1]"}
	lossWeight   = gridfile.SettingInfo{Name: "c", Rule: gridfile.Positive, Needed: true, Example: "[0.1, 1]"}
)

// modelTable has the order of messages and documents.
var modelTable = []*modelInfo{
	{Lasso, dataset.Regression, []string{"alpha", "intercept"}, []gridfile.SettingInfo{alphaSetting}},
	{ElasticNet, dataset.Regression, []string{"alpha", "l1_ratio", "intercept"},
		[]gridfile.SettingInfo{alphaSetting, {Name: "l1_ratio", Rule: gridfile.Ratio, Standard: gridfile.Setting{Number: DefaultL1Ratio}}}},
	{Ridge, dataset.Regression, []string{"alpha", "intercept"}, []gridfile.SettingInfo{alphaSetting}},
	{SVM, dataset.Classification, []string{"c", "kernel", "kernel_gamma", "intercept"},
		[]gridfile.SettingInfo{lossWeight, {
			Name: "kernel_gamma", Rule: gridfile.Positive, Words: []string{scaleWord}, Standard: gridfile.Setting{Word: scaleWord},
		}}},
	{Logistic, dataset.Classification, []string{"c", "intercept"}, []gridfile.SettingInfo{lossWeight}},
	{ERM, "", []string{"loss", "c", "l1_ratio", "constraint", "intercept"},
		[]gridfile.SettingInfo{lossWeight, {Name: "l1_ratio", Rule: gridfile.ProperShare}}},
}

func modelsFor(task dataset.Task) []string {
	return gridfile.NamesOf(slices.DeleteFunc(slices.Clone(modelTable), func(m *modelInfo) bool { return m.task != "" && m.task != task }))
}

// Models is one entry of a grid's models: all combinations of its values.
type Models struct {
	gridfile.Entry
	Kernel           string
	Intercept        bool
	Loss, Constraint gridfile.Entry // of ERM; no constraint has the name ""
}

func (m *Models) task() dataset.Task {
	if loss := gridfile.Lookup(lossTable, m.Loss.Name); loss != nil {
		return loss.task
	}
	return gridfile.Lookup(modelTable, m.Name).task
}

func (m *Models) words() string {
	words := []string{m.Name, m.Kernel, m.Loss.Name, m.Constraint.Name}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}

func (m *Models) describe() string {
	if m.Loss.Name != "" {
		return m.Name + " with the loss " + m.Loss.Name
	}
	return m.Name
}

// model translates the width "scale".
func (m *Models) model(values, loss, constraint gridfile.Settings) Model {
	model := Model{Name: m.Name, Kernel: m.Kernel, Intercept: m.Intercept}
	for _, value := range values {
		switch value.Name {
		case "alpha":
			model.Alpha = value.Number
		case "c":
			model.C = value.Number
		case "l1_ratio":
			model.L1Ratio = value.Number
		case "kernel_gamma":
			model.KernelGamma = value.Number
		}
	}
	if m.Loss.Name != "" {
		model.Loss, model.Constraint = Term{m.Loss.Name, loss}, Term{m.Constraint.Name, constraint}
	}
	return model
}
