// Package model builds on the solver of package rehline: the path of solutions over the
// cost C, the choice of C by cross-validation, classifiers of several classes, and the
// completion of matrices of low rank, all of them with any loss, penalty and constraints.
// It uses what rehline exports and nothing else.
//
//	chosen, err := model.CrossValidate(ctx, problem, model.CrossValidation{Costs: model.Costs(1e-3, 10, 9)})
package model
