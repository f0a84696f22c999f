package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/internal/prose"
)

// Dimension is one column of the cells table that a grid varies, other than
// the method and the repeat.
type Dimension int

// The dimensions in the order rows are sorted by; the parameter of the model
// varies fastest.
const (
	DimDataset Dimension = iota
	DimModel
	DimKernel
	DimLoss
	DimConstraint
	DimIntercept
	DimRegularizer
	DimRegularizerParam
	DimNoiseKind
	DimNoiseLevel
	DimProtocol
	DimSplitTrain
	DimSplitTest
	DimSplitValidation
	DimScaleFeatures
	DimScaleTarget
	DimTrain
	DimAgeMin
	DimAgeMax
	DimAgeStep
	DimKernelGamma
	DimC
	DimAlpha
	DimL1Ratio
	dimensions // how many there are
)

// DimensionColumns are the columns of the cells table that hold the
// dimensions.
var DimensionColumns = [dimensions]string{
	DimDataset:          "dataset",
	DimModel:            "model",
	DimKernel:           "kernel",
	DimLoss:             "loss",
	DimConstraint:       "constraint",
	DimIntercept:        "intercept",
	DimRegularizer:      "regularizer",
	DimRegularizerParam: "regularizer_param",
	DimNoiseKind:        "noise_kind",
	DimNoiseLevel:       "noise_level",
	DimProtocol:         "protocol",
	DimSplitTrain:       "split_train",
	DimSplitTest:        "split_test",
	DimSplitValidation:  "split_validation",
	DimScaleFeatures:    "scale_features",
	DimScaleTarget:      "scale_target",
	DimTrain:            "n_train",
	DimAgeMin:           "age_min",
	DimAgeMax:           "age_max",
	DimAgeStep:          "age_step",
	DimKernelGamma:      "kernel_gamma",
	DimC:                "c",
	DimAlpha:            "alpha",
	DimL1Ratio:          "l1_ratio",
}

// String returns the dimension's column.
func (d Dimension) String() string { return DimensionColumns[d] }

// Value is the value of a dimension: a text, a number, or neither where the
// dimension does not apply (the zero Value).
type Value struct {
	Text     string
	Number   float64
	IsNumber bool
}

// IsNull reports whether the dimension does not apply.
func (v Value) IsNull() bool { return v == Value{} }

// String returns the value as a grid file would write it, "" for null.
func (v Value) String() string {
	if v.IsNumber {
		return prose.Short(v.Number)
	}
	return v.Text
}

