package live

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	_ "github.com/agepath/agepath/experiment/selfpaced" // the order of methods
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// TestScores compares means and deviations with those of all scores.
func TestScores(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	got := newTally(knownLabels)
	all := map[string][]float64{}
	counts := map[string][3]int64{} // ended, incomplete, failed
	for i := range 2000 {
		status := experiment.OK
		if random.IntN(4) == 0 {
			status = experiment.Statuses[1+random.IntN(len(experiment.Statuses)-1)]
		}
		dataset, method, alpha := datasets[random.IntN(3)], methods[random.IntN(3)], float64(random.IntN(2))/10
		o := &experiment.Outcome{Cell: fmt.Sprintf("%032x", i), Kind: "toy", Status: status}
		if err := o.Labels.Append(toyLabels, dataset, method, alpha, i); err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(dataset, method, alpha)
		n := counts[key]
		n[0]++
		score := 1000 + random.NormFloat64()
		switch {
		case status == experiment.Incomplete:
			n[1]++
			computed(t, o, score) // means leave it out
		case status == experiment.Skipped:
		case !status.Computed():
			n[2]++
		case i%50 == 0:
			computed(t, o, math.NaN()) // a foreign worker
		default:
			computed(t, o, score)
			all[key] = append(all[key], score)
		}
		counts[key] = n
		got.add(o)
	}
	got.add(&experiment.Outcome{Cell: "dead", Status: experiment.Failed})
	scores := got.scores()
	if len(scores.Groups) != 18 || scores.Left != 1 || !slices.Equal(scores.Labels, []string{"alpha"}) || !slices.Equal(scores.Scores, []string{"test_at_best_test"}) {
		t.Fatalf("%d groups, labels %q, scores %q, %d left", len(scores.Groups), scores.Labels, scores.Scores, scores.Left)
	}
	for _, g := range scores.Groups {
		key := fmt.Sprint(g.Dataset, g.Method, g.Labels[0])
		want := analysis.Summarize(all[key])
		if n := counts[key]; g.Done != n[0] || g.Incomplete != n[1] || g.Failed != n[2] || g.Counts[0] != int64(want.N) || g.Metric != "rmse" {
			t.Errorf("%s: %+v, want %v cells", key, g, n)
		}
		if math.Abs(*g.Means[0]-want.Mean) > 1e-10 || math.Abs(*g.Stds[0]-want.Std) > 1e-10 {
			t.Errorf("%s: %g ± %g, want %g ± %g", key, *g.Means[0], *g.Stds[0], want.Mean, want.Std)
		}
	}
	if names := scores.Groups[0].Method + scores.Groups[1].Method + scores.Groups[2].Method; names != "originalacsgaga" {
		t.Errorf("methods in the order %s", names)
	}
	if again := got.scores(); again != scores {
		t.Error("scores that did not change are copied again")
	}
}

// TestFloorOfScores has a method that all others should beat in a column of its own: none of the
// groups, and next to those of its place whatever labels it has not.
func TestFloorOfScores(t *testing.T) {
	t.Parallel()
	kind := *toyKind
	kind.Layout = &layout.Layout{
		Dimensions: []layout.DimensionInfo{{Column: "dataset"}},
		Floor:      &layout.Floor{Method: "still", Dimensions: []layout.Dimension{layout.Dataset}},
	}
	got := newTally(map[string]*schema{"toy": newSchema(&kind)})
	add := func(dataset, method string, alpha any, score float64) {
		o := &experiment.Outcome{Cell: fmt.Sprintf("%032x", got.total), Kind: "toy", Status: experiment.OK}
		if err := o.Labels.Append(toyLabels, dataset, method, alpha, 1); err != nil {
			t.Fatal(err)
		}
		computed(t, o, score)
		got.add(o)
	}
	add("a", "still", nil, 3)
	if s := got.scores(); len(s.Groups) != 0 || s.Floor != "" {
		t.Errorf("the floor alone: %+v", s)
	}
	add("a", "still", nil, 5)
	add("a", "gaga", 0.1, 1)
	add("a", "gaga", 0.2, 2)
	add("b", "gaga", 0.1, 1)
	s := got.scores()
	if len(s.Groups) != 3 || s.Floor != "still" || !slices.Equal(s.Labels, []string{"alpha"}) {
		t.Fatalf("%d groups, floor %q, labels %q", len(s.Groups), s.Floor, s.Labels)
	}
	for _, g := range s.Groups {
		if has := g.Floor != nil; has != (g.Dataset == "a") || has && *g.Floor != 4 {
			t.Errorf("%s, %s: floor %v", g.Dataset, g.Labels, g.Floor)
		}
	}
}

