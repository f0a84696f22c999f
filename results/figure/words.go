package figure

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/internal/prose"
	"github.com/agepath/agepath/results/layout"
)

// planWords lists the figures of words for each row: how often they are in each class, their
// rows before training, and those at the end with some of the methods.
func planWords(table *analysis.ScoreTable) []figurePlan {
	l := table.Layout
	if l.Words == nil {
		return nil
	}
	var plans []figurePlan
	drawn := map[string]bool{} // data sets whose frequencies are
	for i := range table.Rows {
		row := &table.Rows[i]
		for j, method := range table.Methods {
			name := analysis.MethodName(method)
			at := slices.Index(l.Words.Methods, name)
			if at < 0 || !slices.ContainsFunc(row.Entries[j].Sample, func(s analysis.RepeatScore) bool { return s.Whole() }) {
				continue
			}
			add := func(kind Kind, word string, early bool) {
				parts := slices.DeleteFunc([]string{string(kind), word, settingName(l, row.Setting)}, func(p string) bool { return p == "" })
				plans = append(plans, figurePlan{
					kind: kind, name: prose.Slug(parts...),
					table: table, rows: []*analysis.ScoreRow{row}, method: j, early: early,
				})
			}
			if data := row.Setting[layout.Dataset].Text; !drawn[data] {
				drawn[data] = true
				add(Frequencies, "", false)
			}
			if at == 0 {
				add(Embedding, "before", true)
			}
			add(Embedding, name, false)
		}
	}
	return plans
}

// embeddedWords are the words of one cell.
type embeddedWords struct {
	repeat        int64
	counts        [][]float64 // words x classes, in the training part
	before, after [][]float64
}

// readWords reads the words of cells, whose keys say which are wanted.
func readWords(ctx context.Context, path string, of *layout.Words, cells map[string]*embeddedWords) error {
	columns := []string{"cell", of.Counts, of.Before, of.After}
	kinds := []experiment.Type{experiment.Text, experiment.FloatList, experiment.FloatList, experiment.FloatList}
	wanted := func(cell string) bool { return cells[cell] != nil }
	return results.EachFrameOf(ctx, path, wanted, columns, func(f *results.Frame) error {
		v, err := f.Vectors(path, columns, kinds)
		if err != nil {
			return err
		}
		for row, cell := range v[0].Texts {
			if c := cells[cell]; c != nil {
				c.counts = append(c.counts, slices.Clone(v[1].Lists[row]))
				c.before = append(c.before, slices.Clone(v[2].Lists[row]))
				c.after = append(c.after, slices.Clone(v[3].Lists[row]))
			}
		}
		return nil
	})
}

// wordCell is the cell whose words a plan shows, the first repeat's.
func (p *figurePlan) wordCell() (cell string, repeat int64) {
	for _, s := range p.rows[0].Entries[p.method].Sample {
		if s.Whole() {
			return s.Cell.String(), s.Repeat
		}
	}
	return "", 0
}

// readWords reads the words of the cells that plans show.
func (m *maker) readWords(ctx context.Context, plans []figurePlan) error {
	m.words = map[string]*embeddedWords{}
	var of *layout.Words
	for i := range plans {
		if plans[i].kind == Embedding || plans[i].kind == Frequencies {
			cell, repeat := plans[i].wordCell()
			m.words[cell] = &embeddedWords{repeat: repeat}
			of = plans[i].table.Layout.Words
		}
	}
	if of == nil {
		return nil
	}
	return readWords(ctx, filepath.Join(m.dir, tableFile(of.Table)), of, m.words)
}

// shares returns of each word how its occurrences spread over classes of equal size, nil for
// words that do not occur.
func (w *embeddedWords) shares() [][]float64 {
	if len(w.counts) == 0 {
		return nil
	}
	sizes := make([]float64, len(w.counts[0]))
	for _, counts := range w.counts {
		for k, n := range counts {
			sizes[k] += n
		}
	}
	list := make([][]float64, len(w.counts))
	for i, counts := range w.counts {
		total := 0.0
		shares := make([]float64, len(counts))
		for k, n := range counts {
			if n > 0 {
				shares[k] = n / sizes[k]
				total += shares[k]
			}
		}
		if total == 0 {
			continue
		}
		for k := range shares {
			shares[k] /= total
		}
		list[i] = shares
	}
	return list
}

// frequencyBins is how many points a curve of frequencies has at most.
const frequencyBins = 100

// frequencyFigure draws how often words are in each class, as shares of its words, means
// over neighbouring numbers of words.
func frequencyFigure(plan *figurePlan, w *embeddedWords) *Figure {
	if len(w.counts) == 0 || len(w.counts[0]) == 0 {
		return nil
	}
	f := &Figure{
		Kind: plan.kind, Name: plan.name,
		Title: "Words by class: " + plan.rows[0].Setting[layout.Dataset].Text,
		Note:  fmt.Sprintf("training part of repeat %d", w.repeat),
		X:     AxisLabel{Text: "number of the word"}, Y: AxisLabel{Text: "share of the class's words", Zero: true},
	}
	width := (len(w.counts) + frequencyBins - 1) / frequencyBins
	if width > 1 {
		f.Caption = fmt.Sprintf("Each point is the mean over %d words.", width)
	}
	for k := range w.counts[0] {
		total := 0.0
		for _, counts := range w.counts {
			total += counts[k]
		}
		var piece []Point
		for i := 0; i < len(w.counts) && total > 0; i += width {
			bin := w.counts[i:min(i+width, len(w.counts))]
			sum := 0.0
			for _, counts := range bin {
				sum += counts[k]
			}
			piece = append(piece, Point{X: float64(i) + float64(len(bin)-1)/2, Y: sum / total / float64(len(bin))})
		}
		style := seriesStyle{color: classColor(k), width: vg.Points(1.2), dashes: dashPatterns[k%len(dashPatterns)]}
		f.Series = append(f.Series, Series{Name: fmt.Sprintf("class %d", k+1), Pieces: [][]Point{piece}, style: style})
	}
	return f
}

