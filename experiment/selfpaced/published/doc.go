// Package published holds the tables of experiments of the GAGA paper as they
// were published, to put them beside one's own numbers:
//
//	Xingyu Qu, Diyang Li, Xiaohan Zhao, Bin Gu: GAGA: Deciphering Age-path of
//	Generalized Self-paced Regularizer. NeurIPS 2022.
//
// The numbers are means and standard deviations over [Runs] runs, accuracy of
// classification and root mean squared error of regression, at the age with
// the best test score. They are data: what looks wrong in them is kept, and
// told by [Row.Notes].
package published

// Runs is the number of runs that every published mean is over.
const Runs = 20

// Source names the paper.
const Source = "Qu, Li, Zhao and Gu, NeurIPS 2022"
