package live

import (
	"cmp"
	"encoding/hex"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
)

// mostGroups bounds the groups of cells that are scored; cells of further ones are only
// counted.
const mostGroups = 5000

// ungrouped are the labels in which the cells of a group differ, and those that follow
// from others.
var ungrouped = []string{"task", "n_test", "n_features", "method_params", "repeat", "seed"}

// schema is what is read of the outcomes of a kind of experiment.
type schema struct {
	experiment.Tables
	dataset, method int    // positions of labels, -1 for none
	params          int    // likewise, the settings of the method
	grouping        []int  // positions of the labels that groups differ in, but for dataset and method
	metric          int    // position of a measure, -1 for none
	scores          []int  // positions of the measures that are analysis.ScoreColumns, -1 for none
	floor           string // name of the layout's floor, "" for none
	placed          []int  // positions in grouping of the labels that the floor has
}

// place returns the position of a column, -1 for none.
func place(columns []experiment.Column, name string, kind experiment.Type) int {
	return slices.IndexFunc(columns, func(c experiment.Column) bool { return c.Name == name && c.Type == kind })
}

func newSchema(kind *experiment.Registration) *schema {
	tables := kind.Tables()
	s := &schema{
		Tables:  tables,
		dataset: place(tables.Labels, "dataset", experiment.Text),
		method:  place(tables.Labels, "method", experiment.Text),
		params:  place(tables.Labels, "method_params", experiment.Text),
		metric:  place(tables.Measures, "metric", experiment.Text),
	}
	var placed []string
	if kind.Layout != nil && kind.Layout.Floor != nil {
		s.floor = kind.Layout.Floor.Method
		for _, d := range kind.Layout.Floor.Dimensions {
			placed = append(placed, kind.Layout.Column(d))
		}
	}
	for j, column := range tables.Labels {
		if j != s.dataset && j != s.method && !slices.Contains(ungrouped, column.Name) {
			if slices.Contains(placed, column.Name) {
				s.placed = append(s.placed, len(s.grouping))
			}
			s.grouping = append(s.grouping, j)
		}
	}
	for _, name := range analysis.ScoreColumns {
		s.scores = append(s.scores, place(tables.Measures, name, experiment.Float))
	}
	return s
}

// group is the cells of a method in a setting, over the repeats.
type group struct {
	id      string
	kind    string
	dataset string
	method  string   // with its settings
	labels  []string // those of schema.grouping
	metric  string   // "" while no cell was scored

	done, incomplete, failed int64
	scores                   []moments // of cells that are ok, one for each of analysis.ScoreColumns
}

// moments are the number, the mean and the sum of squared deviations of numbers, by
// Welford's method.
type moments struct {
	n        int64
	mean, m2 float64
}

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.m2 += d * (x - m.mean)
}

// std returns the sample standard deviation, NaN of less than two numbers.
func (m *moments) std() float64 { return math.Sqrt(m.m2 / float64(m.n-1)) }

// groups are the groups of a run.
type groups struct {
	byKey map[string]*group
	order []*group // in which they came
	left  int64    // cells that are in none
	key   []byte   // that is being looked up
}

// add scores an outcome.
func (g *groups) add(s *schema, o *experiment.Outcome) {
	group := g.of(s, o)
	if group == nil {
		g.left++
		return
	}
	group.done++
	switch {
	case o.Status.Failed():
		group.failed++
	case o.Status == experiment.Incomplete:
		group.incomplete++
	default:
		group.score(s, o)
	}
}

// of returns the group of an outcome, nil where it has none.
func (g *groups) of(s *schema, o *experiment.Outcome) *group {
	if s == nil || s.dataset < 0 || s.method < 0 || o.Labels.Rows != 1 || o.Labels.Fits(s.Labels) != nil {
		return nil
	}
	g.key = append(append(g.key[:0], o.Kind...), 0)
	for _, j := range append([]int{s.dataset, s.method, s.params}, s.grouping...) {
		g.key = append(appendLabel(g.key, s, o, j), 0)
	}
	if known := g.byKey[string(g.key)]; known != nil || len(g.byKey) >= mostGroups {
		return known
	}
	texts := strings.Split(string(g.key), "\x00") // kind, data set, method, settings, labels, ""
	if len(texts) != len(s.grouping)+5 {
		return nil // a label with a zero byte
	}
	hash := fnv.New128a()
	hash.Write(g.key)
	added := &group{
		id: hex.EncodeToString(hash.Sum(nil)), kind: o.Kind, dataset: texts[1],
		method: strings.TrimSpace(texts[2] + " " + plainSettings.Replace(texts[3])),
		labels: texts[4 : len(texts)-1], scores: make([]moments, len(s.scores)),
	}
	g.byKey[string(g.key)] = added
	g.order = append(g.order, added)
	return added
}

// plainSettings writes settings of a method, a JSON object, as in delta=0.2 k=3.
var plainSettings = strings.NewReplacer("{", "", "}", "", `"`, "", ":", "=", ",", " ")

// appendLabel appends a label as text, nothing for one that is null.
func appendLabel(text []byte, s *schema, o *experiment.Outcome, j int) []byte {
	if j < 0 || o.Labels.Columns[j].IsNull(0) {
		return text
	}
	switch v := &o.Labels.Columns[j]; s.Labels[j].Type {
	case experiment.Int:
		return strconv.AppendInt(text, v.Ints[0], 10)
	case experiment.Float:
		return strconv.AppendFloat(text, v.Floats[0], 'g', -1, 64)
	case experiment.Text:
		return append(text, v.Texts[0]...)
	}
	return text
}

