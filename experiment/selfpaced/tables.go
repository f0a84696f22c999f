package selfpaced

import (
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/gaga"
)

// Tables returns the tables of the kind. Their columns' docs are the source of docs/results.md.
func Tables() experiment.Tables {
	return experiment.Tables{Labels: labelColumns, Measures: measureColumns, Further: furtherTables, Consistent: consistent}
}

var labelFields = experiment.Fields[*plannedCell]{
	{Name: "dataset", Type: experiment.Text, Value: func(c *plannedCell) any { return c.group.data.Name }, Doc: "name of the data set, as the grid or the catalog gives it"},
	{Name: "task", Type: experiment.Text, Value: func(c *plannedCell) any { return string(c.group.data.Task) }, Doc: "classification or regression"},
	{Name: "n_train", Type: experiment.Int, Value: func(c *plannedCell) any { return c.group.data.train }, Doc: "rows of the training part, without the validation part carved out of it and without poisoning points added to it"},
	{Name: "n_test", Type: experiment.Int, Value: func(c *plannedCell) any { return c.group.data.test }, Doc: "rows of the test part"},
	{Name: "n_features", Type: experiment.Int, Value: func(c *plannedCell) any { return c.group.data.D }, Doc: "features of a row, without intercept"},
	{Name: "protocol", Type: experiment.Text, Value: func(c *plannedCell) any { return string(c.Settings.Protocol) }, Doc: "held-out, paper or scripts: what is contaminated, and by which rows scaling is fitted"},
	{Name: "split_train", Type: experiment.Float, Value: func(c *plannedCell) any { return c.Settings.Split.Train }, Doc: "share of the rows for training, validation included, as parts: 3 of 3:1"},
	{Name: "split_test", Type: experiment.Float, Value: func(c *plannedCell) any { return c.Settings.Split.Test }, Doc: "share of the rows for testing, as parts: 1 of 3:1"},
	{Name: "split_validation", Type: experiment.Float, Value: func(c *plannedCell) any { return c.Settings.Split.Validation }, Doc: "fraction of the training share that is held out to choose the age, 0 for none"},
	{Name: "choice", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Choice.words(c.Settings.Split)) }, Doc: "rule by which the validation scores choose the age: best, one-standard-error or smoothed, then for regression the share of the largest errors that scores leave out, or auto, and the number of folds, as in smoothed, trimmed 0.5, 5 folds; null without folds and validation part"},
	{Name: "scale_features", Type: experiment.Text, Value: func(c *plannedCell) any { return string(c.Settings.Features) }, Doc: "how features are scaled: none, standard or minmax"},
	{Name: "scale_target", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(string(c.Settings.Target)) }, Doc: "how the target is scaled: none, standard or minmax; null for classification"},
	{Name: "model", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Model.Name) }, Doc: "lasso, elastic-net, ridge, svm, logistic or erm; methods with a model of their own are compared with this one; null for the constant, which is compared with all"},
	{Name: "kernel", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Model.Kernel) }, Doc: "linear or rbf; null for models without a kernel and methods that ignore it"},
	{Name: "kernel_gamma", Type: experiment.Float, Value: func(c *plannedCell) any { return experiment.NotZero(c.Model.KernelGamma) }, Doc: "width γ of the kernel exp(-γ ‖x - x'‖²); null without that kernel, and for the width scale, 1/(d var(X)), which each training part fixes anew"},
	{Name: "c", Type: experiment.Float, Value: func(c *plannedCell) any { return experiment.NotZero(c.Model.C) }, Doc: "weight C of the loss against the penalty ½‖w‖²; null for the other models of regression and methods that ignore it"},
	{Name: "alpha", Type: experiment.Float, Value: func(c *plannedCell) any { return experiment.NotZero(c.Model.Alpha) }, Doc: "weight α of the penalty: (1/2n) Σ v_i r_i² + α‖w‖₁ (lasso), (1/2n) Σ v_i r_i² + α(ρ‖w‖₁ + ½(1-ρ)‖w‖²) (elastic-net), Σ v_i r_i² + α‖w‖² (ridge); null for the models of classification, erm and methods that ignore it"},
	{Name: "l1_ratio", Type: experiment.Float, Value: func(c *plannedCell) any {
		return experiment.Known(c.Model.L1Ratio, c.Model.L1Ratio != 0 || c.Model.Name == ERM)
	}, Doc: "share ρ of ‖w‖₁ in the elastic net's penalty, or in that of erm, C Σ v_i L_i + ρ‖w‖₁ + ½(1-ρ)‖w‖²; null for the other models and methods that ignore it"},
	{Name: "loss", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Model.Loss.text()) }, Doc: "loss of erm: its name, or with parameters a JSON object of the name and them, as in {\"quantile\":{\"q\":0.5}}; null for the other models"},
	{Name: "constraint", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Model.Constraint.text()) }, Doc: "constraint of erm, told as the loss is, features by their indexes; null without one and for the other models"},
	{Name: "intercept", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.group.intercept()) }, Doc: "whether the model has an intercept, true or false; null for methods with a model of their own and the constant"},
	{Name: "regularizer", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Method.Regularizer.Name) }, Doc: "self-paced regularizer: hard, linear, polynomial, mixture or log; null for methods without one"},
	{Name: "regularizer_param", Type: experiment.Float, Value: func(c *plannedCell) any { return experiment.NotZero(c.Method.Regularizer.Param) }, Doc: "order t of polynomial, γ of mixture, a of log; null for the others"},
	{Name: "age_range", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Method.Age.words()) }, Doc: "given: by the grid, as age_min and age_max; auto: derived by the cell, as age_from and age_to; null for methods without ages"},
	{Name: "age_min", Type: experiment.Float, Value: func(c *plannedCell) any { return experiment.NotZero(c.Method.Age.Min) }, Doc: "first age λ of the path; null for methods without given ages"},
	{Name: "age_max", Type: experiment.Float, Value: func(c *plannedCell) any { return experiment.NotZero(c.Method.Age.Max) }, Doc: "last age λ of the path; null for methods without given ages"},
	{Name: "age_step", Type: experiment.Float, Value: func(c *plannedCell) any { return experiment.NotZero(c.Method.Age.Step) }, Doc: "distance between the ages of acs and acs-once; null for the others"},
	{Name: "age_direction", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Method.direction()) }, Doc: "up: the path begins at the smallest age; down: at the largest, at the plain fit; both: the knots of both paths; null for methods without these paths", Since: 11},
	{Name: "method", Type: experiment.Text, Value: func(c *plannedCell) any { return c.Method.Name }, Doc: "original, acs, mospl, gaga, huber-lasso, sparse-lts, mm, trimmed-loss, gce, forward, rlssvm, relssvm, robust-svm, acs-once, acs-share, spld, gnc or constant, or the name of a command"},
	{Name: "method_params", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Method.Settings.Text()) }, Doc: "settings of the method's own, as a JSON object in the order in which docs/grid.md lists them; null for methods without any"},
	{Name: "noise_kind", Type: experiment.Text, Value: func(c *plannedCell) any { return experiment.NotZero(c.Settings.Noise.Kind) }, Doc: "how the data was contaminated; null for clean cells"},
	{Name: "noise_level", Type: experiment.Float, Value: func(c *plannedCell) any { return c.Settings.Noise.Level }, Doc: "fraction the contamination was asked for, in [0, 1]; 0 for clean cells"},
	{Name: "repeat", Type: experiment.Int, Value: func(c *plannedCell) any { return c.Repeat }, Doc: "number of the repeat, from 1; cells of the same data set, noise and repeat share split and contamination"},
	{Name: "seed", Type: experiment.Int, Value: func(c *plannedCell) any { return c.Seed }, Doc: "seed of the cell's random streams, derived from the grid's seed and the repeat, in [0, 2^53)"},
}

