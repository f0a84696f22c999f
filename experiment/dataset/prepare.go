package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Purposes of [Prepare]'s random streams.
const StreamRows, StreamSplit, StreamNoise = "rows", "split", "noise"

// Settings say how a data set is prepared for a fit.
//
// Default protocol: the split is random and stratified by class, so that small sets keep both
// classes in training. Scaling is fitted to the rows that the solver trains on (without validation)
// and applied to all parts. Then noise hits training and validation in scaled units; the test part
// stays clean.
//
// [Paper]: the split is not stratified; scaling is fitted to all rows before the split; labels are
// also flipped before it, so that the test part is noisy. Noise of regression is as by default.
//
// [Scripts]: as [Paper], but noise hits only training and validation; counts of noisy rows are
// rounded down; [Gaussian] adds the same numbers in every repeat, to targets the first of those for
// features.
//
// Points of [StatP] are fitted to and counted relative to training and validation, and join
// validation with probability Split.Validation.
type Settings struct {
	// Rows is the number of rows drawn at random, 0 for all; draws are nested.
	Rows     int
	Split    Split
	Clean    bool // only rows known to be clean are tested, see [Options.Clean]
	Features Scaling
	Target   Scaling // for regression
	Noise    Noise
	Protocol Protocol

	// Missing replaces NaN: "" is an error; [Median] is the feature's median over the rows that the
	// solver trains on.
	Missing string

	// Boundary fits a linear support vector machine to x (n × d, row-major) and labels y and
	// returns n decision values, for the noise that needs a boundary.
	Boundary func(ctx context.Context, x []float64, n, d int, y []float64) ([]float64, error)
}

// Protocol says which rows noise hits and scaling is fitted to, see [Settings].
type Protocol string

const (
	HeldOut Protocol = "held-out" // default, also ""
	Paper   Protocol = "paper"    // as the GAGA paper says
	Scripts Protocol = "scripts"  // as its scripts do (github.com/diyang-lee/GAGA)
)

func (p Protocol) heldOut() bool { return p == "" || p == HeldOut }

func (p Protocol) check() error { return allow("protocol", p, HeldOut, Paper, Scripts) }

// Part is a set of rows with one use.
type Part struct {
	N, D int
	X    []float64 // N × D, row-major
	Y    []float64
	Rows []int // of the data set, the first of merged rows; -1 for poisoning points
	// Multiplicity counts the rows merged into each row; nil means one each.
	Multiplicity []float64
}

// Count returns the number of rows merged into row i.
func (p *Part) Count(i int) float64 {
	if p.Multiplicity == nil {
		return 1
	}
	return p.Multiplicity[i]
}

// Prepared is a data set ready for a fit.
type Prepared struct {
	Train      Part // identical rows merged
	Validation Part
	Test       Part

	Medians  []float64 // of training, in place of missing values; nil if there are none
	Features Affine
	Target   Affine // empty for classification

	// Clean is training before noise, merged; only under [Scripts].
	Clean Part

	Contaminated []int // rows that noise changed, ascending
	Added        int   // in training and validation
	Merged       int   // training rows merged into others
}

// Check returns an error if n rows of any values cannot be prepared.
func (s Settings) Check(task Task, n int) error {
	err := cmp.Or(
		refuse(task != Classification && task != Regression, "task %q: allowed are %s and %s", task, Classification, Regression),
		refuse(s.Missing != "" && s.Missing != Median, "missing: %q; only %s is for values that are missing here", s.Missing, Median),
		refuse(lookupNoise(s.Noise.Kind).boundary && s.Boundary == nil, "noise: %s needs a boundary", s.Noise.Kind),
		refuse(s.Rows < 0 || s.Rows > n, "rows: %d; the data set has %d", s.Rows, n))
	if err != nil {
		return err
	}
	return errors.Join(s.Protocol.check(), s.Split.check(cmp.Or(s.Rows, n)), s.Features.check("features"), s.Target.check("target"), s.Noise.check(task))
}

