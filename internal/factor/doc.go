// Package factor keeps a signed Cholesky factor of a dense symmetric matrix up to date while rows
// enter and leave:
//
//	M = L J Lᵀ,  J = diag(+1 × p, -1 × q),  L lower triangular, diagonal > 0
//
// It exists exactly when the leading p x p block of M is positive definite and its Schur complement
// is negative definite; M then has inertia (p, q, 0).
//
// In the age-path engine's kernel back-end M = Q_AA - Δ, with the pinned samples (Δ = 0) as the
// positive part and the curved ones (Δ > 0) as the negative part: the path's point is a strict
// local minimum exactly when the factor exists. A change that would lose the inertia is refused, by
// the sign of one scalar, before anything is modified.
//
// # Cost
//
// With k = p + q rows, a change or a solve costs O(k²) and allocates nothing within the capacity;
// Compute costs k³/3, and a new diagonal of the negative part q³/3. Memory is 8 x capacity² bytes,
// three times that after ChangeNegative.
//
// # Stability
//
// Sweeps use Givens rotations between columns of equal sign, which are backward stable, and
// hyperbolic rotations in mixed form between the others, which keep L J Lᵀ close to the changed M;
// solutions are as sensitive as M is close to singular. Errors accumulate with the changes since
// Compute, which Changes counts; the caller monitors its residuals and recomputes.
//
// # Sources
//
//   - Gill, Golub, Murray, Saunders, Math. Comp. 28 (1974): rank-one changes, rows in and out
//   - Vanderbei, SIAM J. Optim. 5 (1995), and Gill, Saunders, Shinnerl, SIAM J. Matrix Anal. Appl. 17
//     (1996): factors of symmetric quasidefinite matrices, of fixed signs without pivoting
//   - Davis, Hager, SIAM J. Matrix Anal. Appl. 20 (1999) and 26 (2005): deleting a row is a rank-one
//     change of the rows after it
//   - Bojanczyk, Brent, Van Dooren, de Hoog, SIAM J. Sci. Stat. Comput. 8 (1987): the mixed form of
//     hyperbolic rotations
package factor
