package benchmark

import (
	"math"
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/rehline"
)

// Task is a task with its settings.
type Task struct {
	Name     string            `json:"name"`
	Settings gridfile.Settings `json:"settings,omitzero"`
}

const (
	level     = "level"
	threshold = "threshold"
	epsilon   = "epsilon"
	l1        = "l1"
	tolerance = "tolerance"
	intercept = "intercept"
	penalized = "penalized"
)

// taskInfo declares a task. At the score z its loss is ℓ(w), w = 1 - y z for classes and w = y - z
// for targets.
type taskInfo struct {
	name     string
	of       dataset.Task
	settings []gridfile.SettingInfo
	smooth   bool
	loss     func(s *gridfile.Settings) loss
	rehline  func(y []float64, s *gridfile.Settings) rehline.Loss
}

func (t *taskInfo) Declaration() (name string, settings []gridfile.SettingInfo) {
	return t.name, t.settings
}

// loss is a convex function ℓ with derivative and conjugate ℓ*, finite on [low, high].
type loss struct {
	value, slope, conjugate func(w float64) float64
	low, high               float64
}

func none(float64) float64 { return 0 }

var hinge = loss{
	value:     func(w float64) float64 { return max(w, 0) },
	conjugate: none, high: 1,
}

var smoothedHinge = loss{
	value: func(w float64) float64 {
		if w > 1 {
			return w - 0.5
		}
		return max(w, 0) * max(w, 0) / 2
	},
	slope:     func(w float64) float64 { return min(max(w, 0), 1) },
	conjugate: func(u float64) float64 { return u * u / 2 }, high: 1,
}

var squaredHinge = loss{
	value:     func(w float64) float64 { return max(w, 0) * max(w, 0) },
	slope:     func(w float64) float64 { return 2 * max(w, 0) },
	conjugate: func(u float64) float64 { return u * u / 4 }, high: math.Inf(1),
}

func quantile(q float64) loss {
	return loss{
		value:     func(w float64) float64 { return max(q*w, (q-1)*w) },
		conjugate: none, low: q - 1, high: q,
	}
}

func huber(delta float64) loss {
	return loss{
		value: func(w float64) float64 {
			if size := math.Abs(w); size > delta {
				return delta * (size - delta/2)
			}
			return w * w / 2
		},
		slope:     func(w float64) float64 { return min(max(w, -delta), delta) },
		conjugate: func(u float64) float64 { return u * u / 2 }, low: -delta, high: delta,
	}
}

func insensitive(eps float64) loss {
	return loss{
		value:     func(w float64) float64 { return max(math.Abs(w)-eps, 0) },
		conjugate: func(u float64) float64 { return eps * math.Abs(u) }, low: -1, high: 1,
	}
}

func number(name string, rule gridfile.Rule, standard float64, meaning string) gridfile.SettingInfo {
	return gridfile.SettingInfo{Name: name, Rule: rule, Standard: gridfile.Setting{Number: standard}, Meaning: meaning}
}

var (
	levelSetting     = number(level, gridfile.Level, 0.5, "the quantile q")
	interceptSetting = gridfile.SettingInfo{
		Name: intercept, Words: []string{"none", penalized}, Standard: gridfile.Setting{Word: "none"},
		Meaning: "whether a last column of ones is appended",
	}
)

// taskTable lists tasks in the order of messages and documents.
var taskTable = []*taskInfo{
	classes("svm", hinge, rehline.Hinge),
	classes("smoothed-svm", smoothedHinge, rehline.SmoothedHinge),
	classes("squared-svm", squaredHinge, rehline.SquaredHinge),
	classes("fair-svm", hinge, rehline.Hinge, number(tolerance, gridfile.Positive, 0.01, "the bound t of the covariance")),
	targets("quantile", level, quantile, rehline.Quantile, levelSetting, interceptSetting),
	targets("elastic-net-quantile", level, quantile, rehline.Quantile, levelSetting, interceptSetting,
		number(l1, gridfile.Positive, 1, "the factor κ of ‖β‖₁")),
	targets("huber", threshold, huber, rehline.Huber, number(threshold, gridfile.Positive, 1, "the threshold δ")),
	targets("epsilon-insensitive", epsilon, insensitive, rehline.EpsilonInsensitive,
		number(epsilon, gridfile.AtLeastZero, 0.1, "the tolerance ε")),
}

func classes(name string, l loss, of func(y []float64) rehline.Loss, settings ...gridfile.SettingInfo) *taskInfo {
	return &taskInfo{
		name: name, of: dataset.Classification, settings: settings, smooth: l.slope != nil,
		loss:    func(*gridfile.Settings) loss { return l },
		rehline: func(y []float64, _ *gridfile.Settings) rehline.Loss { return of(y) },
	}
}

func targets(name, parameter string, l func(float64) loss, of func(y []float64, parameter float64) rehline.Loss, settings ...gridfile.SettingInfo) *taskInfo {
	return &taskInfo{
		name: name, of: dataset.Regression, settings: settings, smooth: l(1).slope != nil,
		loss:    func(s *gridfile.Settings) loss { return l(s.Number(parameter)) },
		rehline: func(y []float64, s *gridfile.Settings) rehline.Loss { return of(y, s.Number(parameter)) },
	}
}

func (t *taskInfo) has(setting string) bool {
	return slices.ContainsFunc(t.settings, func(s gridfile.SettingInfo) bool { return s.Name == setting })
}

func (t *Task) appended() int {
	if gridfile.Lookup(taskTable, t.Name).has(intercept) && t.Settings.Word(intercept) == penalized {
		return 1
	}
	return 0
}