// Prepare splits, scales and contaminates a copy of the data and merges identical training rows.
// The result depends only on the arguments and the streams [StreamRows], [StreamSplit] and
// [StreamNoise], which must not depend on the noise level if contamination is to be nested.
//
// It fails if [Settings.Check] does, if training has one class, if a missing value remains, or if a
// value is not finite after scaling or noise.
func Prepare(ctx context.Context, d *Dataset, s Settings, stream func(purpose string) *rand.Rand) (*Prepared, error) {
	err := s.Check(d.Task, d.N)
	if d.uses == nil && (s.Clean || s.Split.Own) {
		err = errors.New("nothing says which rows are clean, or which part they belong to")
	}
	if err != nil {
		return nil, fmt.Errorf("prepare data set %s: %w", d.Name, err)
	}
	var drawn []int
	if s.Rows > 0 && s.Rows < d.N {
		drawn = stream(StreamRows).Perm(d.N)[:s.Rows]
		slices.Sort(drawn)
		d = d.pick(drawn)
	}
	prepared, err := prepare(ctx, d, s, stream)
	if err != nil {
		return nil, fmt.Errorf("prepare data set %s: %w", d.Name, err)
	}
	for _, rows := range [][]int{prepared.Train.Rows, prepared.Validation.Rows, prepared.Test.Rows, prepared.Clean.Rows, prepared.Contaminated} {
		for i, row := range rows {
			if drawn != nil && row >= 0 { // not a poisoning point
				rows[i] = drawn[row]
			}
		}
	}
	return prepared, nil
}

func (d *Dataset) pick(rows []int) *Dataset {
	picked := *d
	picked.N, picked.X, picked.Y = len(rows), make([]float64, 0, len(rows)*d.D), make([]float64, len(rows))
	if d.uses != nil {
		picked.uses = make([]use, len(rows))
	}
	for i, row := range rows {
		picked.X = append(picked.X, d.X[row*d.D:(row+1)*d.D]...)
		picked.Y[i] = d.Y[row]
		if d.uses != nil {
			picked.uses[i] = d.uses[row]
		}
	}
	return &picked
}

func prepare(ctx context.Context, d *Dataset, s Settings, stream func(purpose string) *rand.Rand) (*Prepared, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.Task == Classification {
		if err := (&Part{Y: d.Y, N: d.N}).bothClasses("the data set"); err != nil {
			return nil, err
		}
	}
	byClass := d.Task == Classification && s.Protocol.heldOut()
	parts, err := s.Split.divide(strata(d.Y, byClass), d.uses, s.Clean, stream(StreamSplit))
	if err != nil {
		return nil, err
	}
	var p Prepared
	t, err := s.scale(d, parts.train, &p)
	if err != nil {
		return nil, err
	}
	if s.Protocol == Scripts {
		p.Clean = t.gather(parts.train)
		p.Clean.merge()
	}
	noisy := Indices(d.N)
	if d.Task == Regression || s.Protocol != Paper {
		noisy = slices.Sorted(slices.Values(slices.Concat(parts.train, parts.validation)))
	}
	if s.Noise.Kind == StatP {
		err = s.addPoison(t, noisy, &p, stream(StreamNoise))
	} else if s.Noise.Kind != "" && s.Noise.Level > 0 {
		p.Contaminated, err = s.contaminate(ctx, t, noisy, stream(StreamNoise))
	}
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		to   *Part
		rows []int
	}{{&p.Train, parts.train}, {&p.Validation, parts.validation}, {&p.Test, parts.test}} {
		gathered := t.gather(part.rows)
		gathered.append(*part.to) // poisoning points come last
		if err := gathered.finite(d.Features); err != nil {
			return nil, err
		}
		*part.to = gathered
	}
	if d.Task == Classification {
		if err := p.Train.bothClasses("the training part"); err != nil {
			return nil, err
		}
	}
	p.Merged = p.Train.merge()
	return &p, nil
}

