package selfpaced

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/layout"
)

// Rows are sorted by the dimensions in this order; the model's parameter varies fastest.
const (
	DimDataset layout.Dimension = iota
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
	DimChoice
	DimTrain
	DimAgeRange
	DimAgeMin
	DimAgeMax
	DimAgeStep
	DimDirection
	DimKernelGamma
	DimC
	DimAlpha
	DimL1Ratio
)

// dimensionInfos have the columns in the order of the dimensions.
func dimensionInfos() (list []layout.DimensionInfo) {
	plain := []string{"dataset", "model", "kernel", "loss", "constraint", "regularizer", "regularizer_param", "noise_kind", "noise_level", "protocol"}
	for _, column := range []string{
		"dataset", "model", "kernel", "loss", "constraint", "intercept", "regularizer", "regularizer_param", "noise_kind", "noise_level",
		"protocol", "split_train", "split_test", "split_validation", "scale_features", "scale_target", "choice", "n_train", "age_range",
		"age_min", "age_max", "age_step", "age_direction", "kernel_gamma", "c", "alpha", "l1_ratio",
	} {
		list = append(list, layout.DimensionInfo{Column: column, Named: !slices.Contains(plain, column)})
	}
	list[DimNoiseLevel].Zero = "clean"
	return list
}

// Layout defines how reports read the kind's results.
var Layout = &layout.Layout{
	Dimensions: dimensionInfos(),
	Aspects:    aspects,
	Complete: func(s *layout.Setting) { // null in the table
		if s[DimKernel].Text == RBF && s[DimKernelGamma].IsNull() {
			s[DimKernelGamma] = layout.Value{Text: scaleWord}
		}
	},
	Ignorable: []layout.Dimension{
		DimRegularizer, DimRegularizerParam, DimKernel, DimKernelGamma, DimC, DimAlpha, DimL1Ratio,
		DimAgeRange, DimAgeMin, DimAgeMax, DimAgeStep, DimDirection, DimIntercept,
	},
	Extents: []layout.Extent{{Dimension: DimTrain}, {Dimension: DimAgeMin, Least: true}, {Dimension: DimAgeMax}, {Dimension: DimAgeStep, Least: true}},
	Conditions: []layout.Dimension{
		DimIntercept, DimProtocol, DimSplitTrain, DimSplitTest, DimSplitValidation, DimScaleFeatures, DimScaleTarget,
		DimChoice, DimAgeRange, DimDirection,
	},
	Hyperparameters: []layout.Hyperparameter{
		{Dimension: DimRegularizerParam},
		{Dimension: DimKernelGamma, Across: families},
		{Dimension: DimC, Across: families},
		{Dimension: DimAlpha, Across: families},
		{Dimension: DimL1Ratio, Across: families},
	},
	Methods: []layout.Method{
		{Name: Original, Label: "Original", Style: 1, Reference: true},
		{Name: ACS, Label: "ACS", Style: 2},
		{Name: ACSOnce, Label: "ACS, one alternation"},
		{Name: ACSShare, Label: "ACS by shares"},
		{Name: MOSPL, Label: "MOSPL", Style: 3},
		{Name: GAGA, Label: "GAGA", Style: 4, Continuous: true},
		{Name: Graduated, Label: "GNC"},
		{Name: Diverse, Label: "SPLD"},
		{Name: HuberLasso, Label: "Huber Lasso", Style: 5},
		{Name: SparseLTS, Label: "Sparse LTS"},
		{Name: MM, Label: "MM-estimator"},
		{Name: TrimmedLoss, Label: "trimmed loss"},
		{Name: CrossEntropy, Label: "generalized cross entropy"},
		{Name: Forward, Label: "forward correction"},
		{Name: RLSSVM, Label: "RLSSVM", Style: 6},
		{Name: ReLSSVM, Label: "Re-LSSVM", Style: 7},
		{Name: RobustSVM, Label: "Robust SVM", Style: 8},
		{Name: Constant, Label: "constant"},
	},
	Floor: &layout.Floor{
		Method: Constant,
		Dimensions: []layout.Dimension{
			DimDataset, DimNoiseKind, DimNoiseLevel, DimProtocol, DimSplitTrain, DimSplitTest, DimSplitValidation,
			DimScaleFeatures, DimScaleTarget, DimChoice, DimTrain,
		},
	},
	Split:   [2]string{"split_test", "split_train"},
	Variant: []layout.Dimension{DimRegularizer, DimRegularizerParam},
	Step: layout.Step{Word: "age", Chosen: "age_of_best_validation", Oracle: "age_of_best_test", LastOut: "age_last_out", AllWords: "all in",
		Ends: [4]string{"age_min", "age_max", "age_from", "age_to"}, Practice: "Self-paced learning", Plain: "the plain fit"},
	Sensitivity: []layout.Axis{
		{Dimension: DimC, Word: "C", Label: "weight of the loss C"},
		{Dimension: DimAlpha, Word: "α", Label: "weight of the penalty α"},
		{Dimension: DimNoiseLevel, Word: "noise", Label: "noise level (fraction)", Kind: DimNoiseKind},
		{Dimension: DimChoice, Word: "the choice of the age", Label: "choice of the age"},
	},
	Path: &layout.Path{
		Label: "age λ", Curve: "Test score along the age", Within: DimRegularizer,
		Table: "knots", Number: "knot", Step: "age", Score: "test_score", Event: "event", Direction: "direction", Down: down, Counts: [3]string{"easy", "middle", "discarded"}, Share: "rows in (%)", Points: "knots", Fits: "distinct_fits",
		Steps: ACS, Spacing: DimAgeStep, Choice: DimChoice,
	},
	Certificate: "max_kkt",
	Own: &layout.Own{
		Figures: []string{FigurePath, FigureEvents, FigureConsistency},
	},
	WithoutValidation: "a grid with split.validation: 0, which protocol: paper has unless told otherwise, has no validation part",
}

