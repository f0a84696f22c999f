// Package wmmd estimates the word-level maximum mean discrepancy of Gao and Dai
// ("Word-level Maximum Mean Discrepancy Regularization for Word Embedding"): how far the
// distributions of embedded words of several classes of texts are apart. It knows no
// files, no networks and no training.
//
// A text is a list of words, a word is a row M_w of an embedding. For two classes with n⁻
// and n⁺ texts of d words and the Gaussian kernel K(x, y) = exp(-‖x - y‖²/(2σ²)),
//
//	wMMD² = 1/(d² n⁻(n⁻-1)) Σ_{i≠i' in -} Σ_{j,j'} K(M_xij, M_xi'j')
//	      - 2/(d² n⁻n⁺) Σ_{i in -, i' in +} Σ_{j,j'} K(M_xij, M_xi'j')
//	      + 1/(d² n⁺(n⁺-1)) Σ_{i≠i' in +} Σ_{j,j'} K(M_xij, M_xi'j')
//
// is without bias for the squared distance of the mean embeddings, given σ². For more
// classes it is the sum over pairs of them. Where texts differ in length, each mean is
// over the pairs of words that there are.
//
// # Computation
//
// With the counts c_i of a text's words, s = Σ_i c_i over a class, the pairs of words of
// different texts of a class have the weights P = s sᵀ - Σ_i c_i c_iᵀ, and those of two
// classes s⁻ s⁺ᵀ. So all three sums are one over the pairs of distinct words, with
// weights of rank 2, less one a text over the pairs of its own distinct words. Squared
// distances, kernels, value and gradient of a pair of words are computed together, for one
// word with all others at a time, by the vector loops of package kernel. Pairs of classes
// share the texts' counts and the classes' sums, and see the words that they have alone.
// Nothing is kept for pairs of words: distances are computed once for each pass.
//
// # Bandwidth
//
// σ² is the median of the squared distances of the pairs of words, weighted with the
// weights of all pairs of two classes, P⁻ + P⁺ + s⁻ s⁺ᵀ + s⁺ s⁻ᵀ. Weights are counts: it is
// the median of a multiset, the mean of the middle two for an even number. The gradient
// does not go through it. It is found by histograms of fixed-point distances and a sort of
// the last bucket. The cases without a median that serves:
//
//   - Where more than half of the weight is at distance 0, as with padding, σ² is the
//     median of the distances that are not 0.
//   - Where all distances are 0, all kernels are 1: the value and the gradient are 0.
//   - A pair with a class that has no two texts with words counts as 0; so does a sample with
//     one class.
//
// # Same bits
//
// Sums are cut into parts by the sample alone and added in the order of the parts. So
// any number of goroutines gives the same bits. Other instruction sets round otherwise.
package wmmd
