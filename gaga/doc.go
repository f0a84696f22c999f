// Package gaga computes exact age paths of self-paced learning.
//
// # The problem
//
// Self-paced learning fits a model to samples from easy to hard. With losses
// l_i(θ), a penalty R(θ), an age λ > 0 and a self-paced regularizer f it is
//
//	min over θ and v in [0,1]^n of  R(θ) + Σ_i [ v_i l_i(θ) + f(v_i, λ) ].
//
// For a fixed θ the best weight v*(l, λ) is known in closed form: 1 for a small
// loss, falling to 0 around the age. A partial optimum is a θ with
// 0 ∈ ∂R(θ) + Σ_i v*(l_i(θ), λ) ∂l_i(θ), a stationary point of the implicit
// objective G_λ(θ) = R(θ) + Σ_i F_λ(l_i(θ)), F_λ(l) = ∫_0^l v*(t, λ) dt. The age
// path is the curve of partial optima that alternate convex search, [Alternation],
// follows as the age grows by infinitesimal steps. [Track] computes it.
//
// # Paths
//
// A [Path] consists of continuous pieces. A piece begins with a start knot,
// passes turning points, where it bends, and ends with a jump point, where it
// is left for another branch, or with the end of the range. [Path.At] gives the
// coefficients at any age. Every critical point says what caused it:
//
//   - a sample's loss crosses a threshold of its zone,
//   - a coefficient of the L1 penalty becomes zero or becomes active,
//   - the branch turns back in the age (a fold).
//
// Whether the path bends or jumps is decided by the sign of one number, the
// ratio of the determinants of the reduced Hessian H of G_λ behind and before
// the event: it bends exactly when H stays positive definite. Knot.Scalar holds
// the number.
//
// # Models and regularizers
//
//	loss               penalty        tracked   [Alternation]
//	[Squared]          L1             yes       yes           the Lasso, see [Lasso]
//	[Logistic]         L2             yes       yes           see [LogisticRegression]
//	[Hinge]            L2, kernels    no        yes           see [SVM]
//
//	regularizer        v*(l, λ)
//	[Hard]             1 below λ, else 0; every event is a jump
//	[Linear]           1 - l/λ below λ, else 0
//	[Polynomial]       (1 - l/λ)^(1/(t-1)) below λ, else 0
//	[Mixture]          1 up to (λγ/(λ+γ))², γ(1/√l - 1/λ) up to λ², else 0
//	[LOG]              1 up to λ, (1+aλ)/(1+al) beyond
//
// A regularizer is an implementation of [Regularizer], outside this package too;
// the tracker needs nothing else of it. [Supports] says what cannot be tracked.
//
// # Guarantees and their limits
//
// At every knot, and at every age through [Path.At], the optimality condition
// holds to a residual of 1e-9 relative to the terms of the gradient; typically
// it is 1e-14. Options.Verify, or AGEPATH_VERIFY=1 in the environment, has every
// event checked independently: residual, zones, signs and the eigenvalues of H.
//
// A jump's landing point is what alternation converges to from the jump point,
// a relative 1e-9 beyond its age. The tracker shortens the first steps of that
// search, which can be 10^5 plain alternations long; the landing point can
// differ from that of plain alternation where basins of attraction meet.
//
// A path ends early with a [Status] when the context ends, when Options.MaxEvents
// is reached, or where no strict partial optimum is found to go on from
// (degenerate data). Ties are resolved in a fixed order; paths are the same on
// every run. Where the age would stand still the path restarts from alternation
// a little further and records a jump with the cause [Stall].
//
// Further limits:
//
//   - Critical points are found on the cubic interpolants of the event
//     functions over a step. A sample that leaves its zone and comes back within
//     one step, by less than the interpolant's error, is not seen.
//   - On small random problems in general position about one jump in 200 lands
//     elsewhere than plain alternation does; with tied samples, as integer data
//     has them, the direction of a jump is arbitrary in both.
//   - Columns that are collinear with active ones on the samples of weight stay
//     out, until a sample is readmitted.
//   - Where every sample is discarded nothing determines a free intercept: it
//     stays where it is, and the first sample to be readmitted is a jump.
//   - Where the optimum right behind a jump is not yet strict the landing point
//     is looked for up to a relative 1e-3 beyond it.
//   - A path begins at the first age at which alternation keeps samples (for
//     logistic regression, of both classes). Where alternation from a jump point
//     keeps one class only the path has a [Gap].
//   - [Options.Sweep] looks for jumps at both ends of a step and half-way: on
//     small random problems it misses about one jump in 1,000, a fold with
//     another branch close by.
//
// # Cost
//
// With p active coefficients an event costs O(p³) for H and its factor. For the
// squared loss with [Hard], [Linear] or [Mixture] sums over samples are
// contractions of moments, and only samples that can reach a threshold soon are
// watched, so that an event's cost hardly grows with n: O(p²) for Mixture and
// Hard, O(p⁴) for Linear, which has fourth moments. Where p⁴ is too much, and for
// other pairs, an event costs O(np²). [Options.Sweep] passes many events at that
// cost. Memory is O(np), and O(p) a knot.
//
// For the linear support vector machine with Hard or Linear sums over samples are
// sums over zones, pinned samples are equality constraints whose null space
// follows them one by one, and samples are watched as above: an event costs O(p²)
// and a Cholesky factor of the order of the null space's dimension. With other
// regularizers H is summed over the samples whose weight varies, twice an event.
//
// # References
//
// Qu, Li, Zhao, Gu: GAGA: Deciphering Age-path of Generalized Self-paced
// Regularizer, NeurIPS 2022. Kumar, Packer, Koller: Self-Paced Learning for
// Latent Variable Models, NeurIPS 2010 (hard). Jiang et al.: Easy Samples First,
// ACM Multimedia 2014 (linear, logarithmic). Zhao et al.: Self-Paced Learning for
// Matrix Factorization, AAAI 2015 (mixture). Gong et al.: Decomposition-based
// Evolutionary Multiobjective Optimization to Self-Paced Learning, IEEE TEVC 2018
// (polynomial).
package gaga
