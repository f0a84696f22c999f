package figure

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

// A figure is as wide as the text of a page, and sharp in print.
const (
	figureWidth  = 6.5 * vg.Inch
	figureHeight = 3.9 * vg.Inch
	figureDPI    = 200
	figureMargin = 6 // points
)

// SVG draws the figure. Equal figures give equal bytes.
func (f *Figure) SVG() ([]byte, error) {
	return f.render(&svgCanvas{Canvas: vgsvg.New(figureWidth, f.height())})
}

// PNG draws the figure, 1300 by 780 pixels except for a [Ranks]. Equal figures give equal bytes.
func (f *Figure) PNG() ([]byte, error) {
	return f.render(vgimg.PngCanvas{Canvas: vgimg.NewWith(
		vgimg.UseWH(figureWidth, f.height()), vgimg.UseDPI(figureDPI))})
}

func (f *Figure) height() vg.Length {
	switch {
	case f.ranking != nil:
		return f.ranking.height()
	case f.Lower.Text != "":
		return 1.6 * figureHeight
	case f.manyMethods() != nil:
		return vg.Length(math.Ceil(float64(len(f.manyMethods()))/panelColumns))*panelHeight + figureHeight/4
	}
	return figureHeight
}

func (f *Figure) render(canvas interface {
	vg.CanvasSizer
	io.WriterTo
}) ([]byte, error) {
	if err := f.draw(draw.New(canvas)); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return buf.Bytes(), nil
}

func sans(size vg.Length) text.Style {
	return text.Style{
		Color:   color.Black,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// draw puts the legend to the right of the data, never over it.
func (f *Figure) draw(c draw.Canvas) error {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, figureMargin, -figureMargin, figureMargin, -figureMargin)
	title := sans(10)
	title.Font.Weight = xfont.WeightBold
	c = drawLines(c, title, f.Title)
	c = drawLines(c, sans(8.5), f.Note)
	if f.ranking != nil {
		f.ranking.draw(c)
		return nil
	}
	if methods := f.manyMethods(); methods != nil {
		return f.drawPanels(c, methods)
	}
	p, err := f.plot()
	if err != nil {
		return err
	}
	legend := p.Legend
	p.Legend = plot.NewLegend()
	width := legend.Rectangle(c).Size().X
	if width > 0 {
		width += 10
	}
	plots := [][]*plot.Plot{{p}}
	if f.Lower.Text != "" {
		lower, err := f.lower().plot()
		if err != nil {
			return err
		}
		plots = append(plots, []*plot.Plot{lower})
	}
	for i, tiles := range plot.Align(plots, draw.Tiles{Cols: 1, Rows: len(plots), PadY: 8}, draw.Crop(c, 0, -width, 0, 0)) {
		plots[i][0].Draw(tiles[0])
	}
	legend.Draw(draw.Crop(c, c.Size().X-width+8, 0, 0, 0))
	return nil
}

// lower returns the lower panel, without a legend of its own.
func (f *Figure) lower() *Figure {
	panel := &Figure{Figure: layout.Figure{X: f.X, Y: f.Lower, Series: slices.Clone(f.Series)}, styles: f.styles}
	for i := range panel.Series {
		panel.Series[i].Name, panel.Series[i].Pieces = "", nil
		for _, piece := range f.Series[i].Pieces {
			below := layout.Pieces(len(piece), func(k int) (layout.Point, bool) {
				return layout.Point{X: piece[k].X, Y: piece[k].Lower}, piece[k].Lower > 0
			})
			panel.Series[i].Pieces = append(panel.Series[i].Pieces, below...)
		}
	}
	return panel
}

func drawLines(c draw.Canvas, style text.Style, words string) draw.Canvas {
	if words == "" {
		return c
	}
	style.YAlign = text.YTop
	lines := prose.Wrap(words, func(s string) bool { return style.Width(s) <= c.Size().X })
	height := style.FontExtents().Height * 1.15
	for _, line := range lines {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
		c.Max.Y -= height
	}
	c.Max.Y -= 3
	return c
}

func (f *Figure) plot() (*plot.Plot, error) {
	p := plot.New()
	f.dressAxis(&p.X, f.X)
	f.dressAxis(&p.Y, f.Y)
	p.Legend.TextStyle = sans(9)
	p.Legend.TextStyle.YAlign = text.YBottom
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.ThumbnailWidth = 26
	p.Legend.Padding = 4
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xE4}, color.Gray{0xE4}
	grid.Vertical.Width, grid.Horizontal.Width = 0.4, 0.4
	p.Add(grid)
	if len(f.Rules) > 0 {
		p.Add(rules(f.Rules))
	}
	for i := range f.Series {
		if band, ok := newBand(f.Series[i].Pieces, f.styles[i].color); ok {
			band.log = f.Y.Log
			p.Add(band)
		}
	}
	thumbs := make([][]plot.Thumbnailer, len(f.Series))
	thinFirst := stats.Order(len(f.Series), func(a, b int) int { return cmp.Compare(f.styles[a].width, f.styles[b].width) })
	for _, i := range thinFirst {
		var err error
		if thumbs[i], err = f.addSeries(p, f.Series[i].Pieces, &f.styles[i]); err != nil {
			return nil, fmt.Errorf("series %q: %w", f.Series[i].Name, err)
		}
	}
	for i, s := range f.Series {
		if s.Name != "" && thumbs[i] != nil {
			p.Legend.Add(s.Name, thumbs[i]...)
		}
	}
	for axis, label := range map[*plot.Axis]layout.AxisLabel{&p.X: f.X, &p.Y: f.Y} {
		size := max(math.Abs(axis.Min), math.Abs(axis.Max))
		switch alike := axis.Max-axis.Min <= 1e-9*size; { // equal up to rounding: no ticks would fit
		case alike && label.Log:
			axis.Min, axis.Max = axis.Min/2, 2*axis.Max
		case alike:
			axis.Min, axis.Max = axis.Min-0.05*size, axis.Max+0.05*size
		}
	}
	f.widen(&p.Y)
	return p, nil
}

