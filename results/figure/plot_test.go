package figure

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	_ "github.com/agepath/agepath/experiment/selfpaced/evaluation"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"gonum.org/v1/plot"
)

// svgTexts parses an SVG to its end and returns its texts.
func svgTexts(t *testing.T, data []byte) []string {
	t.Helper()
	var texts []string
	d := xml.NewDecoder(bytes.NewReader(data))
	inText := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("the SVG is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
		case xml.CharData:
			if inText {
				texts = append(texts, string(token))
			}
		case xml.EndElement:
			inText = false
		}
	}
}

// strokes counts the lines of a colour in an SVG that are as wide as those of
// a method.
func strokes(data []byte, style seriesStyle) int {
	c := style.color
	return strings.Count(string(data), fmt.Sprintf("stroke:#%02X%02X%02X;stroke-width:%.5g", c.R, c.G, c.B, style.width.Points()))
}

func checkFigure(t *testing.T, f *Figure) {
	t.Helper()
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	texts := svgTexts(t, svg)
	if fixed := bytes.Count(svg, []byte("textLength=")); fixed != len(texts) || bytes.Count(svg, []byte("font-family:&#39;Liberation Sans&#39;,Arial,Helvetica,sans-serif")) != fixed {
		t.Errorf("%s: %d of %d texts keep their width in other fonts", f.Name, fixed, len(texts))
	}
	lines := map[string]int{} // by colour and width
	key := func(style seriesStyle) string { return fmt.Sprint(style.color, style.width) }
	for i, s := range f.Series {
		if n := count(texts, s.Name); n != 1 {
			t.Errorf("%s: the legend has %q %d times: %q", f.Name, s.Name, n, texts)
		}
		lines[key(f.styles[i])]++ // in the legend
		for _, piece := range s.Pieces {
			if len(piece) > 1 {
				lines[key(f.styles[i])]++
			}
			if len(piece) > 1 && f.Lower.Text != "" && piece[0].Lower > 0 {
				lines[key(f.styles[i])]++
			}
		}
	}
	for i, s := range f.Series {
		if n, want := strokes(svg, f.styles[i]), lines[key(f.styles[i])]; f.styles[i].width > 0 && n != want {
			t.Errorf("%s: the colour of %s has %d lines, want %d: one for each piece and panel, one in the legend", f.Name, s.Name, n, want)
		}
	}
	height, panels := 780, 1
	if f.Lower.Text != "" {
		height, panels = 1248, 2
	}
	for label, times := range map[string]int{f.X.Text: panels, f.Y.Text: 1, f.Lower.Text: panels - 1} {
		if label != "" && count(texts, label) != times {
			t.Errorf("%s: the axis label %q is missing", f.Name, label)
		}
	}
	picture, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil || config.Width != 1300 || config.Height != height {
		t.Errorf("%s: PNG %+v, %v", f.Name, config, err)
	}
	checkMargin(t, f, picture)
	numbers, err := f.CSV()
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(bytes.NewReader(numbers)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	for _, s := range f.Series {
		for _, piece := range s.Pieces {
			points += len(piece)
		}
	}
	if len(table) != 1+points {
		t.Errorf("%s: %d lines of numbers for %d points", f.Name, len(table), points)
	}
}

// checkMargin wants nothing in the margin of a picture: what is cut off would
// reach its edge.
func checkMargin(t *testing.T, f *Figure, picture []byte) {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Errorf("%s: %v", f.Name, err)
		return
	}
	const margin = 8 // pixels, half of the margin: lines end in its other half
	size := decoded.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			if min(x, y, size.X-1-x, size.Y-1-y) >= margin {
				continue
			}
			if r, g, b, _ := decoded.At(x, y).RGBA(); r&g&b != 0xFFFF {
				t.Errorf("%s: something reaches the edge at %d, %d", f.Name, x, y)
				return
			}
		}
	}
}

