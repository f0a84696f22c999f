package experiment

import "encoding/json"

// FittedFormat is the version of [FittedModel]'s JSON.
const FittedFormat = 1

// FittedModel is the model of a cell at its chosen age, in the units of the data: the prediction for
// a row x is Intercept + Σ_j Coefficients_j x_j, or with a kernel Intercept + its sum. For classes the
// prediction is +1 where that is >= 0, else -1.
type FittedModel struct {
	FittedFrom

	Task     string   `json:"task"`
	Classes  []any    `json:"classes,omitempty"` // labels of negative and other values; by default -1 and 1
	Age      *float64 `json:"age"`               // null for methods without ages
	ChosenBy string   `json:"chosen_by"`         // validation, test (without a validation part) or none (without ages)
	Metric   string   `json:"metric"`
	Test     float64  `json:"test_score"` // of the scaled target

	Features     []string      `json:"features"`
	Medians      []float64     `json:"medians,omitempty"` // replace missing values of each feature
	Coefficients []float64     `json:"coefficients"`      // null with a kernel
	Intercept    float64       `json:"intercept"`
	Kernel       *FittedKernel `json:"kernel,omitempty"`
	TargetShift  float64       `json:"target_shift"` // of scores: (y - shift)/scale
	TargetScale  float64       `json:"target_scale"`

	Train          FittedRows `json:"train"`
	ValidationRows []int      `json:"validation_rows"`
	TestRows       []int      `json:"test_rows"`
}

// FittedFrom says where a model is from.
type FittedFrom struct {
	Format   int             `json:"format"`
	Run      string          `json:"run"`
	Cell     string          `json:"cell"`
	Spec     json.RawMessage `json:"spec"` // canonical form of the cell: digest of the data, settings, seed
	Dataset  string          `json:"dataset"`
	Method   string          `json:"method"`
	Repeats  []string        `json:"repeats"`  // cells of the same choice on other splits, this one among them
	Version  string          `json:"version"`  // of agepath, here
	Platform string          `json:"platform"` // likewise
}

// FittedKernel is Σ_i Coefficients_i exp(-Σ_j Gamma_j (x_j - Support_ij)²).
type FittedKernel struct {
	Name         string      `json:"name"` // rbf
	Gamma        []float64   `json:"gamma"`
	Support      [][]float64 `json:"support"`
	Coefficients []float64   `json:"coefficients"`
}

// FittedRows are the training rows, equal ones as one.
type FittedRows struct {
	Row    []int     `json:"row"`    // of the data from 0, those left out for missing values among them; the first of equal ones; -1 for a poisoning point
	Count  []int     `json:"count"`  // equal rows
	Weight []float64 `json:"weight"` // in the fit, in [0, 1]; 0 is out; null for commands
	Loss   []float64 `json:"loss"`   // as the age bounds it; null without a loss
	Noisy  []bool    `json:"noisy"`  // the grid's noise changed or added it
}
