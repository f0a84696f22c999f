package selfpaced

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// TestFoldsPart wants folds to part the training rows, with identical rows in one fold and both
// classes in each.
func TestFoldsPart(t *testing.T) {
	t.Parallel()
	set := choosingSet(dataset.Classification)
	for i := range 60 { // identical rows
		copy(set.X[3*(60+i):3*(61+i)], set.X[3*i:3*(i+1)])
		set.Y[60+i] = set.Y[i]
	}
	plan, tasks := tasksOn(t, set, "models: [{svm: {c: 1}}]\nmethods: [original]\nchoose: {folds: 4}\n")
	cell, prepared := prepare(t, plan, &tasks[0])
	if prepared.Merged == 0 {
		t.Fatal("no rows were merged")
	}
	folds, err := cell.folds(&prepared.Train)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for h := range folds {
		f := &folds[h]
		seen := map[[4]float64]bool{}
		row := func(p *dataset.Part, i int) [4]float64 { return [4]float64{p.X[3*i], p.X[3*i+1], p.X[3*i+2], p.Y[i]} }
		weight := 0.0
		for i := range f.rest.N {
			seen[row(&f.rest, i)] = true
			weight += f.rest.Multiplicity[i]
		}
		classes := map[float64]int{}
		for i := range f.held.N {
			if seen[row(&f.held, i)] {
				t.Errorf("fold %d: the held-out row %d is among the others", h, i)
			}
			classes[f.held.Y[i]]++
		}
		if a, b := float64(classes[1])/float64(f.held.N), weightedMean(&prepared.Train); math.Abs(2*a-1-b) > 0.2 {
			t.Errorf("fold %d has classes %v, the training part the mean %v", h, classes, b)
		}
		total += f.held.N
		if all := float64(prepared.Train.N + prepared.Merged); float64(f.held.N)+weight != all {
			t.Errorf("fold %d: %d rows held out and %v others of %v", h, f.held.N, weight, all)
		}
	}
	if all := prepared.Train.N + prepared.Merged; total != all {
		t.Errorf("%d rows are held out of %d", total, all)
	}
	cell.Choice.Folds = 100
	few := dataset.Part{N: 3, D: 1}
	if _, err := cell.folds(&few); err == nil {
		t.Error("100 folds of 3 rows")
	}
}

// TestFoldScores holds the scores of folds against ridge regressions by normal equations on the rows
// that are not held out. They fail as soon as a fold sees a row that it holds out.
func TestFoldScores(t *testing.T) {
	t.Parallel()
	const alpha = 0.3
	plan, tasks := tasksOn(t, choosingSet(dataset.Regression), "noise: [{kind: gaussian, levels: [0.3]}]\nmodels: [{ridge: {alpha: 0.3}}]\nsplit: {validation: 0}\nmethods: [original]\nchoose: {folds: 5, trimmed: 0.4}\n")
	cell, prepared := prepare(t, plan, &tasks[0])
	folds, err := cell.folds(&prepared.Train)
	if err != nil {
		t.Fatal(err)
	}
	var squares []float64
	for _, f := range folds {
		x := mat.NewDense(f.rest.N, 4, nil)
		for i := range f.rest.N {
			x.SetRow(i, append(slices.Clone(f.rest.X[3*i:3*i+3]), 1))
		}
		var gram, right, theta mat.Dense
		gram.Mul(x.T(), x)
		for j := range 3 {
			gram.Set(j, j, gram.At(j, j)+alpha)
		}
		right.Mul(x.T(), mat.NewVecDense(f.rest.N, f.rest.Y))
		if err := theta.Solve(&gram, &right); err != nil {
			t.Fatal(err)
		}
		for i := range f.held.N {
			r := f.held.Y[i] - theta.At(3, 0)
			for j := range 3 {
				r -= f.held.X[3*i+j] * theta.At(j, 0)
			}
			squares = append(squares, r*r)
		}
	}
	slices.Sort(squares)
	sum, kept := 0.0, len(squares)-int(0.4*float64(len(squares)))
	for _, s := range squares[:kept] {
		sum += s
	}
	want := math.Sqrt(sum / float64(kept))
	measures, _, err := Kind{}.Compute(t.Context(), &tasks[0], plan)
	if err != nil {
		t.Fatal(err)
	}
	if have := number(t, measures, "best_validation"); math.Abs(have-want) > 1e-8 {
		t.Errorf("the score of folds is %v, by the normal equations %v", have, want)
	}
}

