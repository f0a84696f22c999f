package selfpaced

import (
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
)

func TestSelect(t *testing.T) {
	t.Parallel()
	const twoSweeps = `
name: two
models: [{lasso: {alpha: [0.1, 0.2]}}]
methods: [original]
select: best
sweeps:
  - {data: [r1], protocol: FIRST}
  - {data: [r2], protocol: SECOND}
`
	two := func(first, second string) string {
		return strings.NewReplacer("FIRST", first, "SECOND", second).Replace(twoSweeps)
	}
	for _, test := range []struct {
		text string
		want experiment.Select
		says string
	}{
		{base, experiment.SelectAll, ""},
		{base + "select: all\n", experiment.SelectAll, ""},
		{base + "select: best\n", experiment.SelectValidation, ""},
		{base + "select: best\nprotocol: paper\n", experiment.SelectTest, ""},
		{two("paper", "paper"), experiment.SelectTest, ""},
		{two("scripts", "scripts"), experiment.SelectTest, ""},
		{two("scripts", "paper"), "", "bad.yaml:2: protocol: scripts scores regression by another error than the other protocols"},
		{two("held-out", "held-out"), experiment.SelectValidation, ""},
		{two("held-out", "paper"), "", "bad.yaml:5: select: best goes by the test part under protocol: paper and by the validation part else"},
		{base + "select: oracle\n", "", `bad.yaml:13: select: "oracle" is not allowed; allowed are all, best`},
		{strings.Replace(base, "validation: 0.2", "validation: 0", 1) + "select: best\n", "", "select: best goes by the validation part, and split.validation is 0"},
	} {
		g, err := experiment.Parse([]byte(test.text), "bad.yaml", nil)
		switch {
		case test.says != "":
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %s", err, test.says)
			}
		case err != nil:
			t.Error(err)
		case sectionOf(g).Select != test.want:
			t.Errorf("%q, want %q, for\n%s", sectionOf(g).Select, test.want, test.text)
		}
	}
	// What is computed does not depend on it.
	if all, best := mustPlan(t, huberGrid), mustPlan(t, huberGrid, "select=best"); all.Run != best.Run {
		t.Errorf("run %s with select: best, %s without", best.Run, all.Run)
	}
}
