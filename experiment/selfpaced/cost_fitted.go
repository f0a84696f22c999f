package selfpaced

// Written by go test ./experiment/selfpaced -run TestFitCosts -update.

var powers = map[string][4]power{
	Lasso:      {{1.3e+06, 0.99, 0.82, 0.77}, {1.4e+07, 0.93, 0.64, 0.06}, {5.2e+07, 0.97, 0.76, 2.43}, {1.1e+08, 1.17, 0.64, -0.74}},
	ElasticNet: {{1.3e+06, 0.99, 0.82, 0.77}, {1.4e+07, 0.93, 0.64, 0.06}, {5.2e+07, 0.97, 0.76, 2.43}, {1.1e+08, 1.17, 0.64, -0.74}},
	Ridge:      {{1.2e+06, 1.09, 0.76, 0.91}, {1.1e+07, 0.97, 0.61, 0.60}, {1.2e+08, 1.14, 0.83, 0.63}, {9.5e+07, 1.27, 0.66, 0.32}},
	Logistic:   {{9.4e+05, 1.04, 0.83, 0.73}, {1.1e+07, 1.15, 0.86, 0.98}, {4.8e+07, 1.36, 1.01, 1.68}, {1.1e+08, 1.41, 0.91, 0.48}},
	SVM:        {{1.1e+06, 0.86, 0.91, 0.66}, {2.1e+07, 1.01, 0.66, 1.03}, {1.3e+08, 1.18, 0.69, 1.04}, {5.9e+07, 1.54, 0.97, 2.02}},
	RBF:        {{2.2e+07, 1.82, 0.23, 0.95}, {6.7e+07, 1.87, 0.19, 0.80}, {2.9e+08, 1.73, -0.19, 0.49}, {4.7e+08, 2.04, -0.08, 1.29}},
}

// regularizerWork is relative to that of the linear regularizer, givenWork to derived ages and deriving
// them.
var (
	regularizerWork = map[string][4]float64{
		Hard:       {1, 1, 0.2, 0.46},
		Polynomial: {1, 1.2, 1.4, 1.5},
		Mixture:    {1, 0.95, 1.4, 1},
		LOG:        {1, 0.98, 0.49, 0.65},
	}
	givenWork = [4]float64{1, 0.58, 0.64, 0.58}
)
