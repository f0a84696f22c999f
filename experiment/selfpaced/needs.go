package selfpaced

import (
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/lists"
)

// firstNames are those that the workers of the first release compute without announcing them. Every
// later name, also of a program of its own, is a need: a worker that lacks it leaves the cell.
var firstNames = []string{
	"model lasso", "model elastic-net", "model ridge", "model svm", "model logistic", "model erm",
	"regularizer hard", "regularizer linear", "regularizer polynomial", "regularizer mixture", "regularizer log",
	"noise: gaussian", "noise: statp", "noise: flip",
	"loss hinge", "loss squared-hinge", "loss smoothed-hinge", "loss squared", "loss absolute", "loss huber", "loss quantile",
	"loss epsilon-insensitive", "loss squared-epsilon-insensitive", "loss epsilon-insensitive-quantile",
	"constraint nonnegative", "constraint box", "constraint monotone", "constraint sum", "constraint fairness",
}

func nameNeed(kind, name string) experiment.Need {
	return experiment.Need{Name: kind + " " + name, Version: 1}
}

func noiseNeed(kind string, version int) experiment.Need {
	return experiment.Need{Name: "noise: " + kind, Version: version}
}

func autoNeed(version int) experiment.Need {
	return experiment.Need{Name: "age: " + autoWord, Version: version}
}

// usesNeed applies to data with columns that say what rows may be used for.
var usesNeed = experiment.Need{Name: "data: uses of rows", Version: 1}

var medianNeed = experiment.Need{Name: "missing: " + dataset.Median, Version: 1}

// choiceNeed applies to cells with a nonzero choice. Version 4 has corrected labels and another
// [choice.Auto].
var choiceNeed = experiment.Need{Name: "choice", Version: 4}

// later drops the needs that every worker meets, among them those of no name.
func later(needs ...experiment.Need) []experiment.Need {
	return slices.DeleteFunc(needs, func(n experiment.Need) bool {
		return n.Version == 1 && slices.Contains(firstNames, n.Name) || n.Name[len(n.Name)-1] == ' '
	})
}

// needs are those of cells with a model and a method, and with several kinds of noise.
func needs(method experiment.Need, age Age, by Choice, score metric.Name, model, loss, constraint, regularizer string, s dataset.Settings, noise ...dataset.Noise) []experiment.Need {
	list := []experiment.Need{method}
	if age.Auto != 0 {
		list = append(list, autoNeed(age.Auto))
	}
	if by != (Choice{}) {
		list = append(list, choiceNeed)
	}
	if s.Missing != "" {
		list = append(list, medianNeed)
	}
	if s.Clean || s.Split.Own {
		list = append(list, usesNeed)
	}
	names := []experiment.Need{nameNeed("metric", string(score)), nameNeed("model", model), nameNeed("loss", loss), nameNeed("constraint", constraint), nameNeed("regularizer", regularizer)}
	for _, n := range noise {
		if need := noiseNeed(n.Kind, dataset.NoiseVersion(n.Kind)); !slices.Contains(names, need) {
			names = append(names, need)
		}
	}
	return append(list, later(names...)...)
}

// Abilities lists what a worker needs to compute all cells.
func (Kind) Abilities() []experiment.Need {
	list := []experiment.Need{{Name: experiment.CommandNeed, Version: outside.Protocol}, medianNeed, usesNeed, choiceNeed, autoNeed(autoAge)}
	list = append(list, lists.Map(methodTable, (*methodInfo).need)...)
	var names []experiment.Need
	announce := func(kind string, of []string) {
		names = append(names, lists.Map(of, func(name string) experiment.Need { return nameNeed(kind, name) })...)
	}
	announce("model", gridfile.NamesOf(modelTable))
	announce("loss", gridfile.NamesOf(lossTable))
	announce("constraint", gridfile.NamesOf(constraintTable))
	announce("regularizer", gridfile.NamesOf(regularizerTable))
	announce("metric", lists.Map(metric.Choosing(), func(name metric.Name) string { return string(name) }))
	for _, task := range []dataset.Task{dataset.Regression, dataset.Classification} {
		for _, kind := range dataset.NoiseKinds(task) {
			names = append(names, noiseNeed(kind, dataset.NoiseVersion(kind)))
		}
	}
	return append(list, later(names...)...)
}