var measureFields = slices.Concat(experiment.Fields[*scores]{
	{Name: "metric", Type: experiment.Text, Value: func(s *scores) any { return string(s.metric.Name) }, Doc: "what the scores measure: " + metric.List() + "; errors are of the scaled target"},
	{Name: "test_at_best_test", Type: experiment.Float, Value: func(s *scores) any { return s.testAt(s.bestTest) }, Doc: "best test score over the knots of the path at which a sample has weight: the choice of age looks at the test part, as in the paper"},
	{Name: "test_at_best_validation", Type: experiment.Float, Value: func(s *scores) any { return s.testAt(s.bestValidation) }, Doc: "test score at the age that the rule of choice takes by the validation scores, which is what a practitioner can do; null without a validation part"},
	{Name: "test_at_end", Type: experiment.Float, Value: func(s *scores) any { return s.testAt(s.last) }, Doc: "test score at the largest age asked for, or of the only knot; null where the path does not reach it and where every sample is discarded there"},
	{Name: "best_validation", Type: experiment.Float, Value: func(s *scores) any { return experiment.Known(s.valueOfChoice, s.bestValidation >= 0) }, Doc: "score on the (contaminated) validation part at age_of_best_validation as the rule of choice goes by it, for smoothed its mean over ages; select: best compares cells by it; null without a validation part"},
	{Name: "test_mae_at_best_test", Type: experiment.Float, Value: func(s *scores) any { return s.maeAt(s.bestTest) }, Doc: "mean absolute error on the test part at age_of_best_test; null for classification"},
	{Name: "test_mae_at_best_validation", Type: experiment.Float, Value: func(s *scores) any { return s.maeAt(s.bestValidation) }, Doc: "mean absolute error on the test part at age_of_best_validation; null for classification and without a validation part"},
	{Name: "test_mae_at_end", Type: experiment.Float, Value: func(s *scores) any { return s.maeAt(s.last) }, Doc: "mean absolute error on the test part at the largest age asked for, or of the only knot; null for classification and where test_at_end is"},
	{Name: "age_of_best_test", Type: experiment.Float, Value: func(s *scores) any { return s.ageAt(s.bestTest) }, Doc: "age λ of test_at_best_test, the smallest of equals; null for methods without ages"},
	{Name: "age_of_best_validation", Type: experiment.Float, Value: func(s *scores) any { return s.ageAt(s.bestValidation) }, Doc: "age λ of test_at_best_validation, the smallest of equals; null for methods without ages and without a validation part"},
	{Name: "age_from", Type: experiment.Float, Value: func(s *scores) any { return s.of.spanEnd(0) }, Doc: "first age λ that age: auto derived, the same for all methods of a setting; null for given ages"},
	{Name: "age_to", Type: experiment.Float, Value: func(s *scores) any { return s.of.spanEnd(1) }, Doc: "last age λ that age: auto derived; null for given ages"},
	{Name: "age_last_out", Type: experiment.Float, Value: func(s *scores) any { return experiment.Known(s.of.lastOut(), s.of.aged() && !s.of.outside) }, Doc: "largest age λ of a knot at which a training row is out, 0 if none is out at any; null for methods without ages and commands", Since: 11},
	{Name: "age_reached", Type: experiment.Float, Value: func(s *scores) any { return s.ageAt(len(s.of.Knots) - 1) }, Doc: "age λ of the last knot, short of the last age where the path stops early or ends in ages of one class only; null for methods without ages"},
	{Name: "knots", Type: experiment.Int, Value: func(s *scores) any { return len(s.of.Knots) }, Doc: "number of knots of the path; 1 for methods without ages, but of the constant for regression 2, the median and the mean"},
	{Name: "distinct_fits", Type: experiment.Int, Value: func(s *scores) any { return s.of.distinctFits() }, Doc: "number of knots whose coefficients differ from those of the knot before by more than 1e-6 of the largest, the first included: how many of the ages of acs give a model of their own; null for methods that locate critical points, methods without ages and commands that answer with predictions"},
	{Name: "turning_points", Type: experiment.Int, Value: func(s *scores) any { return experiment.Known(s.of.count(gaga.Turning), s.of.critical) }, Doc: "critical points at which the path bends; null for methods that do not locate them"},
	{Name: "jump_points", Type: experiment.Int, Value: func(s *scores) any { return experiment.Known(s.of.count(gaga.Jump), s.of.critical) }, Doc: "critical points at which the path jumps to another partial optimum; null for methods that do not locate them"},
	{Name: "restarts", Type: experiment.Int, Value: func(s *scores) any { return experiment.Known(s.of.restarts, s.of.critical) }, Doc: "how often the path was taken up again by alternate convex search, jumps included; null for methods that do not locate critical points"},
	{Name: "max_kkt", Type: experiment.Float, Value: func(s *scores) any { return experiment.Known(s.of.worst(), !s.of.outside) }, Doc: "largest violation of the optimality conditions over all knots, relative to the scale of the gradient's terms; for erm, huber-lasso and the linear robust-svm the relative duality gap; null for commands and the constant"},
	{Name: "path_status", Type: experiment.Text, Value: func(s *scores) any { return experiment.NotZero(s.of.status) }, Doc: "how the path ended: complete, or why it stopped early, and which ages it leaves out because only one class has weight there; null for methods without ages"},
	{Name: "target_scale", Type: experiment.Float, Value: func(s *scores) any { return notNaN(s.unit) }, Doc: "one unit of the scaled target in the target's own, by which reports multiply scores; null for classification", Since: 12},
	{Name: "validation_outliers", Type: experiment.Float, Value: func(s *scores) any { return notNaN(s.outliers[0]) }, Doc: "estimated share of the validation rows whose errors are far from the others' under the chosen model, 0 where one normal distribution explains them or two of a ratio of scales below 5; null for classification and without a validation part", Since: 12},
	{Name: "test_outliers", Type: experiment.Float, Value: func(s *scores) any { return notNaN(s.outliers[1]) }, Doc: "likewise of the test rows, but 0 for a ratio below 8, for a tail without a gap, and where the model explains less than a fifth of the variance of the other rows' targets; null for classification", Since: 12},
}, chosenFields())

