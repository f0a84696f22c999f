// Package rehline fits linear models with any convex piecewise linear-quadratic
// loss under linear constraints, and certifies the answer:
//
//	min over β, b0 of  Σ_i C w_i L_i(x_i·β + b0) + ½ Ridge ‖β‖² + Σ_j L1_j |β_j|
//	subject to A β + b >= 0, or = 0 in the rows flagged as equalities
//
// Support vector machines, quantile, Huber and ε-insensitive regression, their
// sparse and their constrained forms are cases of it. It solves the problem of
// ReHLine [1] by methods of its own.
//
//	sol, err := rehline.Solve(ctx, rehline.Problem{X: x, Loss: rehline.Hinge(y), C: 1}, rehline.Options{Tol: 1e-6})
//
// # Losses
//
// A loss is a sum of terms of the score z for each sample, with
// ReLU(v) = max(v, 0) and ReHU_τ(v) = 0, v²/2 or τ(v - τ/2) for v below 0,
// between 0 and τ, above τ:
//
//	L_i(z) = Offset_i + Σ_l ReLU(U_li z + V_li) + Σ_h ReHU_τhi(S_hi z + T_hi)
//
// A Loss may be filled in as such. By name, with h = max(0, 1 - y z) for classes
// y = ±1 and r = y - z for targets y:
//
//	Hinge                       h
//	SquaredHinge                h²
//	SmoothedHinge               h²/2 for h <= 1, else h - 1/2
//	Quantile                    ρ_q(r) = q max(0, r) + (1-q) max(0, -r)
//	EpsilonInsensitiveQuantile  max(0, ρ_q(r) - ε)
//	EpsilonInsensitive          max(0, |r| - ε)
//	SquaredEpsilonInsensitive   max(0, |r| - ε)²
//	Huber                       r²/2 for |r| <= δ, else δ(|r| - δ/2)
//	Absolute                    |r|
//	Squared                     r²
//
// There is no factor of one half unless it is written here; Huber with an infinite δ is
// r²/2.
//
// Every other convex piecewise linear-quadratic function that is bounded below is
// such a sum too [1, Theorem 1]. Decompose finds the terms of one that is given by
// its pieces, DecomposeMax of a maximum of quadratics, and Samples makes a loss of
// them. What is not convex, not continuous or not bounded below is refused with a
// PLQError that says where.
//
// # Penalties, intercept and constraints
//
// The ridge makes β unique. L1 penalties beside it are the elastic net, with a weight for
// each coefficient; coefficients that they hold at zero are exactly zero. Problem.NoRidge
// leaves the ridge out: every coefficient then needs an L1 penalty, which bounds them and
// lets the dual be made feasible. There may be several solutions with one objective; the
// Lasso, the L1 quantile regression and the 1-norm support vector machine are such
// problems. The intercept is none or free: neither penalized nor bound by constraints.
//
// NonNegative, Box, Monotone, Sum and Fairness are constraints by name; Custom takes any
// rows A and b. Redundant rows and rows of zeros that hold are
// allowed. Constraints that nothing satisfies are refused before any work with an
// InfeasibleError, which has the multipliers that prove it; where the contradiction is so
// small beside the numbers that it cannot be told from rounding, the solve ends with the
// violation that is left.
//
// # Many fits
//
// For many fits of the same data make a Solver: New sets up once, and SetWeights and
// Options.Warm change what comes next without allocating, but for the last resort below. A warm start takes the
// coefficients, and the duals where they are there, of any solution of the same shape;
// from the Solver's own last solution it copies nothing. Kinked losses begin with descent
// from the multipliers then, others with Newton steps with the Gram matrix that was kept.
// TestWarmStart and BenchmarkResolve show what it saves.
//
// # What is certain
//
// Solution.Dual is a feasible point of the dual problem
//
//	max over 0 <= λ_li <= C w_i, 0 <= γ_hi <= C w_i τ_hi, ξ of
//	    Σ λ_li V_li + Σ (γ_hi T_hi - γ_hi²/(2 C w_i)) - b·ξ - P(v),
//	    v = Aᵀξ - Σ λ_li U_li x_i - Σ γ_hi S_hi x_i
//
// with ξ_k >= 0 but for equalities and P(v) = Σ_j max(0, |v_j| - L1_j)²/(2 Ridge); without
// a ridge |v_j| <= L1_j instead. With a free intercept the slopes λ U + γ S sum to zero.
// Its value is a lower bound on every objective, and Solution.Gap is what Beta is above it.
//
// Solve stops when the gap is at most Options.Tol and constraints are violated by at most
// min(Tol, 1e-6) (1 + max |b_k|). It means the same for all units of the data and sizes of
// C. Gaps of 1e-10 are usual, 1e-12 often; where rounding errors prevent the one asked for,
// the status is Stalled and the gap the true one. The pass and time limits and a context's
// end leave a solution with its gap too: the best feasible coefficients that were met, with
// the better of the last two dual points.
//
// A wrong input is an InputError that names the part, the place and what is allowed:
// shapes, numbers that are not finite or above 1e100 in size, a cost or a ridge below
// 1e-100, negative weights or thresholds, missing samples or features. Numbers within these
// limits that are so far apart that the objective overflows are one as well.
//
// # Method
//
// Each ReLU and ReHU has a dual variable, the slope of the term at its sample's score.
// Terms that turn at one score in opposite directions, as in the quantile and Huber losses,
// share one. Two phases follow each other; Options.Method leaves out one of them.
//
//  1. Dual coordinate descent with shrinking [1, 2], in random order, where the loss has
//     kinks and there is neither an L1 penalty nor a free intercept. With strong
//     regularization a few passes are all it takes; later ones are over the samples that are
//     likely by the gap [5] to have other slopes at the solution. Every pass estimates the
//     gap from the terms as it meets them; the gap itself is computed where the estimate is
//     small enough.
//  2. A proximal method of multipliers [3] whose inner problems, with kinks, constraints
//     and L1 penalties smoothed around their multipliers, are solved by a semismooth Newton
//     method [4] with an exact line search on the piecewise quadratic. Smooth losses need
//     no smoothing. It narrows as the multipliers settle. Without a ridge a proximal term
//     around the last β takes its place and fades likewise.
//
// Where the second phase stalls above a gap of 1e-10, as with dual variables far below their
// bounds (large C, separable classes), terms that are narrow relative to the scores, or features of
// very different scales, an interior-point method [6] starts from zero with the same Newton
// systems. It allocates its memory, about 64 bytes a sample and term, when a Solver first needs it.
//
// Descent ends when it has made as many visits as the second phase costs, or when the fall
// of the estimate says that as many are still to come. The second phase begins with the
// slopes that descent found as multipliers. Its Newton system is changed only by samples
// whose part of the loss changed, and beyond 1,500 coefficients solved by conjugate
// gradients.
//
// With n samples, d coefficients, T terms and K constraints, a pass and a Newton step cost
// O(n (d + T) + K d). A Newton step adds
// d² for every sample whose curvature changed and d³/3. Memory beyond X, the loss and the
// constraints is about 100 bytes a sample and term, and 16 d² bytes up to 1,500
// coefficients. Set-up reads X once, for its checks and norms. The inner loops exist in AVX2
// and in Go, with the same bits. A Solver uses one thread; several may run at a time.
//
// # References
//
//	[1] Dai, Qiu: ReHLine: Regularized Composite ReLU-ReHU Loss Minimization with
//	    Linear Computation and Linear Convergence. NeurIPS 2023.
//	[2] Hsieh, Chang, Lin, Keerthi, Sundararajan: A Dual Coordinate Descent Method
//	    for Large-scale Linear SVM. ICML 2008.
//	[3] Rockafellar: Augmented Lagrangians and Applications of the Proximal Point
//	    Algorithm in Convex Programming. Math. Oper. Res. 1 (1976).
//	[4] Li, Sun, Toh: A Highly Efficient Semismooth Newton Augmented Lagrangian
//	    Method for Solving Lasso Problems. SIAM J. Optim. 28 (2018).
//	[5] Ndiaye, Fercoq, Gramfort, Salmon: Gap Safe Screening Rules for Sparsity
//	    Enforcing Penalties. JMLR 18 (2017).
//	[6] Mehrotra: On the Implementation of a Primal-Dual Interior Point Method. SIAM J.
//	    Optim. 2 (1992).
package rehline