// The kind's own figures.
const (
	FigurePath        = "path"        // coefficients against age
	FigureEvents      = "events"      // turning and jump points over age
	FigureConsistency = "consistency" // coefficients of gaga and acs
)

// families share the values of the model's parameters.
var families = []layout.Dimension{DimRegularizer, DimKernel}

var aspects = []layout.Aspect{
	layout.Plain("data set", DimDataset, false, nil),
	{Name: "model", Dimensions: []layout.Dimension{DimModel, DimKernel}, Text: ModelText},
	{Name: "loss", Dimensions: []layout.Dimension{DimLoss}, Text: func(s layout.Setting) string { return termText(s[DimLoss]) }},
	{Name: "constraint", Dimensions: []layout.Dimension{DimConstraint}, Text: constraintText},
	{Name: "intercept", Dimensions: []layout.Dimension{DimIntercept}, Text: func(s layout.Setting) string {
		return map[string]string{"true": "with intercept", "false": "no intercept"}[s[DimIntercept].Text]
	}},
	{Name: "regularizer", Dimensions: []layout.Dimension{DimRegularizer, DimRegularizerParam}, Text: regularizerText, Words: layout.Around("", " regularizer")},
	{Name: "noise", Dimensions: []layout.Dimension{DimNoiseKind, DimNoiseLevel}, Text: noiseText, Words: noiseWords},
	layout.Plain("protocol", DimProtocol, false, layout.Around("protocol ", "")),
	{Name: "split", Dimensions: []layout.Dimension{DimSplitTrain, DimSplitTest, DimSplitValidation}, Text: func(s layout.Setting) string {
		return listed(unlessNull("%s for training", s[DimSplitTrain]), unlessNull("%s for testing", s[DimSplitTest]), unlessNull("validation %s", s[DimSplitValidation]))
	}, Words: layout.Around("split ", "")},
	{Name: "scale", Dimensions: []layout.Dimension{DimScaleFeatures, DimScaleTarget}, Text: func(s layout.Setting) string {
		return listed(unlessNull("features %s", s[DimScaleFeatures]), unlessNull("target %s", s[DimScaleTarget]))
	}, Words: layout.Around("scale ", "")},
	layout.Plain("choice of the age", DimChoice, false, layout.Around("age by ", "")),
	layout.Plain("training rows", DimTrain, true, layout.Around("", " training rows")),
	{Name: "ages", Dimensions: []layout.Dimension{DimAgeRange, DimAgeMin, DimAgeMax}, Numeric: true, Text: agesText, Words: layout.Around("ages ", "")},
	layout.Plain("direction of the path", DimDirection, false, layout.Around("direction of the path: ", "")),
	layout.Plain("ACS step", DimAgeStep, true, layout.Around("ACS step ", "")),
	layout.Plain("kernel γ", DimKernelGamma, true, layout.Around("kernel γ=", "")),
	layout.Plain("C", DimC, true, layout.Around("C=", "")),
	layout.Plain("α", DimAlpha, true, layout.Around("α=", "")),
	layout.Plain("L1 ratio", DimL1Ratio, true, layout.Around("L1 ratio=", "")),
}

var modelWords = map[string]string{"lasso": "Lasso", "elastic-net": "elastic net", "ridge": "ridge regression", "svm": "SVM", "logistic": "logistic regression", "erm": "empirical risk"}

// ModelText returns the words of model and kernel.
func ModelText(s layout.Setting) string {
	name := s[DimModel].String()
	name = cmp.Or(modelWords[name], name)
	switch kernel := s[DimKernel].String(); kernel {
	case "":
		return name
	case "rbf":
		return name + ", RBF kernel"
	default:
		return name + ", " + kernel + " kernel"
	}
}

func constraintText(s layout.Setting) string {
	if s[DimLoss].IsNull() {
		return ""
	}
	return cmp.Or(termText(s[DimConstraint]), "no constraint")
}

// termText writes JSON as the grid's words.
func termText(v layout.Value) string {
	return strings.Join(strings.Fields(termReplacer.Replace(v.Text)), " ")
}

var termReplacer = strings.NewReplacer("{", " ", "}", " ", `"`, "", ":", " ", ",", ", ")

func unlessNull(format string, v layout.Value) string {
	if v.IsNull() {
		return ""
	}
	return fmt.Sprintf(format, v)
}

func listed(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

func agesText(s layout.Setting) string {
	switch lo, hi := s[DimAgeMin].String(), s[DimAgeMax].String(); {
	case lo == "" && hi == "":
		return s[DimAgeRange].String()
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

func regularizerText(s layout.Setting) string {
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

func noiseText(s layout.Setting) string {
	level := s[DimNoiseLevel]
	if level.IsNull() || level.Number == 0 {
		return "none"
	}
	return strings.TrimSpace(s[DimNoiseKind].String() + " " + level.String())
}

func noiseWords(text string) string {
	if text == "none" {
		return "no noise"
	}
	return "noise: " + text
}