func (f *Figure) dressAxis(a *plot.Axis, label layout.AxisLabel) {
	a.Label.Text = label.Text
	a.Label.TextStyle.Font = sans(9.5).Font
	a.Label.Padding = 3
	a.Tick.Label.Font = sans(8.5).Font
	a.Tick.Marker = evenTicks{}
	a.Padding = 4
	if label.Log {
		a.Scale = plot.LogScale{}
		a.Tick.Marker = decadeTicks{}
	}
	if label.Names != nil {
		ticks := make(plot.ConstantTicks, len(label.Names))
		for i, name := range label.Names {
			ticks[i] = plot.Tick{Value: float64(i), Label: strings.ReplaceAll(name, ", ", ",\n")}
		}
		a.Tick.Marker = ticks
	}
}

func (f *Figure) widen(y *plot.Axis) {
	switch {
	case f.Y.Log:
		margin := math.Pow(y.Max/y.Min, 0.04)
		y.Min, y.Max = y.Min/margin, y.Max*margin
	case f.Y.Zero:
		y.Min, y.Max = 0, 1.04*y.Max
	default:
		margin := 0.04 * (y.Max - y.Min)
		y.Min, y.Max = y.Min-margin, y.Max+margin
	}
}

func plotterXYs(points []layout.Point) plotter.XYs {
	xys := make(plotter.XYs, len(points))
	for i, point := range points {
		xys[i] = plotter.XY{X: point.X, Y: point.Y}
	}
	return xys
}

// addSeries returns the legend entry, or nil.
func (f *Figure) addSeries(p *plot.Plot, pieces [][]layout.Point, style *seriesStyle) ([]plot.Thumbnailer, error) {
	var thumbs []plot.Thumbnailer
	var points plotter.XYs
	for _, piece := range pieces {
		if style.bars {
			points = append(points, plotterXYs(tops(piece, f.X.Log))...)
			piece = outline(piece)
		}
		xys := plotterXYs(piece)
		switch {
		case style.bars:
		case style.steps:
			points = append(points, xys[0])
		default:
			points = append(points, xys...)
		}
		if len(xys) < 2 || style.width == 0 {
			continue
		}
		line, err := plotter.NewLine(xys)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width, line.Dashes = style.color, style.width, style.dashes
		p.Add(line)
		if thumbs == nil {
			thumbs = append(thumbs, line)
		}
	}
	if style.glyph == nil || len(points) == 0 {
		return thumbs, nil
	}
	marks, err := plotter.NewScatter(spread(points, style.markers, f.X.Log))
	if err != nil {
		return nil, err
	}
	marks.GlyphStyle = draw.GlyphStyle{Color: style.color, Radius: style.radius, Shape: style.glyph}
	p.Add(marks)
	return append(thumbs, marks), nil
}

// spread picks at most n points, evenly along the axis; all for n = 0.
func spread(points plotter.XYs, n int, logarithmic bool) plotter.XYs {
	if n == 0 || len(points) <= n {
		return points
	}
	position := func(x float64) float64 {
		if logarithmic {
			return math.Log(x)
		}
		return x
	}
	lo, hi := position(points[0].X), position(points[len(points)-1].X)
	if !(lo < hi) {
		return points[:1]
	}
	var picked plotter.XYs
	next := 0 // of n equal parts
	for _, point := range points {
		at := lo + float64(next)*(hi-lo)/float64(n)
		if x := position(point.X); x >= at {
			picked = append(picked, point)
			next = int((x-lo)/(hi-lo)*float64(n)) + 1
		}
	}
	return picked
}

type band struct {
	color  color.NRGBA
	pieces [][]layout.Point
	log    bool // a band down to 0 ends at the axis
}

// newBand ends a piece at points without a band.
func newBand(pieces [][]layout.Point, of color.RGBA) (band, bool) {
	b := band{color: color.NRGBA{of.R, of.G, of.B, 0x2E}}
	for _, piece := range pieces {
		for _, run := range layout.Pieces(len(piece), func(i int) (layout.Point, bool) { return piece[i], piece[i].Band > 0 }) {
			if len(run) > 1 {
				b.pieces = append(b.pieces, run)
			}
		}
	}
	return b, len(b.pieces) > 0
}

