package live

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/chromium"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

// paced returns the outcome of a cell of the self-paced kind whose score and times are
// shifted.
func paced(t *testing.T, run string, cell, repeat int, method string, shift float64) *experiment.Outcome {
	t.Helper()
	values := map[string]any{
		"dataset": "diabetes", "task": "regression", "model": "lasso", "alpha": 0.01, "method": method, "repeat": repeat, "seed": repeat,
		"metric": "rmse", "n_train": 265, "test_at_best_test": 50 + float64(repeat) + shift, "test_at_end": 60.0,
	}
	row := func(b *experiment.Batch, columns []experiment.Column) {
		var cells []any
		for _, column := range columns {
			cells = append(cells, values[column.Name])
		}
		if err := b.Append(columns, cells...); err != nil {
			t.Fatal(err)
		}
	}
	o := &experiment.Outcome{
		Run: run, Cell: fmt.Sprintf("%032x", cell), Kind: selfpaced.Kind{}.Name(), Status: experiment.OK, Attempts: 1, Wall: 2 + shift,
		Worker: "w" + run, Version: "v" + run, Started: time.Unix(1, 0), Finished: time.Unix(3, 0),
	}
	row(&o.Labels, selfpaced.Tables().Labels)
	if shift < 0 {
		o.Status, o.Error = experiment.Timeout, "not done within 2s: <b>too long</b>"
		return o
	}
	row(&o.Measures, selfpaced.Tables().Measures)
	return o
}

// pacedRun makes a run of two methods over repeats, of which the second method's scores
// are shifted, and which has a cell of its own.
func pacedRun(t *testing.T, run string, own int, shift float64) (outcomes []*experiment.Outcome) {
	t.Helper()
	for r := 1; r <= 8; r++ {
		outcomes = append(outcomes, paced(t, run, r, r, "original", 0), paced(t, run, 100+r, r, "gaga", shift*float64(r)))
	}
	return append(outcomes, paced(t, run, own, 9, "acs", 0))
}

