package selfpaced

// Written by go test ./experiment/selfpaced -run TestFitCosts -update.

var powers = map[string][4]power{
	Lasso:      {{1.3e+06, 1.03, 0.83, 0.74}, {1.5e+07, 0.97, 0.69, 0.36}, {6e+07, 0.97, 0.78, 1.89}, {1e+08, 1.16, 0.65, -0.36}},
	ElasticNet: {{1.3e+06, 1.03, 0.83, 0.74}, {1.5e+07, 0.97, 0.69, 0.36}, {6e+07, 0.97, 0.78, 1.89}, {1e+08, 1.16, 0.65, -0.36}},
	Ridge:      {{1.1e+06, 1.09, 0.75, 0.88}, {1e+07, 1.01, 0.65, 0.72}, {9.4e+07, 1.03, 0.83, 0.89}, {7.6e+07, 1.22, 0.69, 0.75}},
	Logistic:   {{9.2e+05, 1.06, 0.77, 0.80}, {1.1e+07, 1.15, 0.86, 0.97}, {2.9e+07, 1.22, 0.84, 1.85}, {1.2e+08, 1.38, 0.86, 0.70}},
	SVM:        {{1.2e+06, 0.89, 0.92, 0.69}, {2.4e+07, 1.08, 0.64, 1.11}, {1.5e+08, 1.17, 0.67, 1.17}, {6.8e+07, 1.45, 1.05, 1.41}},
	RBF:        {{2.4e+07, 1.88, 0.22, 0.95}, {5.5e+07, 1.82, 0.22, 1.02}, {2.1e+08, 1.57, -0.19, 0.81}, {5.4e+08, 2.06, -0.09, 1.09}},
}

// regularizerWork is relative to that of the linear regularizer, givenWork to derived ages and deriving
// them.
var (
	regularizerWork = map[string][4]float64{
		Hard:       {1, 1, 0.19, 0.51},
		Polynomial: {1, 1.1, 1.4, 1.5},
		Mixture:    {1, 0.95, 1.4, 0.98},
		LOG:        {1, 1, 0.45, 0.68},
	}
	givenWork = [4]float64{1, 0.6, 0.65, 0.52}
)
