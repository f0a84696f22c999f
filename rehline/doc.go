// Package rehline fits linear models with any convex piecewise linear-quadratic
// loss under linear constraints, and certifies the answer:
//
//	min over β, b0 of  Σ_i C w_i L_i(x_i·β + b0) + ½ Ridge ‖β‖² + Σ_j L1_j |β_j|
//	subject to A β + b >= 0, or = 0 in the rows flagged as equalities
//
// Support vector machines, quantile, Huber and ε-insensitive regression, their
// sparse and their constrained forms are cases of it. It solves the problem of
//
//	Dai, Qiu, "ReHLine: Regularized Composite ReLU-ReHU Loss Minimization with
//	Linear Computation and Linear Convergence", NeurIPS 2023
//
// by methods of its own.
//
// # Use
//
//	sol, err := rehline.Solve(ctx, rehline.Problem{X: x, Loss: rehline.Hinge(y), C: 1}, rehline.Options{Tol: 1e-6})
//
// Losses by name are functions such as Hinge, Quantile and Huber; Decompose and
// DecomposeMax take any other convex piecewise linear-quadratic function.
// Constraints by name are NonNegative, Box, Monotone, Sum and Fairness; Custom
// takes any rows and And joins several. For many fits of the same data, make a
// Solver: New sets up once, and SetWeights, SetC and Options.Warm change what
// comes next without allocating. A warm start from the Solver's own last
// solution copies nothing.
//
// # Beyond one fit
//
// Path solves for a range of C, each from the one before, CrossValidate chooses C,
// FitMulticlass tells several classes apart with a loss of margins, and Factorize
// completes a matrix of low rank by alternation, all of them with any loss, penalty
// and constraints. Problem.Subset takes some of the samples.
//
// # The certificate
//
// Solution.Gap is the relative duality gap of Beta and Dual, computed from both
// objectives: at a feasible Beta no other coefficients have an objective smaller
// by more than this share. Solve stops at Options.Tol, whatever the units of the
// data and the size of C, and says in Status when it could not. Constraints that
// nothing satisfies are refused with an InfeasibleError that proves it. A
// wrong input is an InputError that says what and where.
//
// # Method
//
// Each ReLU and ReHU has a dual variable, the slope of the term at its sample's
// score. Terms that turn at one score in opposite directions, as in the quantile
// and Huber losses, share one. Two phases follow each other:
//
//  1. Dual coordinate descent with shrinking, where the loss has kinks and there
//     is neither an L1 penalty nor a free intercept. With strong regularization
//     a few passes are all it takes. Every pass estimates the gap; the phase ends
//     when more passes are expected than a second phase costs.
//  2. A proximal method of multipliers whose inner problems, smoothed around the
//     multipliers, are solved by a semismooth Newton method with an exact line
//     search on the piecewise quadratic. Smooth losses need no smoothing and go
//     straight to Newton steps. The Gram matrix is changed only by the samples
//     whose part of the loss changed. Beyond 1,500 coefficients the Newton system
//     is solved by conjugate gradients.
//
// A pass and a Newton step cost O(nd), or the number of entries of a sparse X;
// the latter d² more for every sample whose curvature changed, and d³/3.
// Memory beyond X, the loss and the constraints is about 100 bytes a sample and
// term, and 16 d² bytes.
//
// The inner loops exist in AVX-512, AVX2 and Go.
package rehline