// TestFoldsBlind wants the scores of folds not to depend on the test rows: other targets of these
// change the test scores and nothing that the choice goes by.
func TestFoldsBlind(t *testing.T) {
	t.Parallel()
	const grid = "split: {validation: 0.2}\nscale: {target: none}\nmodels: [{lasso: {alpha: 0.01}}]\nregularizers: [linear]\nmethods: [acs, gaga]\nchoose: {rule: smoothed, folds: 3}\n"
	set := choosingSet(dataset.Regression)
	plan, tasks := tasksOn(t, set, grid)
	compute := func(plan *experiment.Plan, tasks []experiment.Task) (ages []float64, scores, tests [][]float64) {
		for _, task := range tasks {
			measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
			if err != nil {
				t.Fatal(err)
			}
			knots := further["knots"]
			ages = append(ages, number(t, measures, "age_of_best_validation"))
			scores, tests = append(scores, knotColumn(&knots, "validation_score").Floats), append(tests, knotColumn(&knots, "test_score").Floats)
		}
		return ages, scores, tests
	}
	_, prepared := prepare(t, plan, &tasks[0])
	ages, scores, tests := compute(plan, tasks)
	other := choosingSet(dataset.Regression)
	for _, i := range prepared.Test.Rows {
		other.Y[i] = 5 - other.Y[i]
	}
	plan, tasks = tasksOn(t, other, grid)
	otherAges, otherScores, otherTests := compute(plan, tasks)
	for k := range ages {
		if ages[k] != otherAges[k] || !slices.Equal(scores[k], otherScores[k]) {
			t.Errorf("cell %d: age %v with other held-out targets, %v before", k, otherAges[k], ages[k])
		}
		if slices.Equal(tests[k], otherTests[k]) {
			t.Errorf("cell %d: the test scores are those of other targets", k)
		}
	}
}

// TestFoldsBoth wants a path with both directions to have the scores of folds that a path up and one
// down have on their own: a knot is matched with one of its own direction.
func TestFoldsBoth(t *testing.T) {
	t.Parallel()
	compute := func(method, direction string) (ages, scores []float64) {
		plan, tasks := tasksOn(t, choosingSet(dataset.Classification), "noise: [{kind: flip, levels: [0.3]}]\nmodels: [{logistic: {c: 1}}]\nregularizers: [linear]\n"+
			"choose: {folds: 3}\nage: {direction: "+direction+"}\nmethods: ["+method+"]\n")
		_, further, err := Kind{}.Compute(t.Context(), &tasks[0], plan)
		if err != nil {
			t.Fatal(err)
		}
		knots := further["knots"]
		return knotColumn(&knots, "age").Floats, knotColumn(&knots, "validation_score").Floats
	}
	for _, method := range []string{ACS, GAGA} {
		ages, scores := compute(method, both)
		upAges, upScores := compute(method, up)
		downAges, downScores := compute(method, down)
		if !slices.Equal(ages, slices.Concat(upAges, downAges)) {
			t.Fatalf("%s: %d knots of both, %d up and %d down", method, len(ages), len(upAges), len(downAges))
		}
		if !slices.Equal(scores, slices.Concat(upScores, downScores)) {
			t.Errorf("%s: scores %v, apart %v and %v", method, scores, upScores, downScores)
		}
		if slices.Equal(upScores, downScores) {
			t.Errorf("%s: the directions have the same scores", method)
		}
	}
}