// TestGroupsBounded wants cells beyond the groups that are told apart to be counted.
func TestGroupsBounded(t *testing.T) {
	t.Parallel()
	got := newTally(knownLabels)
	for i := range mostGroups + 7 {
		got.add(outcome(t, i, "a", fmt.Sprint("method", i), experiment.OK, 1))
	}
	zero := outcome(t, 1, "a", "b\x00c", experiment.OK, 1)
	got.add(zero)
	if s := got.scores(); len(s.Groups) != mostGroups || s.Left != 8 {
		t.Errorf("%d groups, %d cells in none", len(s.Groups), s.Left)
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	r := reasons{}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	add := func(status experiment.Status, text string) {
		at = at.Add(time.Second)
		r.add(status, text, Cell{Cell: fmt.Sprint(at.Unix()), Error: text, Finished: at})
	}
	for i := range 5 {
		add(experiment.Timeout, fmt.Sprintf("not done within %dms: 0xc00012%d\nstack %d", 10*i, i, i))
	}
	add(experiment.Failed, "open /data/abcdef0123456789: no such file")
	add(experiment.Failed, "open /data/fedcba9876543210: no such file")
	add(experiment.Failed, "not done within 1ms: 0xc0001")
	list, others := r.list()
	var got []string
	for _, reason := range list {
		first, _, _ := strings.Cut(reason.Newest.Error, "\n")
		got = append(got, fmt.Sprint(reason.Count, " ", first))
	}
	want := []string{"5 not done within 40ms: 0xc000124", "2 open /data/fedcba9876543210: no such file", "1 not done within 1ms: 0xc0001"}
	if !slices.Equal(got, want) || others != 0 {
		t.Errorf("reasons %q, want %q", got, want)
	}
	for i := range 2 * mostReasons {
		add(experiment.Diverged, "word "+strings.Repeat("x", i))
	}
	if list, others := r.list(); len(r) > mostReasons+1 || len(list) != shownReasons || others == 0 {
		t.Errorf("%d reasons, %d shown, %d cells with others", len(r), len(list), others)
	}
}

// TestHistory wants spans to become longer and no cell to be lost.
func TestHistory(t *testing.T) {
	t.Parallel()
	var h History
	start := time.Date(2026, 1, 1, 0, 0, 0, 5e8, time.UTC)
	h.add(start, experiment.OK)
	h.add(start.Add(-time.Hour), experiment.Timeout) // a cluster's other clock
	h.add(start.Add(1700*time.Millisecond), experiment.Incomplete)
	if h.Span != 1 || len(h.Counts) != 3 || h.Counts[0] != (Counts{OK: 1, Failed: 1}) || h.Counts[2] != (Counts{Incomplete: 1}) {
		t.Errorf("history %+v", h)
	}
	for s := range 10_000 {
		h.add(start.Add(time.Duration(s)*time.Second), experiment.OK)
	}
	var sum Counts
	for _, c := range h.Counts {
		sum.OK, sum.Incomplete, sum.Failed = sum.OK+c.OK, sum.Incomplete+c.Incomplete, sum.Failed+c.Failed
	}
	if sum != (Counts{10_001, 1, 1}) || h.Span != 64 || len(h.Counts) > mostSpans || h.Counts[1].OK != 64 || !h.Last.Equal(start.Add(9999*time.Second)) {
		t.Errorf("%+v in %d spans of %g s", sum, len(h.Counts), h.Span)
	}
	h.add(start.AddDate(200, 0, 0), experiment.OK)
	if len(h.Counts) > mostSpans {
		t.Errorf("%d spans", len(h.Counts))
	}
}

// TestScoresOfPage asks for scores as the page does.
func TestScoresOfPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.monitor()
	b.submit("run", 2)
	b.compute(17, experiment.OK)
	b.compute(1, experiment.Failed)
	s := b.await(m, "18 cells are done", func(s *State) bool {
		return len(s.Runs) == 1 && s.Runs[0].OK == 17 && s.Runs[0].Failed == 1 && s.Runs[0].Scores.Left == 0
	})
	read := func(path string, to any) {
		t.Helper()
		_, body := request(t, m.Handler(), "GET", path)
		if err := json.Unmarshal([]byte(body), to); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
	}
	var scores Scores
	read("/scores.json?run=run", &scores)
	at := slices.IndexFunc(scores.Groups, func(g Group) bool { return g.Dataset == datasets[0] && g.Method == "original" })
	if len(scores.Groups) != 9 || at < 0 || *scores.Groups[at].Means[0] != (0.25+1.25)/2 {
		t.Fatalf("scores %+v", scores)
	}
	if r := s.Runs[0]; len(r.Reasons) != 1 || r.Reasons[0].Count != 1 || r.History.Last.IsZero() {
		t.Errorf("reasons %+v, history %+v", r.Reasons, r.History)
	}
}