func count(texts []string, text string) int {
	n := 0
	for _, s := range texts {
		if s == text {
			n++
		}
	}
	return n
}

func TestFiguresOfRun(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	r := drawn(t, testrun.Write(t, testrun.Quickstart(3)))
	kinds := map[string]int{}
	for _, f := range r.Figures {
		kinds[f.Kind]++
		methods := 3
		if strings.Contains(f.Name, "digits") {
			methods = 2
		}
		if own := f.Kind != Sensitivity && f.Kind != ScoreCurve; !own && len(f.Series) != methods {
			t.Errorf("%s has %d series, want %d", f.Name, len(f.Series), methods)
		}
		if !strings.HasPrefix(f.Note, "265 training and 111 test samples, 10 features; ") && methods == 3 {
			t.Errorf("%s does not tell the sizes: %s", f.Name, f.Note)
		}
		checkFigure(t, f)
	}
	// Two data sets x two regularizers x two noise levels; paths of one data
	// set x two regularizers.
	if kinds[Sensitivity] != 8 || kinds[ScoreCurve] != 8 || kinds[selfpaced.FigurePath] != 2 || kinds[selfpaced.FigureEvents] != 2 ||
		kinds[selfpaced.FigureConsistency] != 2 || len(r.LeftOut) != 0 {
		t.Errorf("figures %v, left out %v", kinds, r.LeftOut)
	}
}

func TestSensitivityFigure(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for i, alpha := range []float64{0.001, 0.002, 0.005, 0.02} {
		rows = append(rows, testrun.Scored(testrun.Row{"method": "acs", "alpha": alpha}, float64(i), float64(i)+2)...)
		gaga := testrun.Row{"method": "gaga", "alpha": alpha}
		if i == 2 {
			gaga["test_at_best_test"], gaga["status"] = nil, "failed"
		}
		rows = append(rows, gaga)
	}
	tables := tablesOf(t, rows)
	plans := planSensitivity(tables[0], &analysis.DataFacts{Target: "target scaled to [0, 1]"})
	if len(plans) != 1 || !strings.HasPrefix(plans[0].Name, "sensitivity-alpha-") {
		t.Fatalf("plans %+v", plans)
	}
	f := figureOf(t, &plans[0])
	if !f.X.Log || f.Y.Text != "test RMSE (target scaled to [0, 1]), by the oracle" {
		t.Errorf("axes %+v %+v", f.X, f.Y)
	}
	acs, gaga := f.Series[0], f.Series[1]
	want := [][]layout.Point{{{X: 0.001, Y: 1, Band: math.Sqrt2}, {X: 0.002, Y: 2, Band: math.Sqrt2}, {X: 0.005, Y: 3, Band: math.Sqrt2}, {X: 0.02, Y: 4, Band: math.Sqrt2}}}
	if !slices.EqualFunc(acs.Pieces, want, slices.Equal) {
		t.Errorf("acs %v", acs.Pieces)
	}
	if len(gaga.Pieces) != 2 || len(gaga.Pieces[0]) != 2 || len(gaga.Pieces[1]) != 1 {
		t.Errorf("gaga is joined over the value that failed: %v", gaga.Pieces)
	}
	if b, ok := newBand(acs.Pieces, f.styles[0].color); !ok || len(b.pieces) != 1 || len(b.pieces[0]) != 4 {
		t.Errorf("band of acs %+v", b)
	}
	if b, ok := newBand(gaga.Pieces, f.styles[1].color); ok {
		t.Errorf("one repeat has the band %+v", b)
	}
	if !strings.Contains(f.Note, "1 to 2 of 2 repeats") {
		t.Errorf("note %s", f.Note)
	}
	checkFigure(t, f)
}

