package experiment

import (
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
)

// models reads the key models.
func (r *reader) models(n item) []Models {
	var list []Models
	for _, entry := range r.list(n) {
		name, settings, ok := r.entry(entry, modelNames)
		if !ok {
			continue
		}
		strength := "c"
		keys := []string{"c", "intercept"}
		switch name {
		case Lasso, Ridge:
			strength, keys = "alpha", []string{"alpha", "intercept"}
		case ElasticNet:
			strength, keys = "alpha", []string{"alpha", "l1_ratio", "intercept"}
		case SVM:
			keys = []string{"c", "kernel", "kernel_gamma", "intercept"}
		case ERM:
			keys = []string{"loss", "c", "l1_ratio", "constraint", "intercept"}
		}
		if !settings.given() {
			r.problem(entry, "the key %s is missing, as in {%s: {%s: [0.1, 1]}}", strength, name, strength)
			continue
		}
		fields := r.fields(settings, keys...)
		if fields == nil {
			continue
		}
		m := Models{Name: name, Intercept: name == ERM || modelTasks[name] == dataset.Classification, place: r.place(settings)}
		if n := fields[strength]; n.given() {
			m.Strengths = r.numbers(n, positive)
		} else {
			r.problem(settings, "the key %s is missing: a number > 0, a list or a range", strength)
		}
		if name == ElasticNet {
			m.Ratios = []float64{DefaultL1Ratio}
			if n := fields["l1_ratio"]; n.given() {
				m.Ratios = r.numbers(n, ratio)
			}
		}
		if n := fields["intercept"]; n.given() {
			m.Intercept = r.boolean(n)
		}
		switch name {
		case SVM:
			list = append(list, r.kernels(m, fields)...)
		case ERM:
			list = append(list, r.erm(m, settings, fields)...)
		default:
			list = append(list, m)
		}
	}
	return list
}

// kernels makes one entry for each kernel of a support vector machine: the
// linear one is the default and has no width, and the width of the other is
// "scale" unless it is given.
func (r *reader) kernels(m Models, fields map[string]item) []Models {
	kernels := []string{Linear}
	if n := fields["kernel"]; n.given() {
		kernels = nil
		for _, element := range r.many(n) {
			kernel := oneOf(r, element, Linear, RBF)
			if slices.Contains(kernels, kernel) {
				r.problem(element, "the kernel %s is given twice", kernel)
			}
			kernels = append(kernels, kernel)
		}
	}
	gammas := []float64{ScaleGamma}
	if n := fields["kernel_gamma"]; n.given() {
		gammas = r.numbers(n, widths)
	}
	var list []Models
	for _, kernel := range kernels {
		one := m
		one.Kernel = kernel
		if kernel == RBF {
			one.Gammas = gammas
		}
		list = append(list, one)
	}
	return list
}

// regularizers reads the key regularizers.
func (r *reader) regularizers(n item) []Regularizers {
	var list []Regularizers
	for _, entry := range r.list(n) {
		name, settings, ok := r.entry(entry, regularizerNames)
		if !ok {
			continue
		}
		parameter, has := regularizerParameters[name]
		one := Regularizers{Name: name, place: r.place(entry)}
		switch {
		case has && !settings.given():
			r.problem(entry, "the key %s is missing, as in {%s: {%s: [1.5]}}", parameter.key, name, parameter.key)
			continue
		case has:
			fields := r.fields(settings, parameter.key)
			if n := fields[parameter.key]; n.given() {
				one.Params = r.numbers(n, parameter.rule)
			} else if fields != nil {
				r.problem(settings, "the key %s is missing: %s, a list or a range", parameter.key, parameter.rule.want)
			}
		case settings.given():
			r.problem(settings, "%s has no parameters; write the name alone", name)
		case slices.ContainsFunc(list, func(other Regularizers) bool { return other.Name == name }):
			r.problem(entry, "the regularizer %s is given twice", name)
		}
		list = append(list, one)
	}
	return list
}