func classColor(k int) color.RGBA { return okabeIto[k%len(okabeIto)] }

// embeddingFigure draws the words that occur in two principal components of their rows.
// Colours say how a word's occurrences spread over the classes.
func embeddingFigure(plan *figurePlan, w *embeddedWords) *Figure {
	rows, when := w.after, "after training with "+analysis.MethodLabel(analysis.MethodName(plan.table.Methods[plan.method]))
	if plan.early {
		rows, when = w.before, "before training"
	}
	shares := w.shares()
	var shown []int
	for i := range rows {
		if shares[i] != nil {
			shown = append(shown, i)
		}
	}
	points, parts := principal(rows, shown)
	if points == nil {
		return nil
	}
	f := &Figure{
		Kind: plan.kind, Name: plan.name,
		Title: "Embedding " + when + ": " + plan.table.Layout.Describe(plan.rows[0].Setting),
		Note:  fmt.Sprintf("%d words of the training part of repeat %d", len(shown), w.repeat),
		X:     AxisLabel{Text: fmt.Sprintf("first principal component (%.0f %% of the variance)", 100*parts[0])},
		Y:     AxisLabel{Text: fmt.Sprintf("second principal component (%.0f %%)", 100*parts[1])},
		Caption: "Each mark is a word. Shares are those of its occurrences, as if all classes had as many words. " +
			"Marks of a word that is common in one class lie over others.",
	}
	groups := groupsOfShares(len(shares[shown[0]]))
	for g := range groups {
		var piece [][]Point
		for i, word := range shown {
			if groupOf(shares[word], groups) == g {
				piece = append(piece, []Point{points[i]})
			}
		}
		if len(piece) > 0 {
			f.Series = append(f.Series, Series{Name: groups[g].label, Pieces: piece, style: seriesStyle{
				color: groups[g].color, glyph: groups[g].glyph, radius: vg.Points(2),
			}})
		}
	}
	return f
}

// shareGroup is words drawn alike: those whose share of a class is at least so much.
type shareGroup struct {
	class int
	least float64
	label string
	color color.RGBA
	glyph draw.GlyphDrawer
}

// groupsOfShares are the groups for so many classes. Of two classes it is five steps of the
// share of the second one, else the class with most.
func groupsOfShares(classes int) []shareGroup {
	glyphs := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}}
	if classes == 2 {
		colors := []color.RGBA{{0x05, 0x30, 0x61, 0xFF}, {0x67, 0xA9, 0xCF, 0xFF}, {0xB0, 0xB0, 0xB0, 0xFF}, {0xEF, 0x8A, 0x62, 0xFF}, {0x67, 0x00, 0x1F, 0xFF}}
		var list []shareGroup
		for i := range colors {
			label := fmt.Sprintf("class 2: %d to %d %%", 20*i, 20*(i+1))
			list = append(list, shareGroup{1, 0.2 * float64(i), label, colors[i], glyphs[i]})
		}
		return list
	}
	list := []shareGroup{{label: "no class above 50 %", color: color.RGBA{0xC8, 0xC8, 0xC8, 0xFF}, glyph: draw.CircleGlyph{}}}
	for k := range classes {
		list = append(list, shareGroup{k, 0.5, fmt.Sprintf("class %d above 50 %%", k+1), classColor(k), glyphs[k%len(glyphs)]})
	}
	return list
}

// groupOf returns the last group that shares belong to, the first for none.
func groupOf(shares []float64, groups []shareGroup) int {
	for g := len(groups) - 1; g > 0; g-- {
		if shares[groups[g].class] > groups[g].least || shares[groups[g].class] == 1 && groups[g].least == 0.8 {
			return g
		}
	}
	return 0
}

// principal returns chosen rows in their two principal components, with the parts of the
// variance that these have; nil where there are not two. The sign of a component is that
// with which its largest loading is positive.
func principal(rows [][]float64, chosen []int) ([]Point, [2]float64) {
	if len(chosen) < 3 || len(rows[chosen[0]]) < 2 {
		return nil, [2]float64{}
	}
	dim := len(rows[chosen[0]])
	x := mat.NewDense(len(chosen), dim, nil)
	for i, row := range chosen {
		x.SetRow(i, rows[row])
	}
	var pc stat.PC
	if !pc.PrincipalComponents(x, nil) {
		return nil, [2]float64{}
	}
	var vectors, scores mat.Dense
	pc.VectorsTo(&vectors)
	variances := pc.VarsTo(nil)
	if _, cols := vectors.Dims(); cols < 2 {
		return nil, [2]float64{}
	}
	for k := range 2 {
		column := mat.Col(nil, k, &vectors)
		largest := slices.MaxFunc(column, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
		if largest < 0 {
			for i, v := range column {
				vectors.Set(i, k, -v)
			}
		}
	}
	scores.Mul(x, vectors.Slice(0, dim, 0, 2))
	total := 0.0
	for _, v := range variances {
		total += v
	}
	if !(total > 0) {
		return nil, [2]float64{}
	}
	points := make([]Point, len(chosen))
	for i := range points {
		points[i] = Point{X: scores.At(i, 0), Y: scores.At(i, 1)}
	}
	return points, [2]float64{variances[0] / total, variances[1] / total}
}
