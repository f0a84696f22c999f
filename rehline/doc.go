// Package rehline fits linear models with any convex piecewise linear-quadratic loss under linear
// constraints, and certifies the solution:
//
//	min over β, b0 of  Σ_i C w_i L_i(x_i·β + b0) + ½ Ridge ‖β‖² + Σ_j L1_j |β_j|
//	subject to A β + b >= 0, or = 0 in the rows flagged as equalities
//
// Special cases are support vector machines and quantile, Huber and ε-insensitive regression, also
// sparse or constrained. The problem is that of ReHLine [1], the methods are this package's own.
//
//	sol, err := rehline.Solve(ctx, rehline.Problem{X: x, Loss: rehline.Hinge(y), C: 1}, rehline.Options{Tol: 1e-6})
//
// # Losses
//
// A [Loss] is for each sample a sum of ReLU and ReHU terms of the score z, plus a constant. You can
// fill in a Loss yourself. By name, with h = max(0, 1 - y z) for classes y = ±1 and r = y - z for
// targets y:
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
// There is no factor of one half unless it is written here; Huber with an infinite δ is r²/2.
//
// Every other convex piecewise linear-quadratic function that is bounded below is such a sum [1,
// Theorem 1]. Decompose finds the terms of a function given by its pieces, DecomposeMax those of a
// maximum of quadratics, and Samples makes a loss of them. A PLQError says where a function is not
// convex, not continuous or not bounded below.
//
// # Penalties, intercept and constraints
//
// The ridge makes β unique. With L1 penalties, one weight per coefficient, the penalty is the
// elastic net; coefficients that they hold at zero are exactly zero. Problem.NoRidge drops the
// ridge: every coefficient then needs an L1 penalty, which bounds it and makes the dual feasible.
// Several solutions may have the same objective; the Lasso, L1 quantile regression and the 1-norm
// support vector machine are such problems. The intercept is absent or free, that is, neither
// penalized nor constrained.
//
// NonNegative, Box, Monotone, Sum and Fairness are named constraints; Custom takes any rows A and
// b. Redundant rows are allowed. Contradictory constraints are refused before any work with an
// InfeasibleError, which has the multipliers that prove it; if the contradiction is within rounding
// of the numbers, the solve ends with the remaining violation.
//
// # Many fits
//
// For many fits of the same data create a Solver: New sets it up once, and SetWeights and
// Options.Warm change the next solve without allocating, except for the interior-point method. A
// warm start takes the coefficients, and the duals if present, of any solution of the same shape;
// it copies nothing from the Solver's own last solution. Kinked losses then begin with descent from
// the multipliers, others with Newton steps and the kept Gram matrix. TestWarmStart and
// BenchmarkResolve show the saving.
//
// # Guarantees
//
// Solution.Dual is a feasible point of the dual problem
//
//	max over 0 <= λ_li <= C w_i, 0 <= γ_hi <= C w_i τ_hi, ξ of
//	    Σ λ_li V_li + Σ (γ_hi T_hi - γ_hi²/(2 C w_i)) - b·ξ - P(v),
//	    v = Aᵀξ - Σ λ_li U_li x_i - Σ γ_hi S_hi x_i
//
// with ξ_k >= 0 except for equalities and P(v) = Σ_j max(0, |v_j| - L1_j)²/(2 Ridge); without a
// ridge |v_j| <= L1_j instead. With a free intercept the slopes λ U + γ S sum to zero. Its value is
// a lower bound on every objective; Solution.Gap is the distance of Beta's objective from it.
//
// Solve stops when the gap is at most Options.Tol and constraints are violated by at most min(Tol,
// 1e-6) (1 + max |b_k|), independent of the units of the data and the size of C. Gaps of 1e-10 are
// usual, 1e-12 frequent. If rounding prevents the requested gap, the status is Stalled and the gap
// the true one. Pass and time limits and the end of a context also leave a solution with its gap:
// the best feasible coefficients met, with the better of the last two dual points.
//
// An InputError names the part, the place and what is allowed: shapes, numbers that are not finite
// or above 1e100 in size, a cost or a ridge below 1e-100, negative weights or thresholds, missing
// samples or features, or an objective that overflows.
//
// # Method
//
// Each ReLU and ReHU has a dual variable, the slope of the term at its sample's score. Terms that
// turn at one score in opposite directions, as in the quantile and Huber losses, share one. There
// are two phases; Options.Method can omit one.
//
//  1. Dual coordinate descent with shrinking [1, 2], in random order, if the loss has kinks and
//     there is neither an L1 penalty nor a free intercept. With strong regularization a few passes
//     suffice; later passes cover only the samples that, by the gap [5], may have other slopes at
//     the solution. Every pass estimates the gap; the gap itself is computed if the estimate is
//     small enough.
//  2. A proximal method of multipliers [3]. A semismooth Newton method [4] with an exact line
//     search on the piecewise quadratic solves its inner problems, in which kinks, constraints and
//     L1 penalties are smoothed around their multipliers. Smooth losses need no smoothing. The
//     smoothing narrows as the multipliers settle. Without a ridge, a proximal term around the last
//     β replaces it and fades likewise.
//
// If the second phase stalls above a gap of 1e-10, as with dual variables far below their bounds
// (large C, separable classes), terms that are narrow relative to the scores, or features of very
// different scales, an interior-point method [6] starts from zero with the same Newton systems. Its
// memory, about 64 bytes a sample and term, is allocated when a Solver first needs it.
//
// Descent ends after as many visits as the second phase would cost, or when the decrease of the
// estimate predicts that many more. The second phase starts with the slopes from descent as
// multipliers. Its Newton system changes only by samples whose part of the loss changed; beyond
// 1,500 coefficients it is solved by conjugate gradients.
//
// With n samples, d coefficients, T terms and K constraints, a pass and a Newton step cost O(n (d +
// T) + K d). A Newton step adds d² for every sample whose curvature changed and d³/3. Memory beyond
// X, the loss and the constraints is about 100 bytes a sample and term, and 16 d² bytes up to 1,500
// coefficients. Set-up reads X once. The inner loops exist in AVX2 and in Go, with the same bits. A
// Solver uses one thread; several may run at a time.
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