func TestPlanSensitivityOverNoise(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for _, noise := range []testrun.Row{
		{},
		{"noise_kind": "gaussian", "noise_level": 0.1},
		{"noise_kind": "gaussian", "noise_level": 0.2},
		{"noise_kind": "statp", "noise_level": 0.1},
	} {
		rows = append(rows, testrun.Merge(noise, testrun.Row{"method": "acs"}))
	}
	plans := planSensitivity(tablesOf(t, rows)[0], &analysis.DataFacts{})
	if len(plans) != 2 {
		t.Fatalf("plans %+v", plans)
	}
	for i, name := range []string{"sensitivity-gaussian-diabetes-lasso-alpha-0.01", "sensitivity-statp-diabetes-lasso-alpha-0.01"} {
		f := figureOf(t, &plans[i])
		if plans[i].Name != name || len(f.Series[0].Pieces[0]) != 3-i || !strings.HasSuffix(f.X.Text, "noise level (fraction)") {
			t.Errorf("%s, want %s: %+v", plans[i].Name, name, f)
		}
		checkFigure(t, f)
	}
}

func TestSensitivityWithoutScores(t *testing.T) {
	t.Parallel()
	rows := []testrun.Row{{"method": "acs", "alpha": 0.1}, {"method": "acs", "alpha": 0.2}}
	for _, row := range rows {
		row["status"] = "failed"
	}
	plans := planSensitivity(tablesOf(t, rows)[0], &analysis.DataFacts{})
	if f, missing := plans[0].Draw(); len(plans) != 1 || f != nil || missing != "none of its cells has a score" {
		t.Errorf("%+v, missing: %s", f, missing)
	}
}

func figureOf(t *testing.T, plan *layout.FigurePlan) *Figure {
	t.Helper()
	f, missing := plan.Draw()
	if f == nil {
		t.Fatal(missing)
	}
	return New(plan, f)
}

func TestChoiceFigure(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for i, choice := range []string{"best", "smoothed, trimmed 0.25"} {
		rows = append(rows, testrun.Scored(testrun.Row{"method": "acs", "choice": choice}, float64(i), float64(i)+2)...)
		rows = append(rows, testrun.Scored(testrun.Row{"method": "gaga", "choice": choice}, 2*float64(i), 2*float64(i)+2)...)
	}
	plans := planSensitivity(tablesOf(t, rows)[0], &analysis.DataFacts{})
	if len(plans) != 1 || plans[0].Name != "sensitivity-choice-diabetes-lasso-clean-alpha-0.01" {
		t.Fatalf("plans %+v", plans)
	}
	f := figureOf(t, &plans[0])
	want := [][]layout.Point{{{X: 0, Y: 1, Band: math.Sqrt2}, {X: 1, Y: 3, Band: math.Sqrt2}}}
	if gaga := f.Series[1]; !slices.EqualFunc(gaga.Pieces, want, slices.Equal) {
		t.Errorf("gaga %v, want %v", gaga.Pieces, want)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"best", "smoothed,", "trimmed 0.25"} { // a line each below the axis
		if count(svgTexts(t, svg), word) != 1 {
			t.Errorf("no %q below the axis", word)
		}
	}
	if numbers, err := f.CSV(); err != nil || !strings.Contains(string(numbers), `GAGA,0,"smoothed, trimmed 0.25",3,`) {
		t.Errorf("numbers %s, %v", numbers, err)
	}
	checkFigure(t, f)
}

