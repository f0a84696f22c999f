// Package known holds self-paced learning problems whose age paths are known
// exactly, to test path trackers against.
//
// Every problem has one or two unknowns, or is symmetric so that one number
// tells all. Its path is a closed form where the algebra gives one; otherwise it
// is the zero of a scalar condition between two bounds of which theory says that
// they enclose one zero only. No path, event or landing point comes from a
// tracker or from alternation.
//
// [Problems] returns all of them: each of the models (the Lasso, logistic
// regression, the support vector machine with the linear and with the RBF
// kernel) with each regularizer (hard, linear, polynomial, mixture, LOG), and
// among them turning points and jumps of every cause, ties and folds.
//
// Throughout, l is a sample's loss, v its weight v*(l, λ), λ the age; κ, C, s and
// u are explained where they are used. The weights are those of Qu, Li, Zhao, Gu:
// GAGA: Deciphering Age-path of Generalized Self-paced Regularizer, NeurIPS 2022,
// table 1.
package known
