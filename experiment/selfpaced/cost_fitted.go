package selfpaced

// Written by go test ./experiment/selfpaced -run TestFitCosts -update.

var powers = map[string][4]power{
	Lasso:      {{1e+06, 0.70, 0.88, 0.91}, {2.8e+07, 0.86, 0.73, 0.63}, {8.4e+07, 0.98, 0.65, 2.14}, {1.5e+08, 1.32, 0.69, 2.15}},
	ElasticNet: {{1e+06, 0.70, 0.88, 0.91}, {2.8e+07, 0.86, 0.73, 0.63}, {8.4e+07, 0.98, 0.65, 2.14}, {1.5e+08, 1.32, 0.69, 2.15}},
	Ridge:      {{1e+06, 0.95, 1.09, 1.17}, {3.2e+07, 0.97, 0.68, 0.82}, {2.1e+08, 1.15, 0.53, 0.48}, {1.9e+08, 1.32, 0.63, 0.99}},
	Logistic:   {{3.9e+06, 1.33, 0.67, 1.16}, {2.7e+07, 1.29, 0.77, 0.83}, {2.5e+08, 1.43, 0.90, 1.70}, {2.5e+08, 1.23, 0.75, 1.17}},
	SVM:        {{5.1e+06, 1.33, 0.59, 0.70}, {4.2e+07, 1.07, 0.67, 1.55}, {3.4e+08, 1.46, 0.80, 2.30}, {1.7e+08, 1.34, 0.91, 1.66}},
	RBF:        {{1.8e+07, 1.91, 0.36, 0.87}, {5.8e+07, 1.79, 0.13, 1.30}, {3.2e+08, 1.83, 0.06, 2.11}, {1.1e+09, 2.03, -0.04, 1.32}},
}

// regularizerWork is relative to that of the linear regularizer, givenWork to derived ages and deriving
// them.
var (
	regularizerWork = map[string][4]float64{
		Hard:       {1, 0.88, 0.23, 0.41},
		Polynomial: {1, 1.1, 1.2, 2.4},
		Mixture:    {1, 1.1, 0.88, 0.97},
		LOG:        {1, 0.71, 0.7, 0.65},
	}
	givenWork = [4]float64{1, 0.3, 0.43, 0.43}
)
