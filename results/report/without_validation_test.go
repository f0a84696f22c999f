package report

import (
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
)

// TestWithoutValidation reports a run of the paper's protocol: the oracle chooses, which is
// said once, and each method's settings are.
func TestWithoutValidation(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for repeat := 1; repeat <= 3; repeat++ {
		row := testrun.Row{"repeat": repeat, "test_at_best_validation": nil, "test_mae_at_best_validation": nil, "test_at_best_test": 0.5 + 0.01*float64(repeat)}
		rows = append(rows,
			testrun.Merge(row, testrun.Row{"method": "gaga"}),
			testrun.Merge(row, testrun.Row{"method": "mospl", "method_params": `{"population":20,"generations":40}`}))
	}
	dir := testrun.Write(t, testrun.Tables{Cells: rows})
	r := mustWrite(t, dir, Options{Figures: -1})
	var shown strings.Builder
	if err := (Text{}).Write(&shown, r); err != nil || !strings.Contains(shown.String(), "\nChosen by the oracle (the test part): age.") {
		t.Errorf("the terminal shows, %v,\n%s", err, shown.String())
	}
	said := 0
	for _, sentence := range r.Missing {
		if strings.Contains(sentence, "no cell has a validation score") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("said %d times: %q", said, r.Missing)
	}
	for _, row := range rows {
		row["status"], row["test_at_best_test"], row["test_at_end"], row["error"] = "failed", nil, nil, "no"
	}
	for _, sentence := range mustWrite(t, testrun.Write(t, testrun.Tables{Cells: rows}), Options{Figures: -1}).Missing {
		if strings.Contains(sentence, "validation") {
			t.Errorf("where all cells failed it says %s", sentence)
		}
	}
	text := written(t, "markdown", r)
	for _, wanted := range []string{"have the same best mean test score", " MOSPL: population=20 generations=40."} {
		if !strings.Contains(text, wanted) {
			t.Errorf("no %q in\n%s", wanted, text)
		}
	}
	for _, unwanted := range []string{"no score", "<sub>", "Oracle: ", "by validation"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%q in\n%s", unwanted, text)
		}
	}
}