// score adds the scores of a cell that is ok.
func (g *group) score(s *schema, o *experiment.Outcome) {
	if o.Measures.Rows != 1 || o.Measures.Fits(s.Measures) != nil {
		return
	}
	if s.metric >= 0 && g.metric == "" && !o.Measures.Columns[s.metric].IsNull(0) {
		g.metric = named(o.Measures.Columns[s.metric].Texts[0])
	}
	for k, j := range s.scores {
		if j < 0 || o.Measures.Columns[j].IsNull(0) {
			continue
		}
		if x := o.Measures.Columns[j].Floats[0]; !math.IsNaN(x) && !math.IsInf(x, 0) {
			g.scores[k].add(x)
		}
	}
}

// Scores are the scores of a run so far.
type Scores struct {
	Labels []string `json:"labels"` // names of the labels in which groups differ
	Scores []string `json:"scores"` // names of the scores that any group has
	Floor  string   `json:"floor"`  // label of the method that all others should beat, "" where it has no scores
	Groups []Group  `json:"groups"`
	Left   int64    `json:"left"` // cells in no group: there are too many groups, or their labels cannot be read
}

// Group is what a method reached in a setting.
type Group struct {
	ID         string     `json:"id"`
	Dataset    string     `json:"dataset"`
	Method     string     `json:"method"`
	Labels     []string   `json:"labels"` // "" for one that does not apply
	Metric     string     `json:"metric"` // rmse, accuracy or ""
	Done       int64      `json:"done"`   // cells that have ended
	Incomplete int64      `json:"incomplete"`
	Failed     int64      `json:"failed"`
	Means      []*float64 `json:"means"` // over the cells that are ok, nil for none
	Stds       []*float64 `json:"stds"`  // of these, nil for less than two
	Counts     []int64    `json:"counts"`
	Floor      *float64   `json:"floor"` // mean of the first of the scores that the floor has there, nil for none
}

// copy returns the scores as they are, by data set, labels and method. Labels that are
// the same everywhere are left out, and so is the size of the training part where it
// follows from the data set.
func (g *groups) copy(schemas map[string]*schema) *Scores {
	scores := &Scores{Labels: []string{}, Scores: []string{}, Groups: []Group{}, Left: g.left}
	if len(g.order) == 0 {
		return scores
	}
	s := schemas[g.order[0].kind] // runs are of one kind
	var order []*group
	floors := map[string]*group{}
	for _, x := range g.order {
		switch {
		case x.kind != g.order[0].kind:
		case x.method == s.floor:
			floors[s.floorPlace(x)] = x
		default:
			order = append(order, x)
		}
	}
	if len(order) == 0 {
		return scores
	}
	slices.SortFunc(order, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.dataset, b.dataset), slices.Compare(a.labels, b.labels),
			analysis.CompareMethods(a.method, b.method))
	})
	var shown, scored []int
	for k, j := range s.grouping {
		if name := s.Labels[j].Name; varies(order, k, name == "n_train") {
			shown, scores.Labels = append(shown, k), append(scores.Labels, name)
		}
	}
	for k, name := range analysis.ScoreColumns {
		if slices.ContainsFunc(order, func(x *group) bool { return x.scores[k].n > 0 }) {
			scored, scores.Scores = append(scored, k), append(scores.Scores, name)
		}
	}
	for _, x := range order {
		row := Group{
			ID: x.id, Dataset: x.dataset, Method: x.method, Labels: []string{}, Metric: x.metric,
			Done: x.done, Incomplete: x.incomplete, Failed: x.failed,
			Means: []*float64{}, Stds: []*float64{}, Counts: []int64{},
		}
		for _, k := range shown {
			row.Labels = append(row.Labels, x.labels[k])
		}
		for _, k := range scored {
			m := &x.scores[k]
			row.Means = append(row.Means, known(m.mean, m.n > 0))
			row.Stds = append(row.Stds, known(m.std(), m.n > 1))
			row.Counts = append(row.Counts, m.n)
		}
		if floor := floors[s.floorPlace(x)]; floor != nil && len(scored) > 0 {
			m := &floor.scores[scored[0]]
			if row.Floor = known(m.mean, m.n > 0); row.Floor != nil {
				scores.Floor = analysis.MethodLabel(s.floor)
			}
		}
		scores.Groups = append(scores.Groups, row)
	}
	return scores
}

// floorPlace names the data set and those labels of a group that the floor has too.
func (s *schema) floorPlace(x *group) string {
	texts := []string{x.dataset}
	for _, k := range s.placed {
		texts = append(texts, x.labels[k])
	}
	return strings.Join(texts, "\x00")
}

// known returns a number, nil for one that is not there or not finite.
func known(x float64, there bool) *float64 {
	if !there || math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// varies reports whether groups, sorted by data set, differ in a label, or with within
// those of one data set.
func varies(order []*group, label int, within bool) bool {
	for i, x := range order[1:] {
		if x.labels[label] != order[i].labels[label] && (!within || x.dataset == order[i].dataset) {
			return true
		}
	}
	return false
}
