package figure

import (
	"bytes"
	"image/color"
	"math"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Kind is what a figure shows; it begins the names of its files.
type Kind string

const (
	Sensitivity Kind = "sensitivity" // score against a parameter of the model or the noise
	ScoreCurve  Kind = "score-curve" // score against age
	Path        Kind = "path"        // coefficients against age
	Events      Kind = "events"      // histograms of turning and jump points over age
	Consistency Kind = "consistency" // coefficients of gaga and of acs against age
	Times       Kind = "time"        // time of a cell against training rows or the range of ages
	Ranks       Kind = "ranks"       // mean ranks over data sets, a critical-difference diagram
	Reached     Kind = "reached"     // share of the path's best validation score against time
)

// Kinds lists those of a kind of experiment in the order of a report, its own last.
func Kinds(l *layout.Layout) []Kind {
	list := []Kind{Ranks, Sensitivity, ScoreCurve, Path, Events, Consistency, Times, Reached}
	if l.Own != nil {
		for _, kind := range l.Own.Figures {
			list = append(list, Kind(kind))
		}
	}
	return list
}

// Figure is one plot as data: what is drawn, and what is written as the
// numbers behind it.
type Figure struct {
	Kind    Kind
	Name    string // of its files, without ending
	Title   string // one line
	Note    string // settings and sample sizes, under the title
	Caption string // further words for the report
	X, Y    AxisLabel
	Series  []Series
	Rules   []float64 // x of vertical hairlines

	ranking *rankDiagram // of a Ranks, which has no axes and series
}

// Series is one entry of a figure's legend. The points of a piece are joined
// by a line, those of different pieces are not: between them the curve jumps
// or is not known.
type Series struct {
	Name   string // "" for none in the legend
	Pieces [][]Point
	style  seriesStyle
}

// seriesStyle says how a series is drawn. Without a glyph there are no
// markers, with width 0 no lines.
type seriesStyle struct {
	color   color.RGBA
	width   vg.Length
	dashes  []vg.Length
	glyph   draw.GlyphDrawer
	radius  vg.Length
	markers int  // at most so many, spread evenly; 0 for one at every point
	steps   bool // markers at the beginning of pieces only
	bars    bool // a histogram: each point is the begin of a bin with its height, the last the end of the last
}

// series returns how a figure draws a method's lines.
func (m methodStyle) series() seriesStyle {
	return seriesStyle{color: m.color, width: vg.Points(1.4), dashes: m.dashes, glyph: m.glyph, radius: vg.Points(2.6)}
}

// CSV returns the numbers behind the figure: series, piece, x, y and the half
// height of the band; of a [Ranks] the mean ranks.
func (f *Figure) CSV() ([]byte, error) {
	if f.ranking != nil {
		return f.ranking.csv()
	}
	var buf bytes.Buffer
	out := results.NewCSV(&buf)
	out.Add("series", "piece", f.X.Text, f.Y.Text, "std")
	for _, s := range f.Series {
		for i, piece := range s.Pieces {
			for _, p := range piece {
				band := p.Band
				if band == 0 {
					band = math.NaN()
				}
				out.Add(s.Name, i, p.X, p.Y, band)
			}
		}
	}
	err := out.Flush()
	return buf.Bytes(), err
}

// spansDecade reports whether an axis from lo to hi is better logarithmic.
func spansDecade(lo, hi float64) bool { return lo > 0 && hi > 10*lo }
