package experiment

// SelfPacedTables returns the tables of the self-paced kind. Their columns'
// docs are the source of docs/results.md.
func SelfPacedTables() Tables {
	return Tables{Labels: selfPacedLabels, Measures: selfPacedMeasures, Further: selfPacedFurther}
}

var selfPacedLabels = []Column{
	{"dataset", Text, "name of the data set, as the grid or the catalog gives it"},
	{"task", Text, "classification or regression"},
	{"n_train", Int, "rows of the training part, without the validation part carved out of it and without poisoning points added to it"},
	{"n_test", Int, "rows of the test part"},
	{"n_features", Int, "features of a row, without intercept"},
	{"protocol", Text, "held-out or paper: what is contaminated, and by which rows scaling is fitted"},
	{"split_train", Float, "share of the rows for training, validation included, as parts: 3 of 3:1"},
	{"split_test", Float, "share of the rows for testing, as parts: 1 of 3:1"},
	{"split_validation", Float, "fraction of the training share that is held out to choose the age, 0 for none"},
	{"scale_features", Text, "how features are scaled: none, standard or minmax"},
	{"scale_target", Text, "how the target is scaled: none, standard or minmax; null for classification"},
	{"model", Text, "lasso, elastic-net, ridge, svm, logistic or erm; methods with a model of their own are compared with this one"},
	{"kernel", Text, "linear or rbf; null for models without a kernel and methods that ignore it"},
	{"kernel_gamma", Float, "width γ of the kernel exp(-γ ‖x - x'‖²); null without that kernel, and for the width scale, 1/(d var(X)), which each training part fixes anew"},
	{"c", Float, "weight C of the loss against the penalty ½‖w‖²; null for the other models of regression and methods that ignore it"},
	{"alpha", Float, "weight α of the penalty: (1/2n) Σ v_i r_i² + α‖w‖₁ (lasso), (1/2n) Σ v_i r_i² + α(ρ‖w‖₁ + ½(1-ρ)‖w‖²) (elastic-net), Σ v_i r_i² + α‖w‖² (ridge); null for the models of classification, erm and methods that ignore it"},
	{"l1_ratio", Float, "share ρ of ‖w‖₁ in the elastic net's penalty, or in that of erm, C Σ v_i L_i + ρ‖w‖₁ + ½(1-ρ)‖w‖²; null for the other models and methods that ignore it"},
	{"loss", Text, "loss of erm: its name, or with parameters a JSON object of the name and them, as in {\"quantile\":{\"q\":0.5}}; null for the other models"},
	{"constraint", Text, "constraint of erm, told as the loss is, features by their indexes; null without one and for the other models"},
	{"intercept", Text, "whether the model has an intercept, true or false; null for methods with a model of their own"},
	{"regularizer", Text, "self-paced regularizer: hard, linear, polynomial, mixture or log; null for methods without one"},
	{"regularizer_param", Float, "order t of polynomial, γ of mixture, a of log; null for the others"},
	{"age_min", Float, "first age λ of the path; null for methods without given ages"},
	{"age_max", Float, "last age λ of the path; null for methods without given ages"},
	{"age_step", Float, "distance between the ages of acs; null for the others"},
	{"method", Text, "original, acs, mospl, gaga, huber-lasso, rlssvm, relssvm or robust-svm, or the name of a command"},
	{"method_params", Text, "settings of the method's own, as a JSON object in the order in which docs/grid.md lists them; null for methods without any"},
	{"noise_kind", Text, "how the data was contaminated; null for clean cells"},
	{"noise_level", Float, "fraction the contamination was asked for, in [0, 1]; 0 for clean cells"},
	{"repeat", Int, "number of the repeat, from 1; cells of the same data set, noise and repeat share split and contamination"},
	{"seed", Int, "seed of the cell's random streams, derived from the grid's seed and the repeat, in [0, 2^53)"},
}

