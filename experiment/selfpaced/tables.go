package selfpaced

import "github.com/agepath/agepath/experiment"

// Tables returns the tables of the kind. Their columns' docs are the source of docs/results.md.
func Tables() experiment.Tables {
	return experiment.Tables{Labels: labelColumns, Measures: measureColumns, Further: furtherTables, Consistent: consistent}
}

var labelColumns = []experiment.Column{
	{Name: "dataset", Type: experiment.Text, Doc: "name of the data set, as the grid or the catalog gives it"},
	{Name: "task", Type: experiment.Text, Doc: "classification or regression"},
	{Name: "n_train", Type: experiment.Int, Doc: "rows of the training part, without the validation part carved out of it and without poisoning points added to it"},
	{Name: "n_test", Type: experiment.Int, Doc: "rows of the test part"},
	{Name: "n_features", Type: experiment.Int, Doc: "features of a row, without intercept"},
	{Name: "protocol", Type: experiment.Text, Doc: "held-out, paper or scripts: what is contaminated, and by which rows scaling is fitted"},
	{Name: "split_train", Type: experiment.Float, Doc: "share of the rows for training, validation included, as parts: 3 of 3:1"},
	{Name: "split_test", Type: experiment.Float, Doc: "share of the rows for testing, as parts: 1 of 3:1"},
	{Name: "split_validation", Type: experiment.Float, Doc: "fraction of the training share that is held out to choose the age, 0 for none"},
	{Name: "scale_features", Type: experiment.Text, Doc: "how features are scaled: none, standard or minmax"},
	{Name: "scale_target", Type: experiment.Text, Doc: "how the target is scaled: none, standard or minmax; null for classification"},
	{Name: "model", Type: experiment.Text, Doc: "lasso, elastic-net, ridge, svm, logistic or erm; methods with a model of their own are compared with this one; null for the constant, which is compared with all"},
	{Name: "kernel", Type: experiment.Text, Doc: "linear or rbf; null for models without a kernel and methods that ignore it"},
	{Name: "kernel_gamma", Type: experiment.Float, Doc: "width γ of the kernel exp(-γ ‖x - x'‖²); null without that kernel, and for the width scale, 1/(d var(X)), which each training part fixes anew"},
	{Name: "c", Type: experiment.Float, Doc: "weight C of the loss against the penalty ½‖w‖²; null for the other models of regression and methods that ignore it"},
	{Name: "alpha", Type: experiment.Float, Doc: "weight α of the penalty: (1/2n) Σ v_i r_i² + α‖w‖₁ (lasso), (1/2n) Σ v_i r_i² + α(ρ‖w‖₁ + ½(1-ρ)‖w‖²) (elastic-net), Σ v_i r_i² + α‖w‖² (ridge); null for the models of classification, erm and methods that ignore it"},
	{Name: "l1_ratio", Type: experiment.Float, Doc: "share ρ of ‖w‖₁ in the elastic net's penalty, or in that of erm, C Σ v_i L_i + ρ‖w‖₁ + ½(1-ρ)‖w‖²; null for the other models and methods that ignore it"},
	{Name: "loss", Type: experiment.Text, Doc: "loss of erm: its name, or with parameters a JSON object of the name and them, as in {\"quantile\":{\"q\":0.5}}; null for the other models"},
	{Name: "constraint", Type: experiment.Text, Doc: "constraint of erm, told as the loss is, features by their indexes; null without one and for the other models"},
	{Name: "intercept", Type: experiment.Text, Doc: "whether the model has an intercept, true or false; null for methods with a model of their own and the constant"},
	{Name: "regularizer", Type: experiment.Text, Doc: "self-paced regularizer: hard, linear, polynomial, mixture or log; null for methods without one"},
	{Name: "regularizer_param", Type: experiment.Float, Doc: "order t of polynomial, γ of mixture, a of log; null for the others"},
	{Name: "age_min", Type: experiment.Float, Doc: "first age λ of the path; null for methods without given ages"},
	{Name: "age_max", Type: experiment.Float, Doc: "last age λ of the path; null for methods without given ages"},
	{Name: "age_step", Type: experiment.Float, Doc: "distance between the ages of acs and acs-once; null for the others"},
	{Name: "method", Type: experiment.Text, Doc: "original, acs, mospl, gaga, huber-lasso, rlssvm, relssvm, robust-svm, acs-once or constant, or the name of a command"},
	{Name: "method_params", Type: experiment.Text, Doc: "settings of the method's own, as a JSON object in the order in which docs/grid.md lists them; null for methods without any"},
	{Name: "noise_kind", Type: experiment.Text, Doc: "how the data was contaminated; null for clean cells"},
	{Name: "noise_level", Type: experiment.Float, Doc: "fraction the contamination was asked for, in [0, 1]; 0 for clean cells"},
	{Name: "repeat", Type: experiment.Int, Doc: "number of the repeat, from 1; cells of the same data set, noise and repeat share split and contamination"},
	{Name: "seed", Type: experiment.Int, Doc: "seed of the cell's random streams, derived from the grid's seed and the repeat, in [0, 2^53)"},
}

