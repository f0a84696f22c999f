package selfpaced

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	need "github.com/agepath/agepath/internal/testing/needs"
)

const fitting = `
name: fitting
repeats: 1
data: [breast_cancer]
noise: [{kind: flip, levels: [0.2]}]
models: [{svm: {c: [0.1, 10], kernel: linear}}]
regularizers: [hard, linear, {polynomial: {order: 1.35}}, {mixture: {gamma: 0.5}}, {log: {a: 1}}]
methods: [acs, acs-once, gaga]
keep: {knots: true, coefficients: true}
`

// TestAgesFit wants the methods of a setting over one range, derived where the grid gives no ages,
// whose paths have all samples in at its end, and different fits counted.
func TestAgesFit(t *testing.T) {
	need.Patience(t, "2 s")
	t.Parallel()
	tasks, plan := firstTasks(t, fitting+"age: {direction: up}\n")
	type setting struct {
		c float64
		r Regularizer
	}
	ranges := map[setting][2]float64{}
	for _, task := range tasks {
		measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		cell, err := DecodeCell(task.Spec)
		if err != nil {
			t.Fatal(err)
		}
		name, at := cell.Method.Name, setting{cell.Model.C, cell.Method.Regularizer}
		if got := columnOf(labelColumns, &task.Labels, "age_range").Texts[0]; got != "auto" {
			t.Errorf("age_range is %q", got)
		}
		is := [2]float64{number(t, measures, "age_from"), number(t, measures, "age_to")}
		if other, known := ranges[at]; known && other != is {
			t.Errorf("%s with %v has ages %v, another method %v", name, at, is, other)
		}
		ranges[at] = is
		if got := number(t, measures, "age_reached"); got != is[1] {
			t.Errorf("%s with %v reaches %v of %v", name, at, got, is[1])
		}
		knots := further["knots"]
		out := columnOf(furtherTables[0].Columns[1:], &knots, "discarded").Ints
		status := columnOf(measureColumns, &measures, "path_status").Texts[0]
		if name != ACSOnce && (out[len(out)-1] > 0 || !strings.HasPrefix(status, "complete")) {
			t.Errorf("%s with %v: %d samples are out at the end, %s", name, at, out[len(out)-1], status)
		}
		fits := columnOf(measureColumns, &measures, "distinct_fits")
		if fits.IsNull(0) != (name == GAGA) {
			t.Errorf("%s: distinct_fits is null: %t", name, fits.IsNull(0))
		}
		if name == GAGA {
			continue
		}
		if want := differing(further["coefficients"].Columns[1].Lists); fits.Ints[0] != want {
			t.Errorf("%s with %v: %d different fits, want %d", name, at, fits.Ints[0], want)
		}
		if name == ACS && at == (setting{0.1, Regularizer{Name: Linear}}) && fits.Ints[0] < 30 {
			t.Errorf("acs with %v has %d different fits at %d ages", at, fits.Ints[0], knots.Rows)
		}
	}
	for r, a := range ranges {
		if b := ranges[setting{10, r.r}]; r.c == 0.1 && r.r.Name != Mixture && !(b[1] > 20*a[1]) {
			t.Errorf("%s: ages %v at C = 0.1 and %v at C = 10", r.r.Name, a, b)
		}
	}
	tasks, plan = firstTasks(t, strings.Replace(fitting, "methods: [acs, acs-once, gaga]", "methods: [acs]\nage: {min: 0.1, max: 20}", 1))
	measures, _, err := Kind{}.Compute(t.Context(), &tasks[0], plan) // hard, C = 0.1
	if err != nil {
		t.Fatal(err)
	}
	if fits, knots := number(t, measures, "distinct_fits"), number(t, measures, "knots"); fits > 5 || knots != 41 {
		t.Errorf("%v different fits at %v given ages that all lie beyond the losses", fits, knots)
	}
}

// differing counts lists that are not the one before, to six digits of the largest number.
func differing(lists [][]float64) int64 {
	n := int64(1)
	for k := 1; k < len(lists); k++ {
		worst := 0.0
		for _, w := range lists[k] {
			worst = max(worst, math.Abs(w))
		}
		for j, w := range lists[k] {
			if math.Abs(w-lists[k-1][j]) > 1e-6*worst {
				n++
				break
			}
		}
	}
	return n
}

// TestAgesThatCannotFit wants methods refused that leave nothing to derive ages from.
func TestAgesThatCannotFit(t *testing.T) {
	t.Parallel()
	for keys, refused := range map[string]bool{"run: [sh], uses: [age]": true, "run: [sh], uses: [age, model]": false, "run: [sh]": false} {
		grid := mustParse(t, "data: [r1]\nmodels: [{lasso: {alpha: 1}}]\nregularizers: [linear]\nmethods: [{command: {name: mine, "+keys+"}}]\n")
		_, err := grid.Plan(t.Context(), testLibrary{})
		if said := err != nil && strings.Contains(err.Error(), "give ages, as in age: {min: 0.1, max: 20}"); said != refused {
			t.Errorf("%s: %v", keys, err)
		}
	}
}

