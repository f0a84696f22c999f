package embedding

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/wmmd/classifier"
)

const (
	figureEmbedding   = "embedding"   // words in two principal components
	figureFrequencies = "frequencies" // of words by class
)

// drawnMethods are the methods whose embeddings are drawn, the first also before training.
var drawnMethods = []string{classifier.None, classifier.WMMD, classifier.SWMMD}

func own(_ context.Context, r *analysis.Run) (*layout.Part, error) {
	o := &layout.Part{}
	words := map[string]*embeddedWords{}
	drawn := map[string]bool{} // data sets with frequencies
	for at := range analysis.EachEntry(r.Tables...) {
		row, name := at.Row, analysis.MethodName(at.Table.Methods[at.Method])
		method := slices.Index(drawnMethods, name)
		whole := slices.IndexFunc(at.Entry.Sample, func(s analysis.RepeatScore) bool { return s.Whole() })
		if method < 0 || whole < 0 {
			continue
		}
		cell, w := at.Entry.Sample[whole].Cell.String(), &embeddedWords{repeat: at.Entry.Sample[whole].Repeat}
		words[cell] = w
		add := func(kind, word string, draw func() *layout.Figure) {
			o.Figures = append(o.Figures, layout.FigurePlan{
				Kind: kind, Name: prose.Slug(kind, word, r.Layout.SettingName(row.Setting)), Setting: row.Setting, Cells: []string{cell},
				Draw: func() (*layout.Figure, string) { return draw(), "its words have no two principal components" },
			})
		}
		setting := ": " + r.Layout.Describe(row.Setting)
		if data := row.Setting[dimDataset].Text; !drawn[data] {
			drawn[data] = true
			add(figureFrequencies, "", func() *layout.Figure { return frequencyFigure(data, w) })
		}
		if method == 0 {
			add(figureEmbedding, "before", func() *layout.Figure {
				return embeddingFigure("Embedding before training"+setting, w.before, w)
			})
		}
		add(figureEmbedding, name, func() *layout.Figure {
			return embeddingFigure("Embedding after training with "+analysis.MethodLabel(name)+setting, w.after, w)
		})
	}
	path := filepath.Join(r.Dir, wordsTable.Name+".arrow")
	if _, err := os.Stat(path); err != nil && len(o.Figures) > 0 {
		o.Figures = nil
		if !r.Partial {
			o.Missing = []string{fmt.Sprintf("embeddings and frequencies of words: there is no %s.arrow (keep: {%[1]s: true} in the grid makes it).", wordsTable.Name)}
		}
	}
	o.Read = func(ctx context.Context, cells map[string]bool) error { return readWords(ctx, path, cells, words) }
	return o, nil
}

type embeddedWords struct {
	repeat        int64
	counts        [][]float64 // words × classes, in training
	before, after [][]float64
}

func readWords(ctx context.Context, path string, cells map[string]bool, words map[string]*embeddedWords) error {
	columns := []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: "counts", Type: experiment.FloatList},
		{Name: "before", Type: experiment.FloatList}, {Name: "after", Type: experiment.FloatList},
	}
	return results.EachBatchOf(ctx, path, func(cell string) bool { return cells[cell] }, columns, func(v []*experiment.Vector) error {
		for row, cell := range v[0].Texts {
			w := words[cell]
			if w == nil || !cells[cell] {
				continue
			}
			w.counts = append(w.counts, slices.Clone(v[1].Lists[row]))
			w.before = append(w.before, slices.Clone(v[2].Lists[row]))
			w.after = append(w.after, slices.Clone(v[3].Lists[row]))
		}
		return nil
	})
}

// shares spreads each word's occurrences over the classes as if these had equal size; nil for words
// that do not occur.
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

// frequencyBins is the largest number of points of a curve.
const frequencyBins = 100

