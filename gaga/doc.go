// Package gaga computes exact age paths of self-paced learning.
//
// # The problem
//
// Self-paced learning fits a model to samples from easy to hard. With losses l_i(θ), a penalty
// R(θ), an age λ > 0 and a self-paced regularizer f it is
//
//	min over θ and v in [0,1]^n of  R(θ) + Σ_i [ v_i l_i(θ) + f(v_i, λ) ].
//
// For a fixed θ the best weight v*(l, λ) has a closed form: 1 for a small loss, falling to 0 around
// the age. A partial optimum is a θ with 0 ∈ ∂R(θ) + Σ_i v*(l_i(θ), λ) ∂l_i(θ), a stationary point
// of the implicit objective G_λ(θ) = R(θ) + Σ_i F_λ(l_i(θ)), F_λ(l) = ∫_0^l v*(t, λ) dt. The age
// path is the curve of partial optima that alternate convex search, [Alternation], follows as the
// age grows by infinitesimal steps, or on a path down falls. [Track] computes the path.
//
// A [Path] consists of continuous pieces. A piece begins with a start knot, bends at turning
// points, and ends with a jump point, where the path leaves the branch, or with the range. Paths up
// and down share the pieces that both reach, and differ between a jump up and the jump down that
// leads back (hysteresis). A path down depends on no choice of a start: at a large enough age there
// is one partial optimum, next to the fit with all weights 1.
//
// # Models and regularizers
//
//	loss                penalty                       kernel
//	[Squared]           L1, L2, both or none          none        see [Lasso], [ElasticNet], [Ridge]
//	[Logistic]          L1, L2, both or none          none        see [LogisticRegression]
//	[Hinge]             L2                            [RBF] or none, the linear one; see [SVM]
//	any smooth [Loss]   L1, L2, both or none          none        the caller's own
//
//	regularizer     v*(l, λ)
//	[Hard]          1 below λ, else 0
//	[Linear]        1 - l/λ below λ, else 0
//	[Polynomial]    (1 - l/λ)^(1/(t-1)) below λ, else 0
//	[Mixture]       1 up to (λγ/(λ+γ))², γ(1/√l - 1/λ) up to λ², else 0
//	[LOG]           1 up to λ, (1+aλ)/(1+al) beyond
//
// [Track] and [Alternation] accept every pair, with or without an intercept and multiplicities. A
// caller's [Loss] or [Regularizer] is treated like the built-in ones if it declares its form by
// [SquaredLoss], [HingeLoss], [ClassificationLoss], [VectorLoss] or
// [SeriesRegularizer]. [Supports] rejects losses with a kink other than the hinge.
//
// # Zones
//
// A regularizer cuts the losses into zones on which the weight is smooth: easy, middle, discarded
// ([ZoneKind]). The hinge loss has two zones before these: satisfied, beyond the margin, with loss
// 0; and pinned, at the margin, where the multiplier α_i of the constraint y_i u_i = 1 is an
// unknown between 0 and the slope of the full weight. A path is smooth until a critical point
// ([Cause]):
//
//   - a sample's loss crosses a threshold of its zone, or the sample reaches or leaves the margin,
//   - a coefficient of the L1 penalty becomes zero or becomes active,
//   - the branch turns back in the age (a fold).
//
// # Turning or jump
//
// The path continues, with a bend, exactly when the reduced Hessian H of G_λ stays positive
// definite; else it jumps. H is taken over the active coefficients, in the directions that keep
// pinned samples pinned. After an event the sign of one number decides, Knot.Scalar, the ratio of
// det H after the event to det H before. With φ = v* ∂l/∂u, the derivative of a sample's implicit
// loss, and a, its row of features:
//
//	∂φ/∂u changes by c             1 + c aᵀH⁻¹a
//	a sample is pinned             1: this never jumps
//	a pinned sample is let go      s and, where s > 0, 1 + c s; s is aᵀH⁻¹a without the pin
//	a coefficient is activated     its Schur complement in H, relative to its terms
//	a coefficient becomes zero     1: this never jumps
//	the weight itself breaks       -Inf: this always jumps
//
// The number is NaN at folds and stalls, and where a positive value is rounding of a singular H. A
// jump that lands where it left is recorded as a turning point.
//
// # Guarantees and their limits
//
// At every knot, and at every age through [Path.At], the optimality condition holds to a residual
// of 1e-9 relative to the terms of the gradient (with a kernel, to the bound of a multiplier and
// the size of the predictors); 1e-14 is typical, with a kernel 1e-11. Options.Verify checks every
// event independently, and every landing for descent.
//
// A landing point is a strict partial optimum at a relative 1e-9 beyond the age of its jump, on a
// path down below it (more where one jump follows another). A descent of the implicit objective reaches it from the point
// that the path leaves; no step raises the objective by more than rounding. The descent begins with
// a small displacement along the direction in which H is no longer positive definite; at a fold,
// along the path. Its steps are those of alternation, extrapolated where they are small and nearly
// parallel, and Newton's at the end. Of several optima in reach, for each model more than 95 in 100
// landing points are those that plain alternation reaches from the same point.
//
// A path ends early with a [Status] when the context ends, at Options.MaxEvents, or where no strict
// partial optimum is found, within Options.MaxAlternations, that is not above the point it leaves. Ties
// are resolved in a fixed order; paths are the same on every run. Where the age hardly grows, the path
// restarts from alternation, a jump with the cause [Stall], up to three times and a relative 1e-3 on.
//
// Further limits:
//
//   - Critical points are found on cubic interpolants of the event functions over a step. A sample
//     that leaves its zone and returns within one step, by less than the interpolant's error, is
//     missed. So is a Hessian that is indefinite within a step only, where symmetric samples keep
//     the point where it is; [Path.At] has an error there.
//   - With tied samples, as in integer data, the direction of a jump is arbitrary.
//   - Where sums over zones are too rough, as for a squared loss with a far outlying row or ages far
//     below the squared targets, the path has sums over the samples.
//   - Columns that are collinear with active ones on the samples of positive weight stay out until
//     a sample is readmitted.
//   - A free intercept that nothing determines keeps its value: where every sample is discarded,
//     and with the hinge loss where no sample is at the margin or has a weight that varies, from a
//     landing in the middle of its interval. The first sample to be readmitted then causes a jump to
//     the first age at which a sample's weight exceeds 1e-10.
//   - Where the optimum just after a jump is not yet strict, or alternation cycles within rounding,
//     the landing point is up to a relative 1e-3 beyond the jump; where no branch lasts for a
//     relative 1e-7, further.
//   - Where no landing is found, a path down jumps over ages at which weights up to 1e-10 matter.
//   - A path up begins at the first age at which the fit with all weights 1 keeps samples (for
//     logistic regression, of both classes). If all weights are then 0 at all ages, it begins at the
//     first age at which alternation from that fit keeps samples, or is [Degenerate]. Where
//     alternation from a jump point keeps one class only, the path has a [Gap].
//   - A path down is [Degenerate] if alternation keeps too few samples at the largest age. It has a
//     gap to the smallest age where no sample is left, or for logistic regression one class.
//
// # Features far from 0, and many
//
// With an intercept, features far from 0 are moved there: a shift of a feature changes neither the
// path nor its residuals. Only the digits that the features themselves have lost are missing.
//
// Under the penalty L2 alone w is in the span of the samples. With more features than samples the
// coordinates are then orthonormal ones of this span.
//
// # Cost
//
// Without a kernel the unknowns are the p active coefficients, or coordinates of the samples' span,
// and a multiplier for each of the at most p pinned samples. An event costs O(p³) for a factor, and sums over samples:
//
//   - [Squared] with [Hard], [Linear] or [Mixture], [Hinge] with Hard or Linear: sums over zones,
//     which a change of zone updates by one sample. An event costs O(p²), hardly more with n. Squared
//     with Linear has fourth moments of the active features with all d, O(p³d), unless sums over
//     samples cost less with as many active ones as the fit with all weights 1 has.
//   - other pairs: O(np), and O(p²) for each sample whose term in H has changed. With Squared, from
//     257 samples on, n counts only the samples whose weight varies.
//
// Memory is O(np), and O(p) a knot. After a jump a linear support vector machine fits by its z free
// support vectors, at O(z² + p²) for each that enters or leaves.
//
// With a kernel the unknowns are the multipliers of the samples A that are pinned or whose weight
// varies. An event costs O(|A|²) for the update of a factor, O(n|A|) for the predictors, and O(|A|³)
// where the factor is recomputed. Memory is 8n² bytes for the kernel matrix, up to 512 MiB, beyond
// which its rows are recomputed, 30|A|² bytes for factors, and 8n bytes a knot.
//
// # References
//
// Qu, Li, Zhao, Gu: GAGA: Deciphering Age-path of Generalized Self-paced Regularizer, NeurIPS 2022.
// Kumar, Packer, Koller: Self-Paced Learning for Latent Variable Models, NeurIPS 2010 (hard). Jiang
// et al.: Easy Samples First, ACM Multimedia 2014 (linear, logarithmic). Zhao et al.: Self-Paced
// Learning for Matrix Factorization, AAAI 2015 (mixture). Gong et al.: Decomposition-based
// Evolutionary Multiobjective Optimization to Self-Paced Learning, IEEE TEVC 2018 (polynomial).
// Zou, Hastie: Regularization and Variable Selection via the Elastic Net, JRSS B 2005. Gill,
// Murray, Wright: Practical Optimization, Academic Press 1981, section 5.4 (null-space method for
// pinned samples). Gill, Golub, Murray, Saunders: Methods for Modifying Matrix Factorizations,
// Math. Comp. 1974 (factors that follow the samples). Hastie, Rosset, Tibshirani, Zhu: The Entire
// Regularization Path for the Support Vector Machine, JMLR 2004 (paths whose events are samples at
// the margin).
package gaga