func TestChooseFigures(t *testing.T) {
	t.Parallel()
	l := &layout.Layout{Own: &layout.Own{Figures: []string{"own"}}}
	var plans []layout.FigurePlan
	for kind, n := range map[string]int{Sensitivity: 50, ScoreCurve: 3, "own": 20} {
		for i := range n {
			set := "a" // the first 40 of each kind, then b
			if i >= 40 {
				set = "b"
			}
			setting := layout.Setting{selfpaced.DimDataset: layout.Value{Text: set}}
			plans = append(plans, layout.FigurePlan{Kind: kind, Name: fmt.Sprintf("%s-%02d", kind, i), Setting: setting})
		}
	}
	slices.SortFunc(plans, func(a, b layout.FigurePlan) int { return strings.Compare(a.Name, b.Name) })
	for n, want := range map[int][3]int{0: {}, 1: {1, 0, 0}, 24: {11, 3, 10}, 60: {37, 3, 20}, 73: {50, 3, 20}, 100: {50, 3, 20}} {
		chosen, leftOut := chooseFigures(slices.Clone(plans), Kinds(l), n)
		kinds := [3]int{}
		second := 0
		for _, plan := range chosen {
			if plan.Setting[selfpaced.DimDataset].Text == "b" {
				second++
			}
			kinds[slices.Index(Kinds(l)[1:], plan.Kind)]++ // rankings are not planned
		}
		if wantSecond := min(kinds[0]/2, 10); second != wantSecond {
			t.Errorf("%d figures: %d of the second data set, want %d", n, second, wantSecond)
		}
		if kinds != want || len(chosen)+len(leftOut) != len(plans) {
			t.Errorf("%d figures: %v, want %v; %d left out", n, kinds, want, len(leftOut))
		}
	}
}

func TestPlanFigureNames(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for _, name := range []string{"a b", "a-b", "a/b", "../a"} {
		row := testrun.Row{"dataset": name, "method": "acs", "regularizer": "hard"}
		rows = append(rows, row, testrun.Merge(row, testrun.Row{"alpha": 0.5}))
	}
	names := map[string]bool{}
	plans := (&maker{data: &analysis.DataFacts{}}).plan(tablesOf(t, rows), nil)
	for _, plan := range plans {
		if strings.ContainsAny(plan.Name, "/\\ ") || names[plan.Name] {
			t.Errorf("the name %q is no file's name or is taken", plan.Name)
		}
		names[plan.Name] = true
	}
	if len(plans) != 8 {
		t.Errorf("%d plans", len(plans))
	}
}

func TestTicks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		ticker plot.Ticker
		lo, hi float64
		want   string
	}{
		{evenTicks{}, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{evenTicks{}, 0.191, 0.242, "0.20 0.21 0.22 0.23 0.24"},
		{evenTicks{}, -1, 1, "−1.0 −0.5 0.0 0.5 1.0"},
		{evenTicks{}, 0, 20_000, "0 5000 10000 15000 20000"},
		{evenTicks{}, 0, 2e7, "0 5e+06 1e+07 1.5e+07 2e+07"},
		{decadeTicks{}, 0.1, 20, "0.1 0.2 0.5 1 2 5 10 20"},
		{decadeTicks{}, 1e-6, 1, "1e−06 1e−05 0.0001 0.001 0.01 0.1 1"},
		{decadeTicks{}, 0.003, 0.04, "0.005 0.01 0.02"},
		{decadeTicks{}, 375, 12_000, "500 1000 2000 5000 10000"},
		{decadeTicks{}, 5e-6, 6e-5, "5e−06 1e−05 2e−05 5e−05"},
		{decadeTicks{}, 1e5, 2e6, "100000 200000 500000 1e+06 2e+06"},
	}
	for _, test := range tests {
		var labels []string
		for _, tick := range test.ticker.Ticks(test.lo, test.hi) {
			if tick.Value < test.lo*(1-1e-9)-1e-9 || tick.Value > test.hi*(1+1e-9) {
				t.Errorf("[%v, %v]: a tick at %v", test.lo, test.hi, tick.Value)
			}
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("[%v, %v]: %s, want %s", test.lo, test.hi, got, test.want)
		}
	}
}