// frequencyFigure draws each class's shares of words, averaged over neighboring words.
func frequencyFigure(dataset string, w *embeddedWords) *layout.Figure {
	if len(w.counts) == 0 || len(w.counts[0]) == 0 {
		return nil
	}
	f := &layout.Figure{
		Title: "Words by class: " + dataset,
		Note:  fmt.Sprintf("training part of repeat %d", w.repeat),
		X:     layout.AxisLabel{Text: "number of the word"}, Y: layout.AxisLabel{Text: "share of the class's words", Zero: true},
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
		var piece []layout.Point
		for i := 0; i < len(w.counts) && total > 0; i += width {
			bin := w.counts[i:min(i+width, len(w.counts))]
			sum := 0.0
			for _, counts := range bin {
				sum += counts[k]
			}
			piece = append(piece, layout.Point{X: float64(i) + float64(len(bin)-1)/2, Y: sum / total / float64(len(bin))})
		}
		f.Series = append(f.Series, layout.Series{
			Name: fmt.Sprintf("class %d", k+1), Pieces: [][]layout.Point{piece}, Style: &layout.Style{Class: k, Line: true},
		})
	}
	return f
}

// embeddingFigure draws the words that occur in two principal components, colored by their shares
// of the classes.
func embeddingFigure(title string, rows [][]float64, w *embeddedWords) *layout.Figure {
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
	f := &layout.Figure{
		Title: title,
		Note:  fmt.Sprintf("%d words of the training part of repeat %d", len(shown), w.repeat),
		X:     layout.AxisLabel{Text: fmt.Sprintf("first principal component (%.0f %% of the variance)", 100*parts[0])},
		Y:     layout.AxisLabel{Text: fmt.Sprintf("second principal component (%.0f %%)", 100*parts[1])},
		Caption: "Each mark is a word. Shares are those of its occurrences, as if all classes had as many words. " +
			"Marks of a word that is common in one class lie over others.",
	}
	groups := groupsOfShares(len(shares[shown[0]]))
	for g := range groups {
		var piece [][]layout.Point
		for i, word := range shown {
			if groupOf(shares[word], groups) == g {
				piece = append(piece, []layout.Point{points[i]})
			}
		}
		if len(piece) > 0 {
			f.Series = append(f.Series, layout.Series{Name: groups[g].label, Pieces: piece, Style: &groups[g].style})
		}
	}
	return f
}

// shareGroup is words drawn alike: with at least this share of a class.
type shareGroup struct {
	class int
	least float64
	label string
	style layout.Style
}

// groupsOfShares divides words of two classes by the share of the second in five steps, others by
// the class with more than half.
func groupsOfShares(classes int) []shareGroup {
	if classes == 2 {
		colors := []color.RGBA{{0x05, 0x30, 0x61, 0xFF}, {0x67, 0xA9, 0xCF, 0xFF}, {0xB0, 0xB0, 0xB0, 0xFF}, {0xEF, 0x8A, 0x62, 0xFF}, {0x67, 0x00, 0x1F, 0xFF}}
		var list []shareGroup
		for i := range colors {
			label := fmt.Sprintf("class 2: %d to %d %%", 20*i, 20*(i+1))
			list = append(list, shareGroup{1, 0.2 * float64(i), label, layout.Style{Class: i, Color: colors[i]}})
		}
		return list
	}
	list := []shareGroup{{label: "no class above 50 %", style: layout.Style{Color: color.RGBA{0xC8, 0xC8, 0xC8, 0xFF}}}}
	for k := range classes {
		list = append(list, shareGroup{k, 0.5, fmt.Sprintf("class %d above 50 %%", k+1), layout.Style{Class: k}})
	}
	return list
}

// groupOf returns the last group that fits, otherwise the first.
func groupOf(shares []float64, groups []shareGroup) int {
	for g := len(groups) - 1; g > 0; g-- {
		if shares[groups[g].class] > groups[g].least || shares[groups[g].class] == 1 && groups[g].least == 0.8 {
			return g
		}
	}
	return 0
}

// principal returns the chosen rows' first two principal components and their parts of the
// variance; nil if there are not two. A component's largest loading is positive.
func principal(rows [][]float64, chosen []int) ([]layout.Point, [2]float64) {
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
	points := make([]layout.Point, len(chosen))
	for i := range points {
		points[i] = layout.Point{X: scores.At(i, 0), Y: scores.At(i, 1)}
	}
	return points, [2]float64{variances[0] / total, variances[1] / total}
}
