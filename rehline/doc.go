// Package rehline fits linear models with any convex piecewise linear-quadratic loss under linear
// constraints, and certifies the solution:
//
//	min over β, b0 of  Σ_i C w_i L_i(x_i·β + b0) + ½ Ridge ‖β‖² + Σ_j L1_j |β_j|
//	subject to A β + b >= 0, or = 0 in the rows flagged as equalities
//
// The problem is that of ReHLine [1]; the methods differ. Special cases are support vector machines
// and quantile, Huber and ε-insensitive regression.
//
//	sol, err := rehline.Solve(ctx, rehline.Problem{X: x, Loss: rehline.Hinge(y), C: 1}, rehline.Options{Tol: 1e-6})
//
// # Losses
//
// Every convex piecewise linear-quadratic function that is bounded below is a sum of ReLU and ReHU
// terms and a constant [1, Theorem 1], as a [Loss] is for each sample. Hinge, Quantile, Huber and
// others make losses by name.
//
// # Penalties, intercept and constraints
//
// The ridge makes β unique. Problem.NoRidge drops the ridge, as for the Lasso and the 1-norm
// support vector machine: every coefficient then needs an L1 penalty, which bounds it and makes the
// dual feasible, and several solutions may have the same objective. A free intercept is neither
// penalized nor constrained.
//
// Redundant constraints are allowed. With contradictory ones a solve ends unsolved, with the
// remaining violation in Solution.PrimalInfeasibility.
//
// # Many fits
//
// For many fits of the same data create a Solver; later solves with SetWeights and Options.Warm do
// not allocate. Kinked losses then begin with descent from the multipliers, others with Newton
// steps and the kept Gram matrix.
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
// a lower bound on every objective.
//
// Solve stops when the relative gap is at most Options.Tol and constraints are violated by at most
// min(Tol, 1e-6) (1 + max |b_k|), independent of the units of the data and the size of C. If
// rounding prevents the requested gap, the status is Stalled and the gap the true one.
//
// An InputError refuses wrong shapes, numbers that are not finite or above 1e100 in size, a cost or
// a ridge below 1e-100, negative weights or thresholds, missing samples or features, and an
// objective that overflows.
//
// # Method
//
// Each ReLU and ReHU has a dual variable, the slope of the term at its sample's score. Terms that
// turn at one score in opposite directions share one. Options.Method can omit one of two phases.
//
//  1. Dual coordinate descent with shrinking [1, 2], if the loss has kinks and there is neither an
//     L1 penalty nor a free intercept. Later passes cover only the samples that, by the gap [5],
//     may have other slopes at the solution. Descent ends when the second phase is likely to cost
//     less; its slopes are the first multipliers there.
//  2. A proximal method of multipliers [3], whose inner problems a semismooth Newton method [4]
//     with an exact line search solves. Kinks, constraints and L1 penalties are smoothed around
//     their multipliers; the smoothing narrows as the multipliers settle. Without a ridge, a
//     proximal term around the last β replaces it and fades likewise.
//
// If the second phase stalls above a gap of 1e-10, as with large C and separable classes, narrow
// terms or features of very different scales, an interior-point method [6] starts from zero, with
// about 64 bytes per sample and term.
//
// With n samples, d coefficients, T terms and K constraints, a pass and a Newton step cost O(n (d +
// T) + K d). A Newton step adds d² for every sample whose curvature changed and d³/3; beyond 1,500
// coefficients it uses conjugate gradients. Memory beyond the problem is about 100 bytes per sample
// and term, and 16 d² bytes up to 1,500 coefficients. The inner loops in AVX2 and in Go give the
// same bits. A Solver uses one thread.
//
// # References
//
//	[1] Dai, Qiu: ReHLine: Regularized Composite ReLU-ReHU Loss Minimization. NeurIPS 2023.
//	[2] Hsieh et al.: A Dual Coordinate Descent Method for Large-scale Linear SVM. ICML 2008.
//	[3] Rockafellar: Augmented Lagrangians and Applications of the Proximal Point
//	    Algorithm in Convex Programming. Math. Oper. Res. 1 (1976).
//	[4] Li, Sun, Toh: A Highly Efficient Semismooth Newton Augmented Lagrangian
//	    Method for Solving Lasso Problems. SIAM J. Optim. 28 (2018).
//	[5] Ndiaye et al.: Gap Safe Screening Rules for Sparsity Enforcing Penalties. JMLR 18 (2017).
//	[6] Mehrotra: On the Implementation of a Primal-Dual Interior Point Method. SIAM J.
//	    Optim. 2 (1992).
package rehline