func TestMethodStylesDiffer(t *testing.T) {
	t.Parallel()
	styles := stylesOf([]string{"original", "acs", "mospl", "gaga", "huber-lasso", "rlssvm", "relssvm", "robust-svm"})
	for i, a := range styles {
		for _, b := range styles[:i] {
			if a.color == b.color || a.glyph == b.glyph || a.label == b.label || slices.Equal(a.dashes, b.dashes) && a.label != "Robust SVM" {
				t.Errorf("%s and %s look alike", a.label, b.label)
			}
		}
	}
	several := stylesOf([]string{"original", "gaga", "huber-lasso delta=2 size=4", "huber-lasso delta=10 size=4"})
	if several[2].label != "Huber Lasso delta=2" || several[3].label != "Huber Lasso delta=10" || several[2].color == several[3].color {
		t.Errorf("%q and %q look alike", several[2].label, several[3].label)
	}
	names := []string{"x", "gaga", "b", "original", "mospl", "acs"}
	slices.SortFunc(names, analysis.CompareMethods)
	if want := []string{"original", "acs", "mospl", "gaga", "b", "x"}; !slices.Equal(names, want) {
		t.Errorf("order %v", names)
	}
}

// TestRankFigure wants the ranks and the critical difference in the diagram.
func TestRankFigure(t *testing.T) {
	t.Parallel()
	r := analysis.NewRanking(tablesOf(t, testrun.RankedCells(6)), analysis.TestAtBestTest, analysis.DefaultTests)
	f := rankFigure(r)
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Join(svgTexts(t, svg), " ")
	for _, want := range []string{"CD = 1.35", "c  1.00", "2.50  b", "Mean ranks over data sets"} {
		if !strings.Contains(texts, want) {
			t.Errorf("%q is not in the figure: %s", want, texts)
		}
	}
}

func tablesOf(t testing.TB, rows []testrun.Row) []*analysis.ScoreTable {
	t.Helper()
	standing := analysis.NewStanding(testrun.Kind(t))
	if err := standing.AddRows(testrun.Frame(t, rows)); err != nil {
		t.Fatal(err)
	}
	return standing.Tables()
}

// drawn makes the figures of a run that was written to a folder.
func drawn(t *testing.T, dir string) *Drawn {
	t.Helper()
	run, err := analysis.Load(t.Context(), dir, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	figures, err := Make(t.Context(), run, 24, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	return figures
}

// TestOneValueOfLogAxis wants a logarithmic axis with one value to have it in its middle.
func TestOneValueOfLogAxis(t *testing.T) {
	t.Parallel()
	f := New(&layout.FigurePlan{Name: "one", Methods: []string{"original"}}, &layout.Figure{
		Title: "one", X: layout.AxisLabel{Text: "x", Log: true}, Y: layout.AxisLabel{Text: "y", Log: true},
		Series: []layout.Series{{Pieces: [][]layout.Point{{{X: 3, Y: 1e-12}}}}},
	})
	p, err := f.plot()
	if err != nil {
		t.Fatal(err)
	}
	if p.X.Min != 1.5 || p.X.Max != 6 || !(p.Y.Min > 0) || p.Y.Max > 3e-12 {
		t.Errorf("axes from %v to %v and from %v to %v", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
}

// TestAlikeValues draws curves whose values differ by rounding alone, at which marks of their
// own distance would never end.
func TestAlikeValues(t *testing.T) {
	t.Parallel()
	for _, low := range []float64{1, -3, 1e20, 1e-300, 0} {
		for _, log := range []bool{false, true} {
			high := math.Nextafter(low, math.Inf(1))
			if log && low <= 0 {
				continue
			}
			f := New(&layout.FigurePlan{}, &layout.Figure{Y: layout.AxisLabel{Text: "accuracy", Log: log}, Series: []layout.Series{
				{Name: "a", Pieces: [][]layout.Point{{{X: 1, Y: low}, {X: 2, Y: high}}}, Style: &layout.Style{Line: true}},
			}})
			text, err := f.SVG()
			if err != nil || strings.Contains(string(text), "NaN") || !strings.Contains(string(text), "<text") {
				t.Errorf("from %v to %v: %v\n%.2000s", low, high, err, text)
			}
		}
	}
}
