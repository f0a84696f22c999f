package selfpaced

// Written by go test ./experiment/selfpaced -run TestFitCosts -update.

var powers = [2]map[string]power{
	{
		Lasso:    {4e+07, 1.24, 0.68, -0.09, 1.58},
		Ridge:    {1.6e+08, 1.05, 0.44, 0.08, 1.01},
		Logistic: {1.1e+08, 1.24, 0.25, -0.13, 1.01},
		SVM:      {2e+08, 1.46, 0.88, -0.14, 0.90},
		RBF:      {2e+08, 2.01, 0.21, 0.01, 1.01},
	},
	{
		Lasso:    {1.1e+08, 1.28, 0.70, -0.10, 1.21},
		Ridge:    {8.3e+08, 1.63, 0.75, 0.02, -1.87},
		Logistic: {1.1e+08, 1.56, 0.85, 0.01, 1.81},
		SVM:      {1.7e+08, 1.47, 0.64, -0.11, 1.31},
		RBF:      {6.6e+08, 1.94, 0.21, -0.00, 1.03},
	},
}

// regularizerWork is relative to that of the linear regularizer.
var regularizerWork = [2]map[string]float64{
	{Hard: 0.2, Polynomial: 0.94, Mixture: 1.9, LOG: 0.47},
	{Hard: 0.22, Polynomial: 1, Mixture: 0.48, LOG: 0.36},
}

// givenWork is relative to that with derived ages, for searches at as many.
var givenWork = [2]float64{0.55, 1.6}