func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, piece := range b.pieces {
		outline := make([]vg.Point, 0, 2*len(piece))
		for _, point := range piece {
			outline = append(outline, vg.Point{X: x(point.X), Y: y(point.Y + point.Band)})
		}
		for _, point := range slices.Backward(piece) {
			outline = append(outline, vg.Point{X: x(point.X), Y: y(b.below(point, p.Y.Min))})
		}
		c.FillPolygon(b.color, c.ClipPolygonXY(outline))
	}
}

func (b *band) below(point layout.Point, least float64) float64 {
	if b.log {
		return max(point.Y-point.Band, least)
	}
	return point.Y - point.Band
}

func (b band) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, piece := range b.pieces {
		for _, point := range piece {
			xmin, xmax = min(xmin, point.X), max(xmax, point.X)
			ymin, ymax = min(ymin, b.below(point, point.Y/2)), max(ymax, point.Y+point.Band)
		}
	}
	return xmin, xmax, ymin, ymax
}

type rules []float64

func (r rules) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	style := draw.LineStyle{Color: color.Gray{0xA8}, Width: 0.5, Dashes: []vg.Length{2, 2}}
	for _, at := range r {
		c.StrokeLine2(style, x(at), c.Min.Y, x(at), c.Max.Y)
	}
}

func outline(bins []layout.Point) []layout.Point {
	stairs := []layout.Point{{X: bins[0].X}}
	for i := range bins[:len(bins)-1] {
		stairs = append(stairs, layout.Point{X: bins[i].X, Y: bins[i].Y}, layout.Point{X: bins[i+1].X, Y: bins[i].Y})
	}
	return append(stairs, layout.Point{X: bins[len(bins)-1].X})
}

func tops(bins []layout.Point, logarithmic bool) []layout.Point {
	var middles []layout.Point
	for i := range bins[:len(bins)-1] {
		if bins[i].Y == 0 {
			continue
		}
		x := (bins[i].X + bins[i+1].X) / 2
		if logarithmic {
			x = math.Sqrt(bins[i].X * bins[i+1].X)
		}
		middles = append(middles, layout.Point{X: x, Y: bins[i].Y})
	}
	return middles
}

// Figures of more methods than mostOverlaid have a panel for each, as overlaid bands could not be read.
const (
	mostOverlaid = 9
	panelColumns = 3
	panelHeight  = 1.5 * vg.Inch
)

// manyMethods returns the methods of the panels, nil for a figure in one.
func (f *Figure) manyMethods() (methods []int) {
	for i := range f.Series {
		if s := &f.Series[i]; s.Style == nil && !slices.Contains(methods, s.Method) {
			methods = append(methods, s.Method)
		}
	}
	if len(methods) <= mostOverlaid || f.Lower.Text != "" {
		return nil
	}
	return methods
}

// drawPanels draws each method with what belongs to all, on equal axes, under its name.
func (f *Figure) drawPanels(c draw.Canvas, methods []int) error {
	rows := (len(methods) + panelColumns - 1) / panelColumns
	plots := make([][]*plot.Plot, rows)
	x, y := plot.Axis{Min: math.Inf(1), Max: math.Inf(-1)}, plot.Axis{Min: math.Inf(1), Max: math.Inf(-1)}
	for i := range plots {
		plots[i] = make([]*plot.Plot, panelColumns)
	}
	for i := range f.Series {
		if s := &f.Series[i]; s.Method < 0 {
			c = drawLines(c, sans(8.5), "In every panel without a mark: "+s.Name)
		}
	}
	for k, method := range methods {
		panel, title := &Figure{Figure: layout.Figure{X: f.X, Y: f.Y}}, ""
		for i, s := range f.Series {
			if s.Method == method || s.Method < 0 {
				title, s.Name = cmp.Or(title, s.Name), ""
				panel.Series, panel.styles = append(panel.Series, s), append(panel.styles, f.styles[i])
			}
		}
		p, err := panel.plot()
		if err != nil {
			return err
		}
		p.Title.Text, p.Title.TextStyle.Font = title, sans(8.5).Font
		if k%panelColumns > 0 {
			p.Y.Label.Text = ""
		}
		if k+panelColumns < len(methods) {
			p.X.Label.Text = ""
		}
		plots[k/panelColumns][k%panelColumns] = p
		x.Min, x.Max, y.Min, y.Max = min(x.Min, p.X.Min), max(x.Max, p.X.Max), min(y.Min, p.Y.Min), max(y.Max, p.Y.Max)
	}
	for _, p := range slices.Concat(plots...)[:len(methods)] {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x.Min, x.Max, y.Min, y.Max
	}
	for row, canvases := range plot.Align(plots, draw.Tiles{Cols: panelColumns, Rows: rows, PadX: 6, PadY: 6}, c) {
		for column, p := range plots[row] {
			if p != nil {
				p.Draw(canvases[column])
			}
		}
	}
	return nil
}
