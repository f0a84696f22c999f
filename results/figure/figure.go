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

// Kind is the content of a figure; the names of its files begin with it.
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

// Kinds lists the figures of a kind of experiment in the order of a report, its own last.
func Kinds(l *layout.Layout) []Kind {
	list := []Kind{Ranks, Sensitivity, ScoreCurve, Path, Events, Consistency, Times, Reached}
	if l.Own != nil {
		for _, kind := range l.Own.Figures {
			list = append(list, Kind(kind))
		}
	}
	return list
}

// Figure is one plot as data, for drawing and for writing its numbers.
type Figure struct {
	Kind    Kind
	Name    string // of its files, without extension
	Title   string // one line
	Note    string // settings and sample sizes, under the title
	Caption string // further text for the report
	X, Y    AxisLabel
	Series  []Series
	Rules   []float64 // x of vertical hairlines

	ranking *rankDiagram // of a Ranks figure, which has no axes and series
}

// Series is one entry of a figure's legend. A line joins the points of a piece; between pieces the
// curve jumps or is unknown.
type Series struct {
	Name   string // "" for no legend entry
	Pieces [][]Point
	style  seriesStyle
}

// seriesStyle is the style of a series. Without a glyph there are no markers, with width 0 no
// lines.
type seriesStyle struct {
	color   color.RGBA
	width   vg.Length
	dashes  []vg.Length
	glyph   draw.GlyphDrawer
	radius  vg.Length
	markers int  // maximum number, spread evenly; 0 for one at every point
	steps   bool // markers at the beginning of pieces only
	bars    bool // a histogram: each point is the beginning of a bin with its height, the last the end of the last bin
}

func (m methodStyle) series() seriesStyle {
	return seriesStyle{color: m.color, width: vg.Points(1.4), dashes: m.dashes, glyph: m.glyph, radius: vg.Points(2.6)}
}

// CSV returns the numbers of the figure: series, piece, x, y and the half height of the band; of a
// [Ranks] the mean ranks.
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

// spansDecade reports whether a logarithmic axis suits lo to hi better.
func spansDecade(lo, hi float64) bool { return lo > 0 && hi > 10*lo }
