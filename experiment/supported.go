package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// pathRegularizers lists, for each model the age-path engine knows, the
// regularizers it knows with it.
var pathRegularizers = map[string][]string{
	Lasso:      {Hard, Linear, Polynomial, Mixture, LOG},
	ElasticNet: {Hard, Linear, Polynomial, Mixture, LOG},
	Ridge:      {Hard, Linear, Polynomial, Mixture, LOG},
	Logistic:   {Hard, Linear, Polynomial, Mixture, LOG},
}

// Supported returns nil when the method can compute the model with the
// regularizer ("" for methods without one), else an error that says what is
// there instead.
func Supported(method, model, regularizer string) error {
	info := lookupMethod(method)
	switch {
	case info == nil:
		return fmt.Errorf("there is no method %q; there are %s", method, strings.Join(methodNames(), ", "))
	case !slices.Contains(modelNames, model):
		return fmt.Errorf("there is no model %q; there are %s", model, strings.Join(modelNames, ", "))
	case !info.regularized:
		return nil
	case !slices.Contains(regularizerNames, regularizer):
		return fmt.Errorf("there is no regularizer %q; there are %s", regularizer, strings.Join(regularizerNames, ", "))
	case method != GAGA || slices.Contains(pathRegularizers[model], regularizer):
		return nil
	}
	var there []string
	for _, name := range modelNames {
		if known := pathRegularizers[name]; known != nil {
			there = append(there, fmt.Sprintf("%s with %s", name, strings.Join(known, ", ")))
		}
	}
	return fmt.Errorf("%s does not know the model %s with the regularizer %s; it knows %s, and %s knows every pair",
		method, model, regularizer, strings.Join(there, "; "), ACS)
}
