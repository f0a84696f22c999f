package figure

import (
	"bytes"
	"fmt"
	"image/color"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	rankLine  = 15.0 // points between methods, and above the first
	rankSide  = 1.35 * vg.Inch
	rankHead  = 1.15 * vg.Inch // title, note, critical difference and numbers
	groupLine = 6.0            // points between groups
)

// rankFigure draws a critical-difference diagram (Demšar 2006): an axis of mean ranks, the best on
// the left, a line from each method to its rank, and bars over methods that do not differ
// significantly.
func rankFigure(r *analysis.Ranking) *Figure {
	return &Figure{
		Kind:    Ranks,
		Name:    prose.Slug(Ranks, r.Score.String()),
		ranking: &rankDiagram{r},
		Figure: layout.Figure{
			Title: "Mean ranks over data sets",
			Note: fmt.Sprintf("%d methods on %s, 1 is best; bars join methods that differ by less than Nemenyi's critical difference (CD) at %s; "+
				"Friedman's test: %s (Iman and Davenport: %s)",
				len(r.Methods), prose.Plural(len(r.Datasets), "data set"), r.Tests.Level(), analysis.PValue(r.Test.P), analysis.PValue(r.Test.FP)),
		},
	}
}

type rankDiagram struct{ *analysis.Ranking }

func (r *rankDiagram) height() vg.Length {
	_, groups := r.Cliques()
	lines := (len(r.Methods) + 1) / 2
	return rankHead + vg.Points(rankLine*float64(lines+1)+groupLine*float64(len(groups)))
}

func (r *rankDiagram) csv() ([]byte, error) {
	var buf bytes.Buffer
	out := results.NewCSV(&buf)
	out.Add("method", "mean rank", "critical difference")
	for m, method := range r.Methods {
		out.Add(method, r.Test.MeanRanks[m], r.Critical)
	}
	err := out.Flush()
	return buf.Bytes(), err
}

func (r *rankDiagram) draw(c draw.Canvas) {
	k := len(r.Methods)
	left, right := c.Min.X+rankSide, c.Max.X-rankSide
	at := func(rank float64) vg.Length {
		return left + (right-left)*vg.Length((rank-1)/float64(k-1))
	}
	thin := draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}
	thick := draw.LineStyle{Color: color.Black, Width: vg.Points(3)}
	label := sans(9)
	axis := c.Max.Y - vg.Points(36)

	// The critical difference as a bar above the axis.
	bar := axis + vg.Points(24)
	end := at(1) + (right-left)*vg.Length(r.Critical/float64(k-1))
	side := label
	side.YAlign = text.YCenter
	if end <= c.Max.X {
		c.StrokeLine2(thin, at(1), bar, end, bar)
		for _, x := range []vg.Length{at(1), end} {
			c.StrokeLine2(thin, x, bar-3, x, bar+3)
		}
		side.XAlign = text.XRight
		c.FillText(side, vg.Point{X: at(1) - 6, Y: bar}, fmt.Sprintf("CD = %.2f", r.Critical))
	} else {
		c.FillText(side, vg.Point{X: at(1), Y: bar}, fmt.Sprintf("CD = %.2f, more than the axis is long", r.Critical))
	}
	c.StrokeLine2(thin, at(1), axis, at(float64(k)), axis)
	tick := label
	tick.XAlign, tick.YAlign = text.XCenter, text.YBottom
	for rank := 1; rank <= k; rank++ {
		c.StrokeLine2(thin, at(float64(rank)), axis, at(float64(rank)), axis+4)
		c.FillText(tick, vg.Point{X: at(float64(rank)), Y: axis + 5}, fmt.Sprint(rank))
	}

	order, groups := r.Cliques()
	ranks := r.Test.MeanRanks
	for g, group := range groups {
		y := axis - vg.Points(7+groupLine*float64(g))
		c.StrokeLine2(thick, at(ranks[order[group[0]]])-2, y, at(ranks[order[group[1]]])+2, y)
	}
	first := axis - vg.Points(groupLine*float64(len(groups))+rankLine)
	labels := analysis.MethodLabels(r.Methods)
	for place, m := range order {
		x := at(ranks[m])
		side, edge, line := label, left-8, place
		side.XAlign, side.YAlign = text.XRight, text.YCenter
		if place >= (k+1)/2 { // the worse half to the right, the worst on top
			side.XAlign, edge, line = text.XLeft, right+8, k-1-place
		}
		y := first - vg.Points(rankLine*float64(line))
		c.StrokeLines(thin, []vg.Point{{X: x, Y: axis}, {X: x, Y: y}, {X: edge, Y: y}})
		name := fmt.Sprintf("%s  %.2f", labels[m], ranks[m])
		if side.XAlign == text.XLeft {
			name = fmt.Sprintf("%.2f  %s", ranks[m], labels[m])
			edge += 3
		} else {
			edge -= 3
		}
		c.FillText(side, vg.Point{X: edge, Y: y}, name)
	}
}
