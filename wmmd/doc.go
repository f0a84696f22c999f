// Package wmmd estimates the word-level maximum mean discrepancy of Gao and Dai ("Word-level
// Maximum Mean Discrepancy Regularization for Word Embedding"): the distance between the
// distributions of embedded words of several classes of texts. It is independent of files, networks
// and training.
//
// A text is a list of words, a word is a row M_w of an embedding. For two classes with n⁻ and n⁺
// texts of d words and the Gaussian kernel K(x, y) = exp(-‖x - y‖²/(2σ²)),
//
//	wMMD² = 1/(d² n⁻(n⁻-1)) Σ_{i≠i' in -} Σ_{j,j'} K(M_xij, M_xi'j')
//	      - 2/(d² n⁻n⁺) Σ_{i in -, i' in +} Σ_{j,j'} K(M_xij, M_xi'j')
//	      + 1/(d² n⁺(n⁺-1)) Σ_{i≠i' in +} Σ_{j,j'} K(M_xij, M_xi'j')
//
// is an unbiased estimate of the squared distance of the mean embeddings, given σ². For more
// classes it is summed over the pairs of classes. If texts differ in length, each mean is over the
// existing pairs of words.
//
// # Computation
//
// With the counts c_i of a text's words and s = Σ_i c_i over a class, the pairs of words of
// different texts of a class have the weights P = s sᵀ - Σ_i c_i c_iᵀ, and those of two classes s⁻
// s⁺ᵀ. All three sums are therefore one sum over the pairs of distinct words, with weights of rank
// 2, minus one sum per text over the pairs of its own distinct words. The vector loops of package
// kernel compute squared distances, kernels, value and gradient together, for one word with all
// others at a time. Pairs of classes share the texts' counts and the classes' sums, and include
// only their own words. Nothing is stored for pairs of words: each pass computes the distances
// once.
//
// # Bandwidth
//
// σ² is the median of the squared distances of the pairs of words, with the weights of all pairs of
// two classes, P⁻ + P⁺ + s⁻ s⁺ᵀ + s⁺ s⁻ᵀ. Weights are counts, so it is the median of a multiset,
// the mean of the middle two for an even number. It is found by histograms of fixed-point distances
// and a sort of the last bucket. The gradient does not go through it. Special cases:
//
//   - If more than half of the weight is at distance 0, as with padding, σ² is the median of the
//     nonzero distances.
//   - If all distances are 0, all kernels are 1: the value and the gradient are 0.
//   - A pair with a class without two texts with words counts as 0, as does a sample with one
//     class.
//
// # Same bits
//
// The sample alone determines the parts into which sums are cut, and they are added in order, so
// any number of goroutines gives the same bits. Other instruction sets round differently.
package wmmd