func (s Settings) scale(d *Dataset, train []int, p *Prepared) (scaled, error) {
	fitted := train
	if !s.Protocol.heldOut() {
		fitted = Indices(d.N)
	}
	t := scaled{d: d.D, x: slices.Clone(d.X), y: slices.Clone(d.Y)}
	err := s.fill(t.x, d.Features, train)
	if err != nil {
		return t, err
	}
	for k, x := range d.X {
		if math.IsNaN(x) {
			if p.Medians == nil {
				p.Medians = make([]float64, d.D)
			}
			p.Medians[k%d.D] = t.x[k]
		}
	}
	if p.Features, err = s.Features.fit(t.x, d.D, fitted); err != nil {
		return t, fmt.Errorf("scale features: %w", err)
	}
	p.Features.apply(t.x)
	if d.Task == Regression {
		if p.Target, err = s.Target.fit(t.y, 1, fitted); err != nil {
			return t, fmt.Errorf("scale target: %w", err)
		}
		p.Target.apply(t.y)
	}
	return t, nil
}

// addPoison precedes the parts' other rows.
func (s Settings) addPoison(t scaled, rows []int, p *Prepared, random *rand.Rand) error {
	count := s.count(s.Noise.Level, len(rows))
	if count == 0 {
		return nil
	}
	poison, err := newPoisoner(t, rows)
	if err != nil {
		return err
	}
	for range count {
		x := make([]float64, t.d)
		y := poison.point(x, random)
		to := &p.Train
		if random.Float64() < s.Split.Validation {
			to = &p.Validation
		}
		to.append(Part{N: 1, D: t.d, X: x, Y: []float64{y}, Rows: []int{-1}})
	}
	p.Added = count
	return nil
}

func (p *Part) append(more Part) {
	p.N += more.N
	p.X = append(p.X, more.X...)
	p.Y = append(p.Y, more.Y...)
	p.Rows = append(p.Rows, more.Rows...)
}

func (p *Part) bothClasses(where string) error {
	if slices.ContainsFunc(p.Y, func(label float64) bool { return label != p.Y[0] }) {
		return nil
	}
	return fmt.Errorf("%s has one class only, %d rows of %+g; both are needed", where, p.N, p.Y[0])
}

func (p *Part) finite(features []string) error {
	if k := slices.IndexFunc(p.X, NotFinite); k >= 0 {
		return fmt.Errorf("row %d, feature %s: %v after scaling and noise", p.Rows[k/p.D], features[k%p.D], p.X[k])
	}
	if i := slices.IndexFunc(p.Y, NotFinite); i >= 0 {
		return fmt.Errorf("row %d, target: %v after scaling and noise", p.Rows[i], p.Y[i])
	}
	return nil
}

// merge merges rows that are equal in every bit into the first and counts them in Multiplicity, nil
// if all differ. It returns the number of removed rows.
func (p *Part) merge() int {
	places := map[[sha256.Size]byte]int{} // of kept rows, by digest
	var multiplicity []float64
	var row []byte
	for i := range p.N {
		x := p.X[i*p.D:][:p.D]
		row, _ = binary.Append(row[:0], binary.LittleEndian, x)
		digest := sha256.Sum256(binary.LittleEndian.AppendUint64(row, math.Float64bits(p.Y[i])))
		if same, found := places[digest]; found {
			multiplicity[same]++
			continue
		}
		kept := len(multiplicity)
		copy(p.X[kept*p.D:], x)
		p.Y[kept], p.Rows[kept], places[digest] = p.Y[i], p.Rows[i], kept
		multiplicity = append(multiplicity, 1)
	}
	kept := len(multiplicity)
	merged := p.N - kept
	if merged == 0 {
		return 0
	}
	p.N, p.X, p.Y, p.Rows = kept, slices.Clone(p.X[:kept*p.D]), slices.Clone(p.Y[:kept]), slices.Clone(p.Rows[:kept])
	p.Multiplicity = multiplicity
	return merged
}