// TestDirections wants the paths up and down of a cell, and both in one; scores at the largest age are
// those of all rows.
func TestDirections(t *testing.T) {
	t.Parallel()
	type path struct{ ages, scores []float64 }
	read := func(direction string) (ways map[string]path) {
		grid := strings.Replace(fitting, "methods: [acs, acs-once, gaga]", "methods: [acs, gaga]\nage: {direction: "+direction+"}", 1)
		tasks, plan := firstTasks(t, strings.Replace(grid, "[hard, linear, {polynomial: {order: 1.35}}, {mixture: {gamma: 0.5}}, {log: {a: 1}}]", "[linear]", 1))
		ways = map[string]path{}
		for _, task := range tasks {
			measures, further, err := Kind{}.Compute(t.Context(), &task, plan)
			if err != nil {
				t.Fatal(err)
			}
			outcome := &experiment.Outcome{Labels: task.Labels, Measures: measures, Further: further}
			if err := consistent(outcome); err != nil {
				t.Errorf("%s: %v", direction, err)
			}
			cell, err := DecodeCell(task.Spec)
			if err != nil {
				t.Fatal(err)
			}
			if got := columnOf(labelColumns, &task.Labels, "age_direction").Texts[0]; got != direction {
				t.Errorf("age_direction is %q, want %s", got, direction)
			}
			knots, name := further["knots"], cell.Method.Name+" "+strconv.FormatFloat(cell.Model.C, 'g', -1, 64)
			column := func(name string) *experiment.Vector { return columnOf(furtherTables[0].Columns[1:], &knots, name) }
			for k, way := range column("direction").Texts {
				p := ways[name+" "+way]
				p.ages, p.scores = append(p.ages, column("age").Floats[k]), append(p.scores, column("test_score").Floats[k])
				ways[name+" "+way] = p
			}
			last := number(t, measures, "age_last_out")
			for k, out := range column("discarded").Ints {
				if age := column("age").Floats[k]; out > 0 && age > last {
					t.Errorf("%s: %d rows are out at age %v, and none after %v", direction, out, age, last)
				}
			}
			largest := slices.Index(column("age").Floats, slices.Max(column("age").Floats))
			if got := number(t, measures, "test_at_end"); got != column("test_score").Floats[largest] {
				t.Errorf("%s: the score at the end is %v, at the largest age %v", direction, got, column("test_score").Floats[largest])
			}
		}
		return ways
	}
	up := read("up")
	down := read("down")
	both := read("both")
	if len(both) != len(up)+len(down) || len(up) != 4 || len(down) != 4 {
		t.Fatalf("%d, %d and %d paths", len(up), len(down), len(both))
	}
	for name, p := range both {
		want, descends := up[name], false
		if strings.HasSuffix(name, " down") {
			want, descends = down[name], true
		}
		if !slices.Equal(p.ages, want.ages) || !slices.Equal(p.scores, want.scores) {
			t.Errorf("%s: %d knots differ from those of one direction, %d", name, len(p.ages), len(want.ages))
		}
		if descends {
			slices.Reverse(p.ages)
		}
		if !slices.IsSorted(p.ages) {
			t.Errorf("%s: ages %v", name, p.ages)
		}
	}
}

// TestDirectionByTask wants both directions of derived ages of classifiers, unless the grid says one.
func TestDirectionByTask(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		age  string
		want string
	}{{"auto", "both"}, {"{direction: up}", "up"}, {"{min: 0.1, max: 2}", "up"}} {
		grid := mustParse(t, "regularizers: [linear]\nmethods: [gaga]\nage: "+of.age+"\nsweeps: [{data: [r1], models: [{lasso: {alpha: 1}}]}, {data: [c1], models: [{svm: {c: 1, kernel: linear}}]}]\n")
		for _, s := range grid.Section.(*Section).Sweeps {
			for task, want := range map[dataset.Task]string{dataset.Regression: "up", dataset.Classification: of.want} {
				method := Method{Name: GAGA, Age: s.Age.of(task)}
				if got := method.direction(); got != want {
					t.Errorf("age %s, %s: direction %s, want %s", of.age, task, got, want)
				}
			}
		}
	}
}

// TestDirectionsParsed wants a direction to keep the default range, and upwards to be the same cell
// without it.
func TestDirectionsParsed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Age{
		"{direction: up}":                         {{Auto: autoAge}},
		"{direction: [up, both]}":                 {{Auto: autoAge}, {Auto: autoAge, Direction: "both"}},
		"{min: 1, max: 2, direction: down}":       {{Min: 1, Max: 2, Step: 0.5, Direction: "down"}},
		"[auto, {max: 3, direction: [down, up]}]": {{Auto: autoAge, Direction: byTask}, {Min: 0.1, Max: 3, Step: 0.5, Direction: "down"}, {Min: 0.1, Max: 3, Step: 0.5}},
	} {
		grid := mustParse(t, "data: [r1]\nmodels: [{lasso: {alpha: 1}}]\nregularizers: [linear]\nmethods: [gaga]\nage: "+text+"\n")
		var got []Age
		for _, s := range grid.Section.(*Section).Sweeps {
			got = append(got, s.Age)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}