var selfPacedMeasures = []Column{
	{"metric", Text, "what the scores measure: rmse (regression, lower is better) or accuracy (classification, a fraction, higher is better)"},
	{"test_at_best_test", Float, "best test score over the knots of the path: the choice of age looks at the test part, as in the paper"},
	{"test_at_best_validation", Float, "test score at the age with the best validation score, which is what a practitioner can do; null without a validation part"},
	{"test_at_end", Float, "test score at the last age asked for, or of the only knot; null where the path does not reach it"},
	{"best_validation", Float, "best score on the (contaminated) validation part, by which age_of_best_validation is chosen and select: best compares cells; null without a validation part"},
	{"test_mae_at_best_test", Float, "mean absolute error on the test part at age_of_best_test; null for classification"},
	{"test_mae_at_best_validation", Float, "mean absolute error on the test part at age_of_best_validation; null for classification and without a validation part"},
	{"test_mae_at_end", Float, "mean absolute error on the test part at the last age asked for, or of the only knot; null for classification and where the path does not reach it"},
	{"age_of_best_test", Float, "age λ of test_at_best_test, the smallest of equals; null for methods without ages"},
	{"age_of_best_validation", Float, "age λ of test_at_best_validation, the smallest of equals; null for methods without ages and without a validation part"},
	{"age_reached", Float, "age λ of the last knot of the path, below age_max where the path stops early or ends in ages of one class only; null for methods without ages"},
	{"knots", Int, "number of knots of the path; 1 for methods without ages"},
	{"turning_points", Int, "critical points at which the path bends, those without a knot included; null for methods that do not locate them"},
	{"jump_points", Int, "critical points at which the path jumps to another partial optimum; null for methods that do not locate them"},
	{"restarts", Int, "how often the path was taken up again by alternate convex search, jumps included; null for methods that do not locate critical points"},
	{"max_kkt", Float, "largest violation of the optimality conditions over all knots, relative to the scale of the gradient's terms; for erm, huber-lasso and the linear robust-svm the relative duality gap; null for commands"},
	{"path_status", Text, "how the path ended: complete, or why it stopped early, and which ages it leaves out because only one class has weight there; null for methods without ages"},
}

var selfPacedFurther = []Table{
	{Name: "knots", Columns: []Column{
		{"cell", Text, "identity of the cell, 32 hex digits"},
		{"knot", Int, "number of the knot on the path, from 0, in increasing age"},
		{"age", Float, "age λ of the knot; null for methods without ages"},
		{"event", Text, "start, turning, jump, grid (an age that was asked for), step (the end of a step over turning points without knots) or end"},
		{"detail", Text, "what happened: the zones or coordinates that changed, or the reason of a restart; null when nothing did"},
		{"index", Int, "training row (after identical rows were merged) or coordinate the event is about; null when it is about none"},
		{"objective", Float, "implicit objective G_λ(θ) = R(θ) + Σ_i F_λ(l_i(θ)), F_λ(l) the integral of the weight from 0 to l; comparable at equal age only; null for methods without ages and commands"},
		{"test_score", Float, "score on the test part, see metric"},
		{"validation_score", Float, "score on the (contaminated) validation part; null without one"},
		{"easy", Int, "training rows with full zone: weight 1, or the decreasing branch of a regularizer without a plateau; of a support vector machine those at and beyond the margin too; null for commands"},
		{"middle", Int, "training rows in the intermediate zone of the mixture regularizer; null for commands"},
		{"discarded", Int, "training rows beyond the age: weight 0, or the tail of log; null for commands"},
		{"active", Int, "coefficients other than 0, or support vectors of a support vector machine with the RBF kernel; null for commands that answer with predictions"},
		{"kkt", Float, "violation of the optimality conditions relative to the scale of the gradient's terms; null for commands"},
	}},
	{Name: "coefficients", Columns: []Column{
		{"cell", Text, "identity of the cell, 32 hex digits"},
		{"knot", Int, "number of the knot, as in the table knots"},
		{"values", FloatList, "coefficients of the scaled features, or the multipliers α_i >= 0 of a support vector machine with the RBF kernel, one for each training row after identical ones were merged (the decision is Σ_i α_i y_i k(x_i, x) + b); of rlssvm and relssvm with a kernel the signed multipliers (Σ_i α_i k(x_i, x) + b); the last value is the intercept, 0 for models without one; empty for commands that answer with predictions"},
	}},
}
