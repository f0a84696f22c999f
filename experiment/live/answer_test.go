package live

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	_ "github.com/agepath/agepath/experiment/selfpaced" // the order of methods
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// sheetOf returns the sheet with a name, nil where there is none.
func sheetOf(s *Scores, name string) *layout.Sheet {
	if i := slices.IndexFunc(s.Sheets, func(sheet *layout.Sheet) bool { return sheet.Name == name }); i >= 0 {
		return s.Sheets[i]
	}
	return nil
}

// TestAnswer compares the means of an answer, and its groups of failures, with those of all
// outcomes; what cannot be read is left out.
func TestAnswer(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	got := newTally(knownLabels)
	all, failed, left := map[string]map[int]float64{}, map[string]int{}, int64(0)
	for i := range 1500 { // several of addedAtOnce
		dataset, method, repeat := datasets[i%3], methods[i/3%3], i/9+1
		o := &experiment.Outcome{Cell: fmt.Sprintf("%032x", i), Kind: "toy", Status: experiment.OK}
		if err := o.Labels.Append(toyLabels, dataset, "toy", method, 0.1, repeat); err != nil {
			t.Fatal(err)
		}
		score := 1000 + 10*float64(i/3%3) + random.NormFloat64()
		switch {
		case i%50 == 0:
			o.Status, o.Error = experiment.Failed, fmt.Sprintf("bad luck %d", i)
			failed[analysis.MethodLabel(method)]++
		case i%97 == 0:
			computed(t, o, score)
			o.Measures.Columns = o.Measures.Columns[:1] // of another version
			left++
		default:
			computed(t, o, score)
			if all[dataset+" "+method] == nil {
				all[dataset+" "+method] = map[int]float64{}
			}
			all[dataset+" "+method][repeat] = score
		}
		got.add(o)
	}
	got.add(&experiment.Outcome{Cell: "dead", Status: experiment.Failed})
	scores := got.answers.scores(true)
	if left == 0 || scores.Left != left+1 {
		t.Errorf("%d cells are left out, want %d", scores.Left, left+1)
	}
	rmse := sheetOf(scores, "rmse")
	if rmse == nil || len(rmse.Rows) != len(datasets) || len(scores.Verdict) == 0 || strings.HasPrefix(scores.Verdict[0], "So far") {
		t.Fatalf("verdict %q, sheets %+v", scores.Verdict, scores.Sheets)
	}
	for _, row := range rmse.Rows {
		for j, column := range rmse.Columns {
			method := strings.ToLower(column.Head)
			if !slices.Contains(methods, method) {
				continue
			}
			var sum, n, mean float64 // over the repeats that all methods have
			for repeat, score := range all[row[0].Text+" "+method] {
				if !slices.ContainsFunc(methods, func(other string) bool { _, has := all[row[0].Text+" "+other][repeat]; return !has }) {
					sum, n = sum+score, n+1
				}
			}
			if _, err := fmt.Sscan(row[j].Text, &mean); err != nil || n < 100 || math.Abs(mean-sum/n) > 0.0501 {
				t.Errorf("%s, %s: %q, want %g over %g repeats", row[0].Text, method, row[j].Text, sum/n, n)
			}
		}
	}
	for _, row := range sheetOf(scores, "failures").Rows {
		n, method, _ := strings.Cut(row[0].Text, " x ")
		if fmt.Sprint(failed[method]) != n || !strings.HasPrefix(row[1].Text, "bad luck ") {
			t.Errorf("failures %+v, want %v", row, failed)
		}
		delete(failed, method)
	}
	if len(failed) > 0 {
		t.Errorf("failures of %v are not shown", failed)
	}
	if got.answers.scores(true) != scores {
		t.Error("an answer that did not change is made again")
	}
	got.answers.took = 0 // as if it was long ago
	if again := got.answers.scores(false); again == scores || !strings.HasPrefix(again.Verdict[0], "So far") {
		t.Errorf("the verdict of a run that goes on: %q", again.Verdict)
	}
}

// TestAnswerBounded wants cells beyond the room for them to be counted.
func TestAnswerBounded(t *testing.T) {
	t.Parallel()
	got := newTally(knownLabels)
	got.answers.room = 100
	for i := range 130 {
		got.add(outcome(t, i, "a", "b", experiment.Failed, 1))
	}
	if s := got.answers.scores(false); s.Left != 30 || got.answers.kept != 100 || !strings.Contains(sheetOf(s, "failures").Title, "100") {
		t.Errorf("%d cells are left out, %d are not, sheets %+v", s.Left, got.answers.kept, s.Sheets)
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
	b.await(m, "18 cells are done", func(s *State) bool {
		return len(s.Runs) == 1 && s.Runs[0].Phase == Finished && s.Runs[0].OK == 17 && s.Runs[0].Failed == 1 && len(s.Runs[0].Scores.Sheets) > 1
	})
	answer, body := request(t, m.Handler(), "GET", "/scores.json?run=run")
	var scores struct {
		Verdict []string
		Sheets  []struct {
			Name string
			Rows [][]any
		}
	}
	if err := json.Unmarshal([]byte(body), &scores); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v: %s", err, body)
	}
	if len(scores.Verdict) == 0 || len(scores.Sheets) < 2 || scores.Sheets[0].Name != "rmse" || len(scores.Sheets[0].Rows) != 3 {
		t.Errorf("scores %s", body)
	}
}