// folder writes outcomes to a folder of results.
func folder(t *testing.T, dir, run string, outcomes []*experiment.Outcome) {
	t.Helper()
	store, err := results.Open(t.Context(), dir, results.StoreOptions{Tables: selfpaced.Tables(), Run: run, Kept: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if err := store.Adopt(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// compared is what /compare.json answers.
type compared struct {
	State, Step, Error string
	Comparison         map[string]any
}

// compareSides asks until a comparison is made.
func compareSides(t *testing.T, m *Monitor, sides ...string) (answer compared) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		_, body := request(t, m.Handler(), "GET", "/compare.json?"+url.Values{"with": sides}.Encode())
		answer = compared{}
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if answer.State == "done" || answer.State == "failed" || time.Now().After(deadline) {
			return answer
		}
	}
}

// TestComparison compares folders as the command does, with a run of the server, and
// refuses what is too large.
func TestComparison(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	dir := t.TempDir()
	before, after, huge := filepath.Join(dir, "before"), filepath.Join(dir, "after"), filepath.Join(dir, "huge")
	folder(t, before, "one", pacedRun(t, "one", 500, 0))
	folder(t, after, "two", pacedRun(t, "two", 501, 0.5))
	folder(t, huge, "three", nil)
	if err := results.WriteManifest(huge, &results.Manifest{SchemaVersion: results.SchemaVersion, Run: "three", Cells: mostCompared + 1}); err != nil {
		t.Fatal(err)
	}
	stray := paced(t, "run", 700, 1, "gaga", 0)
	stray.Measures.Columns = stray.Measures.Columns[:1]
	b.store(append(pacedRun(t, "run", 500, -1), stray)...)
	m := New(Config{
		Queue: b.Queue, Kinds: experiment.Registrations(), Version: "v1", Results: []string{before, after, huge},
		Report: func(err error) { t.Log(err) },
	})
	b.await(m, "the run is there", func(s *State) bool { return len(s.Runs) == 1 && s.Runs[0].OK == 10 && s.Runs[0].Failed == 8 })

	got := compareSides(t, m, "folder:1", "folder:2")
	want, err := report.Compare(t.Context(), []string{before, after}, analysis.CompareOptions{Rounding: analysis.Rounding})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Comparison, object) {
		t.Errorf("compared %+v, want %s", got, text)
	}
	got = compareSides(t, m, "folder:1", "run:run")
	text, err = json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"dir":"run run"`, `"shared":17`, `"baseline":"ok","cells":8,"other":"timeout"`, "1 results of run run cannot be read"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if strings.Contains(string(text), os.TempDir()+"/agepath-compare") {
		t.Errorf("the folder of its own shows: %s", text)
	}
	if got := compareSides(t, m, "folder:1", "folder:3"); got.State != "failed" || !strings.Contains(got.Error, "100000 are compared here") {
		t.Errorf("too many cells: %+v", got)
	}
	lookAtComparison(t, m)
	m.comparisons.end()
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "agepath-compare-*")); err != nil || len(left) > 0 {
		t.Errorf("folders %q are left, error %v", left, err)
	}
	if got, err := m.comparisons.of(m, m.sides()); err == nil {
		t.Errorf("after the end %+v", got)
	}
}

// store makes outcomes results of a run at the server.
func (b *bed) store(outcomes ...*experiment.Outcome) {
	b.t.Helper()
	for _, o := range outcomes {
		b.publish(experiment.Task{Run: o.Run, Cell: o.Cell, Kind: o.Kind, Labels: o.Labels, Limits: experiment.Limits{Attempts: 1}})
		if err := b.pull().Done(b.ctx, o); err != nil {
			b.t.Fatal(err)
		}
	}
}

// lookAtComparison compares three runs in a browser, and then two by the form.
func lookAtComparison(t *testing.T, m *Monitor) {
	t.Helper()
	address := serve(t, m)
	p := chromium.Open(t, address+"compare#with=folder%3A1&with=folder%3A2&with=run%3Arun", address)
	p.Await(`document.querySelectorAll("#pairs section").length > 6`)
	text := func(expression string) string { return chromium.Value[string](p, expression) }
	if got, want := text(`[...document.querySelectorAll("#runs tbody tr")].map((tr) => tr.cells[0].textContent + tr.cells[7].textContent).join()`), "A0,B0,C8"; got != want {
		t.Errorf("failed cells %q, want %q", got, want)
	}
	rows := func(id string) string {
		return text(`[...document.querySelectorAll('[aria-labelledby="` + id + `"].frame tbody tr')].map((tr) => [...tr.cells].map((td) => td.textContent).join(" ")).join("; ")`)
	}
	if got, want := rows("B-cells"), "all 16 1 0 0; original 8 0 0 0; acs 0 1 0 0; gaga 8 0 0 0"; got != want {
		t.Errorf("cells %q, want %q", got, want)
	}
	if got, want := rows("B-scores"), "diabetes gaga test at best test rmse 8 54.5 56.75 2.25 0 8 "; !strings.HasPrefix(got, want) {
		t.Errorf("scores %q, want %q", got, want)
	}
	if got, want := rows("C-cells-that-ended-otherwise"), "ok timeout not done within 2s: <b>too long</b>"; strings.Count(got, want) != 8 {
		t.Errorf("failures %q", got)
	}
	p.CheckLooks("compare", 2600)
	p.Do(chromedp.Focus(`#others input[value="folder:2"]`), chromedp.KeyEvent(" "), chromedp.Focus("#sides button"), chromedp.KeyEvent(kb.Enter))
	p.Await(`document.querySelectorAll("#runs tbody tr").length === 2 && document.title === "` + m.config.Results[0] + ` – run run – agepath"`)
	p.Do(chromedp.Focus(`#others input[value="folder:3"]`), chromedp.KeyEvent(" "), chromedp.Focus("#sides button"), chromedp.KeyEvent(kb.Enter))
	p.Await(`document.querySelector("#progress-note.bad")?.textContent.includes("coordinator compare")`)
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("the page complains:\n%s", strings.Join(problems, "\n"))
	}
}