var measureColumns = []experiment.Column{
	{Name: "metric", Type: experiment.Text, Doc: "what the scores measure: rmse (regression, lower is better), mae (regression under the protocol scripts, lower is better) or accuracy (classification, a fraction, higher is better)"},
	{Name: "test_at_best_test", Type: experiment.Float, Doc: "best test score over the knots of the path at which a sample has weight: the choice of age looks at the test part, as in the paper"},
	{Name: "test_at_best_validation", Type: experiment.Float, Doc: "test score at the age with the best validation score, which is what a practitioner can do; null without a validation part"},
	{Name: "test_at_end", Type: experiment.Float, Doc: "test score at the last age asked for, or of the only knot; null where the path does not reach it and where every sample is discarded there"},
	{Name: "best_validation", Type: experiment.Float, Doc: "best score on the (contaminated) validation part, by which age_of_best_validation is chosen and select: best compares cells; null without a validation part"},
	{Name: "test_mae_at_best_test", Type: experiment.Float, Doc: "mean absolute error on the test part at age_of_best_test; null for classification"},
	{Name: "test_mae_at_best_validation", Type: experiment.Float, Doc: "mean absolute error on the test part at age_of_best_validation; null for classification and without a validation part"},
	{Name: "test_mae_at_end", Type: experiment.Float, Doc: "mean absolute error on the test part at the last age asked for, or of the only knot; null for classification and where test_at_end is"},
	{Name: "age_of_best_test", Type: experiment.Float, Doc: "age λ of test_at_best_test, the smallest of equals; null for methods without ages"},
	{Name: "age_of_best_validation", Type: experiment.Float, Doc: "age λ of test_at_best_validation, the smallest of equals; null for methods without ages and without a validation part"},
	{Name: "age_reached", Type: experiment.Float, Doc: "age λ of the last knot of the path, below age_max where the path stops early or ends in ages of one class only; null for methods without ages"},
	{Name: "knots", Type: experiment.Int, Doc: "number of knots of the path; 1 for methods without ages, but of the constant for regression 2, the median and the mean"},
	{Name: "turning_points", Type: experiment.Int, Doc: "critical points at which the path bends, those without a knot included; null for methods that do not locate them"},
	{Name: "jump_points", Type: experiment.Int, Doc: "critical points at which the path jumps to another partial optimum; null for methods that do not locate them"},
	{Name: "restarts", Type: experiment.Int, Doc: "how often the path was taken up again by alternate convex search, jumps included; null for methods that do not locate critical points"},
	{Name: "max_kkt", Type: experiment.Float, Doc: "largest violation of the optimality conditions over all knots, relative to the scale of the gradient's terms; for erm, huber-lasso and the linear robust-svm the relative duality gap; null for commands and the constant"},
	{Name: "path_status", Type: experiment.Text, Doc: "how the path ended: complete, or why it stopped early, and which ages it leaves out because only one class has weight there; null for methods without ages"},
}

var furtherTables = []experiment.Table{
	{Name: "knots", Kept: true, Number: "knot", Count: "knots", Columns: []experiment.Column{
		{Name: "cell", Type: experiment.Text, Doc: "identity of the cell, 32 hex digits"},
		{Name: "knot", Type: experiment.Int, Doc: "number of the knot on the path, from 0, in increasing age"},
		{Name: "age", Type: experiment.Float, Doc: "age λ of the knot; null for methods without ages"},
		{Name: "event", Type: experiment.Text, Doc: "start, turning, jump, grid (an age that was asked for), step (the end of a step over turning points without knots) or end"},
		{Name: "detail", Type: experiment.Text, Doc: "what happened: the zones or coordinates that changed, or the reason of a restart; what the constant is; null when nothing did"},
		{Name: "index", Type: experiment.Int, Doc: "training row (after identical rows were merged) or coordinate the event is about; null when it is about none"},
		{Name: "objective", Type: experiment.Float, Doc: "implicit objective G_λ(θ) = R(θ) + Σ_i F_λ(l_i(θ)), F_λ(l) the integral of the weight from 0 to l; comparable at equal age only; null for methods without ages and commands"},
		{Name: "test_score", Type: experiment.Float, Doc: "score on the test part, see metric; null where every sample is discarded"},
		{Name: "validation_score", Type: experiment.Float, Doc: "score on the (contaminated) validation part; null without one and where every sample is discarded"},
		{Name: "easy", Type: experiment.Int, Doc: "training rows with full zone: weight 1, or the decreasing branch of a regularizer without a plateau; of a support vector machine those at and beyond the margin too; null for commands and the constant"},
		{Name: "middle", Type: experiment.Int, Doc: "training rows in the intermediate zone of the mixture regularizer; null for commands and the constant"},
		{Name: "discarded", Type: experiment.Int, Doc: "training rows beyond the age: weight 0, or the tail of log; null for commands and the constant"},
		{Name: "active", Type: experiment.Int, Doc: "coefficients other than 0, or support vectors of a support vector machine with the RBF kernel; null for commands that answer with predictions"},
		{Name: "kkt", Type: experiment.Float, Doc: "violation of the optimality conditions relative to the scale of the gradient's terms; null for commands and the constant"},
	}},
	{Name: "coefficients", Number: "knot", Count: "knots", Columns: []experiment.Column{
		{Name: "cell", Type: experiment.Text, Doc: "identity of the cell, 32 hex digits"},
		{Name: "knot", Type: experiment.Int, Doc: "number of the knot, as in the table knots"},
		{Name: "values", Type: experiment.FloatList, Doc: "coefficients of the scaled features, or the multipliers α_i >= 0 of a support vector machine with the RBF kernel, one for each training row after identical ones were merged (the decision is Σ_i α_i y_i k(x_i, x) + b); of rlssvm and relssvm with a kernel the signed multipliers (Σ_i α_i k(x_i, x) + b); the last value is the intercept, 0 for models without one; empty for commands that answer with predictions"},
	}},
}