// compareValues orders null before numbers before texts.
func compareValues(a, b Value) int {
	rank := func(v Value) int {
		switch {
		case v.IsNumber:
			return 1
		case v.Text != "":
			return 2
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(a.Number, b.Number),
		cmp.Compare(a.Text, b.Text),
	)
}

// Setting is what a row of a table stands for: a value of every dimension. It
// is comparable.
type Setting [dimensions]Value

// Fields returns the values as texts, in the order of [DimensionColumns].
func (s Setting) Fields() []string {
	fields := make([]string, len(s))
	for d, value := range s {
		fields[d] = value.String()
	}
	return fields
}

// Compare orders settings dimension by dimension.
func (s Setting) Compare(other Setting) int {
	for d := range s {
		if c := compareValues(s[d], other[d]); c != 0 {
			return c
		}
	}
	return 0
}

// Without returns the setting with the given dimensions set to null.
func (s Setting) Without(ds ...Dimension) Setting {
	for _, d := range ds {
		s[d] = Value{}
	}
	return s
}

// Aspect is one column that readers see: one or two dimensions that belong
// together, with the words for them.
type Aspect struct {
	Name       string // in captions and heads
	Dimensions []Dimension
	Numeric    bool // aligned right
	Text       func(Setting) string
}

// Aspects are all of them, in the order of a table's columns.
var Aspects = []Aspect{
	{"data set", []Dimension{DimDataset}, false, func(s Setting) string { return s[DimDataset].String() }},
	{"model", []Dimension{DimModel, DimKernel}, false, ModelText},
	{"loss", []Dimension{DimLoss}, false, func(s Setting) string { return termText(s[DimLoss]) }},
	{"constraint", []Dimension{DimConstraint}, false, constraintText},
	{"intercept", []Dimension{DimIntercept}, false, interceptText},
	{"regularizer", []Dimension{DimRegularizer, DimRegularizerParam}, false, regularizerText},
	{"noise", []Dimension{DimNoiseKind, DimNoiseLevel}, false, noiseText},
	{"protocol", []Dimension{DimProtocol}, false, func(s Setting) string { return s[DimProtocol].String() }},
	{"split", []Dimension{DimSplitTrain, DimSplitTest, DimSplitValidation}, false, splitText},
	{"scale", []Dimension{DimScaleFeatures, DimScaleTarget}, false, scaleText},
	{"training rows", []Dimension{DimTrain}, true, func(s Setting) string { return s[DimTrain].String() }},
	{"ages", []Dimension{DimAgeMin, DimAgeMax}, true, agesText},
	{"ACS step", []Dimension{DimAgeStep}, true, func(s Setting) string { return s[DimAgeStep].String() }},
	{"kernel γ", []Dimension{DimKernelGamma}, true, func(s Setting) string { return s[DimKernelGamma].String() }},
	{"C", []Dimension{DimC}, true, func(s Setting) string { return s[DimC].String() }},
	{"α", []Dimension{DimAlpha}, true, func(s Setting) string { return s[DimAlpha].String() }},
	{"L1 ratio", []Dimension{DimL1Ratio}, true, func(s Setting) string { return s[DimL1Ratio].String() }},
}

var modelWords = map[string]string{"lasso": "Lasso", "elastic-net": "elastic net", "ridge": "ridge regression", "svm": "SVM", "logistic": "logistic regression", "erm": "empirical risk"}

// ModelText names the model and the kernel.
func ModelText(s Setting) string {
	name := s[DimModel].String()
	if word, ok := modelWords[name]; ok {
		name = word
	}
	switch kernel := s[DimKernel].String(); kernel {
	case "":
		return name
	case "rbf":
		return name + ", RBF kernel"
	default:
		return name + ", " + kernel + " kernel"
	}
}

// constraintText writes the constraint of a model that can have one.
func constraintText(s Setting) string {
	if s[DimLoss].IsNull() {
		return ""
	}
	return cmp.Or(termText(s[DimConstraint]), "no constraint")
}

// termText writes a loss or a constraint of the model erm for readers: JSON as
// the grid's words.
func termText(v Value) string {
	return strings.Join(strings.Fields(termReplacer.Replace(v.Text)), " ")
}

var termReplacer = strings.NewReplacer("{", " ", "}", " ", `"`, "", ":", " ", ",", ", ")

func interceptText(s Setting) string {
	switch s[DimIntercept].Text {
	case "true":
		return "with intercept"
	case "false":
		return "no intercept"
	}
	return ""
}

// splitText writes what is known of a split of runs that have several.
func splitText(s Setting) string {
	var parts []string
	if train := s[DimSplitTrain]; !train.IsNull() {
		parts = append(parts, train.String()+" for training")
	}
	if test := s[DimSplitTest]; !test.IsNull() {
		parts = append(parts, test.String()+" for testing")
	}
	if validation := s[DimSplitValidation]; !validation.IsNull() {
		parts = append(parts, "validation "+validation.String())
	}
	return strings.Join(parts, ", ")
}

func scaleText(s Setting) string {
	var parts []string
	if features := s[DimScaleFeatures]; !features.IsNull() {
		parts = append(parts, "features "+features.String())
	}
	if target := s[DimScaleTarget]; !target.IsNull() {
		parts = append(parts, "target "+target.String())
	}
	return strings.Join(parts, ", ")
}

// agesText writes the interval of ages of runs that have several.
func agesText(s Setting) string {
	switch lo, hi := s[DimAgeMin].String(), s[DimAgeMax].String(); {
	case lo == "" && hi == "":
		return ""
	case lo == "":
		return "up to " + hi
	case hi == "":
		return "from " + lo
	default:
		return lo + " to " + hi
	}
}

var regularizerWords = map[string]struct{ name, parameter string }{
	"log":        {"LOG", "a"},
	"mixture":    {"mixture", "γ"},
	"polynomial": {"polynomial", "t"},
}

func regularizerText(s Setting) string {
	name := s[DimRegularizer].String()
	word, ok := regularizerWords[name]
	if !ok {
		word.name, word.parameter = name, "parameter"
	}
	if s[DimRegularizerParam].IsNull() {
		return word.name
	}
	return word.name + " " + word.parameter + "=" + s[DimRegularizerParam].String()
}

func noiseText(s Setting) string {
	level := s[DimNoiseLevel]
	if level.IsNull() || level.Number == 0 {
		return "none"
	}
	return strings.TrimSpace(s[DimNoiseKind].String() + " " + level.String())
}

// Describe says what holds for a figure, without the given dimensions.
func Describe(s Setting, free ...Dimension) string {
	shown := s.Without(free...)
	var parts []string
	for _, a := range Aspects {
		if slices.ContainsFunc(a.Dimensions, func(d Dimension) bool { return slices.Contains(free, d) }) {
			continue
		}
		text := a.Text(shown)
		if text == "" {
			continue
		}
		switch a.Name {
		case "regularizer":
			text += " regularizer"
		case "noise":
			if text == "none" {
				text = "no noise"
			} else {
				text = "noise: " + text
			}
		case "training rows":
			text += " training rows"
		case "ages", "protocol", "split", "scale", "ACS step":
			text = a.Name + " " + text
		case "kernel γ", "C", "α", "L1 ratio":
			text = a.Name + "=" + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
