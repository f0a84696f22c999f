// Package wmmd estimates the word-level maximum mean discrepancy of Gao and Dai ("Word-level
// Maximum Mean Discrepancy Regularization for Word Embedding"): the distance between the
// distributions of embedded words of several classes of texts.
//
// For two classes with n⁻ and n⁺ texts of d words, the rows M_w of an embedding and the Gaussian
// kernel K(x, y) = exp(-‖x - y‖²/(2σ²)),
//
//	wMMD² = 1/(d² n⁻(n⁻-1)) Σ_{i≠i' in -} Σ_{j,j'} K(M_xij, M_xi'j')
//	      - 2/(d² n⁻n⁺) Σ_{i in -, i' in +} Σ_{j,j'} K(M_xij, M_xi'j')
//	      + 1/(d² n⁺(n⁺-1)) Σ_{i≠i' in +} Σ_{j,j'} K(M_xij, M_xi'j')
//
// is an unbiased estimate of the squared distance of the mean embeddings, given σ². For more
// classes the pairs of classes are summed. If texts differ in length, each mean is over the
// existing pairs of words.
//
// # Computation
//
// With the counts c_i of a text's words and s = Σ_i c_i over a class, the pairs of words of
// different texts of a class have the weights P = s sᵀ - Σ_i c_i c_iᵀ, and those of two classes s⁻
// s⁺ᵀ. All three sums are therefore one sum over the pairs of distinct words, with weights of rank
// 2, minus one sum per text over the pairs of its own distinct words.
//
// # Bandwidth
//
// σ² is the median of the squared distances with the weights of all pairs of words of two classes,
// P⁻ + P⁺ + s⁻ s⁺ᵀ + s⁺ s⁻ᵀ. The gradient does not go through σ². Special cases:
//
//   - If more than half of the weight is at distance 0, as with padding, σ² is the median of the
//     nonzero distances.
//   - If all distances are 0, the value and the gradient are 0.
//   - A pair with a class without two texts with words counts as 0, as does a sample with one
//     class.
//
// # Same bits
//
// The sample alone determines the parts into which sums are cut, and the parts are added in order.
// Other instruction sets round differently.
package wmmd
