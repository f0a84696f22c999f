// Package model is a self-paced learning problem in the engine's form, with a partition of the
// samples into zones and points of the path.
//
// Notation: θ are the unknown coefficients (with a kernel the multipliers α and the intercept), u_i
// = a_i·θ the predictor of sample i, λ the age, φ(u; λ) = v*(l(u), λ) l'(u) a sample's term in the
// optimality condition
//
//	0 ∈ ∂R(θ) + Σ_i m_i a_i φ(u_i; λ).
//
// A loss with a kink has two zones before the regularizer's: [Satisfied] beyond the kink, and
// [Pinned] at the kink, where φ is an interval and the sample's multiplier is unknown.
package model