// chosenFields has a column for each metric of the chosen model.
func chosenFields() (fields experiment.Fields[*scores]) {
	for i, m := range metric.All {
		unit := ""
		if m.InTarget {
			unit = ", in the target's own unit"
		}
		fields = append(fields, experiment.Field[*scores]{
			Name: m.Column(), Type: experiment.Float, Since: m.Since, Value: func(s *scores) any { return notNaN(s.chosen[i]) },
			Doc: fmt.Sprintf("%s%s; on the test part at age_of_best_validation, without a choice by validation at age_of_best_test; null for the other task", m.Doc, unit),
		})
	}
	for k, name := range metric.WithoutColumns() {
		fields = append(fields, experiment.Field[*scores]{
			Name: name, Type: experiment.Float, Since: 12, Value: func(s *scores) any { return notNaN(s.without[k]) },
			Doc: fmt.Sprintf("test_rmse of the scaled target without the largest %.0f %% of the errors; null for classification", 100*metric.Shares[k]),
		})
	}
	return fields
}

func notNaN(x float64) any { return experiment.Known(x, !math.IsNaN(x)) }

var knotFields = experiment.Fields[*scoredKnot]{
	{Name: "knot", Type: experiment.Int, Value: func(k *scoredKnot) any { return k.number }, Doc: "number of the knot from 0, in the order of the path; with both directions those of the path up come first"},
	{Name: "age", Type: experiment.Float, Value: func(k *scoredKnot) any { return k.ageAt(k.number) }, Doc: "age λ of the knot; null for methods without ages"},
	{Name: "direction", Type: experiment.Text, Value: func(k *scoredKnot) any { return experiment.Known(k.direction(), k.of.aged() && !k.of.outside) }, Doc: "whether the age grows (up) or falls (down) along the knot's path; null for methods without ages and commands", Since: 11},
	{Name: "event", Type: experiment.Text, Value: func(k *scoredKnot) any { return k.Kind.String() }, Doc: "start, turning, jump, grid (an age that was asked for) or end"},
	{Name: "detail", Type: experiment.Text, Value: func(k *scoredKnot) any { return experiment.NotZero(k.Detail) }, Doc: "what happened: the zones or coordinates that changed, or the reason of a restart; what the constant is; null when nothing did"},
	{Name: "index", Type: experiment.Int, Value: func(k *scoredKnot) any { return experiment.Known(k.Index, k.Index >= 0) }, Doc: "training row (after identical rows were merged) or coordinate the event is about; null when it is about none"},
	{Name: "objective", Type: experiment.Float, Value: func(k *scoredKnot) any { return experiment.Known(k.Objective, k.of.aged() && !k.of.outside) }, Doc: "implicit objective G_λ(θ) = R(θ) + Σ_i F_λ(l_i(θ)), F_λ(l) the integral of the weight from 0 to l; comparable at equal age only; null for methods without ages and commands"},
	{Name: "test_score", Type: experiment.Float, Value: func(k *scoredKnot) any { return k.testAt(k.scored) }, Doc: "score on the test part, see metric; null where every sample is discarded"},
	{Name: "validation_score", Type: experiment.Float, Value: func(k *scoredKnot) any { score, _ := k.validationAt(k.scored); return score }, Doc: "score on the (contaminated) validation part, with folds of the training part on all held-out rows together, without the errors that the choice trims, or with trimmed auto the scale of a mixture; null without both and where every sample is discarded"},
	{Name: "validation_error", Type: experiment.Float, Value: func(k *scoredKnot) any { _, deviation := k.validationAt(k.scored); return deviation }, Doc: "standard error of validation_score; null where that is"},
	{Name: "easy", Type: experiment.Int, Value: func(k *scoredKnot) any { return experiment.Known(k.Easy, !k.of.outside) }, Doc: "training rows with full zone: weight 1, or the decreasing branch of a regularizer without a plateau; of a support vector machine those at and beyond the margin too; null for commands and the constant"},
	{Name: "middle", Type: experiment.Int, Value: func(k *scoredKnot) any { return experiment.Known(k.Middle, !k.of.outside) }, Doc: "training rows in the intermediate zone of the mixture regularizer; null for commands and the constant"},
	{Name: "discarded", Type: experiment.Int, Value: func(k *scoredKnot) any { return experiment.Known(k.Discarded, !k.of.outside) }, Doc: "training rows beyond the age: weight 0, or the tail of log; null for commands and the constant"},
	{Name: "active", Type: experiment.Int, Value: func(k *scoredKnot) any { return experiment.Known(k.Active, !k.of.outside || k.of.linear) }, Doc: "coefficients other than 0, or support vectors of a support vector machine with the RBF kernel; null for commands that answer with predictions"},
	{Name: "kkt", Type: experiment.Float, Value: func(k *scoredKnot) any { return experiment.Known(k.KKT, !k.of.outside) }, Doc: "violation of the optimality conditions relative to the scale of the gradient's terms; null for commands and the constant"},
}

var coefficientFields = experiment.Fields[*scoredKnot]{
	{Name: "knot", Type: experiment.Int, Value: func(k *scoredKnot) any { return k.number }, Doc: "number of the knot, as in the table knots"},
	{Name: "values", Type: experiment.FloatList, Value: func(k *scoredKnot) any { return k.Theta }, Doc: "coefficients of the scaled features, or the multipliers α_i >= 0 of a support vector machine with the RBF kernel, one for each training row after identical ones were merged (the decision is Σ_i α_i y_i k(x_i, x) + b); of rlssvm and relssvm with a kernel the signed multipliers (Σ_i α_i k(x_i, x) + b); the last value is the intercept, 0 for models without one; empty for commands that answer with predictions"},
}

var (
	labelColumns   = labelFields.Columns()
	measureColumns = measureFields.Columns()

	furtherTables = []experiment.Table{
		{Name: "knots", Kept: true, Number: "knot", Count: "knots", Columns: knotFields.Further()},
		{Name: "coefficients", Number: "knot", Count: "knots", Columns: coefficientFields.Further()},
	}
)
