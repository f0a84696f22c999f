// Package nsga3 minimizes several objectives at once over a box by NSGA-III:
// K. Deb and H. Jain, "An Evolutionary Many-Objective Optimization Algorithm
// Using Reference-Point-Based Nondominated Sorting Approach, Part I", IEEE
// Transactions on Evolutionary Computation 18(4), 2014.
//
// An [Engine] holds a population and moves it on by one generation a [Engine.Step]:
// simulated binary crossover of random pairs, polynomial mutation, non-dominated
// sorting of parents and children, and the choice of those of the last front that
// fit by niches around reference points. What a point stands for is the
// business of a [Problem]. The same seed gives the same numbers.
//
// A generation of N individuals with n variables and M objectives takes O(N n)
// for the variation, O(N log N) for the sorting with M = 2 and at most O(M N²)
// with more, and O(M N Z) for the niches of Z reference points. It allocates
// nothing.
package nsga3
