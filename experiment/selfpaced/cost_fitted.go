package selfpaced

// Written by go test ./experiment/selfpaced -run TestFitCosts -update.

var powers = [2]map[string]power{
	{
		Lasso:    {4.7e+07, 1.01, 0.56, -0.06, 2.08},
		Ridge:    {1.2e+08, 1.13, 0.09, 0.01, 0.70},
		Logistic: {4.7e+07, 1.15, 0.77, -0.09, 2.23},
		SVM:      {2.3e+08, 1.06, 0.93, -0.17, -0.06},
		RBF:      {4.7e+08, 1.85, -0.08, 0.26, 1.42},
	},
	{
		Lasso:    {1.2e+08, 1.35, 0.49, -0.06, 2.17},
		Ridge:    {7.1e+08, 1.80, 0.52, 0.01, -1.09},
		Logistic: {1.5e+08, 1.42, 0.88, -0.15, 0.56},
		SVM:      {1.2e+08, 1.45, 1.00, -0.01, 1.07},
		RBF:      {8.6e+08, 2.04, 0.24, 0.04, 1.31},
	},
}

// regularizerWork is relative to that of the linear regularizer.
var regularizerWork = [2]map[string]float64{
	{Hard: 0.23, Polynomial: 1.3, Mixture: 1, LOG: 0.5},
	{Hard: 0.17, Polynomial: 0.91, Mixture: 0.55, LOG: 0.43},
}

// givenWork is relative to that with derived ages, for searches at as many.
var givenWork = [2]float64{0.54, 0.65}
