// Package nsga3 minimizes two objectives over a box by NSGA-III: K. Deb and H. Jain, "An
// Evolutionary Many-Objective Optimization Algorithm Using Reference-Point-Based Nondominated
// Sorting Approach, Part I", IEEE Transactions on Evolutionary Computation 18(4), 2014.
//
// [Engine.Step] computes the next generation: simulated binary crossover of random pairs,
// polynomial mutation, non-dominated sorting of parents and children, and selection from the last
// front by niches around reference points. The same seed gives the same numbers.
//
// A generation of N individuals with n variables takes O(N n) for the variation and at most O(N²)
// for the sorting and the niches of N reference points. It allocates nothing.
package nsga3
