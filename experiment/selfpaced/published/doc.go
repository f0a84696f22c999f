// Package published holds the tables of experiments of the GAGA paper, for comparison:
//
//	Xingyu Qu, Diyang Li, Xiaohan Zhao, Bin Gu: GAGA: Deciphering Age-path of
//	Generalized Self-paced Regularizer. NeurIPS 2022.
//
// The numbers are means and standard deviations over [Runs] runs, accuracy of classification and
// root mean squared error of regression, at the age with the best test score. Apparent errors are
// kept, and described in [Row.Notes].
package published

// Runs is the number of runs of every published mean.
const Runs = 20

// Source names the paper.
const Source = "Qu, Li, Zhao and Gu, NeurIPS 2022"
