package selfpaced

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
)

// fold is a training part without its held-out rows, and these, whose targets commands do not see.
type fold struct{ rest, held dataset.Part }

// folds keeps identical rows in one fold, and deals each class evenly.
func (c *Cell) folds(train *dataset.Part) ([]fold, error) {
	n := c.Choice.Folds
	if train.N < n {
		return nil, fmt.Errorf("%d folds of %d different training rows; give choose.folds at most as many", n, train.N)
	}
	order := c.Stream("folds").Perm(train.N)
	if c.Data.Task == dataset.Classification {
		slices.SortStableFunc(order, func(i, j int) int { return int(train.Y[i] - train.Y[j]) })
	}
	folds := make([]fold, n)
	for h := range folds {
		held, rest := deal(order, n, h)
		slices.Sort(rest)
		slices.Sort(held)
		folds[h] = fold{rows(train, rest, false), rows(train, held, true)}
	}
	return folds, nil
}

// deal returns every n-th of a list from h on, and the others.
func deal(list []int, n, h int) (held, rest []int) {
	for k, i := range list {
		if k%n == h {
			held = append(held, i)
		} else {
			rest = append(rest, i)
		}
	}
	return held, rest
}

// rows repeats merged rows if all is set.
func rows(part *dataset.Part, list []int, all bool) dataset.Part {
	some := dataset.Part{D: part.D}
	for _, i := range list {
		times := 1
		switch {
		case part.Multiplicity == nil:
		case all:
			times = int(part.Multiplicity[i])
		default:
			some.Multiplicity = append(some.Multiplicity, part.Multiplicity[i])
		}
		for range times {
			some.X = append(some.X, part.X[i*part.D:(i+1)*part.D]...)
			some.Y = append(some.Y, part.Y[i])
			some.Rows = append(some.Rows, part.Rows[i])
			some.N++
		}
	}
	return some
}

// holdOut returns the held-out rows of each fold, which a path on the other rows predicts, and those of
// the validation part. All paths have the ages of the path on the whole training part. A knot is
// matched with the knot of a fold, if possible of the same direction, at which the nearest share of
// the samples has weight, and among these at the nearest age: with fewer rows another age has the same
// effect, since the losses at which samples enter depend on the fit.
//
// The folds are not tasks of their own: a path needs them all before it can choose, and a worker
// that dies costs one cell either way.
func (c *Cell) holdOut(ctx context.Context, f *Fitted, commands *outside.Host) ([]*heldOut, error) {
	folds, err := c.folds(&f.parts.Train)
	if err != nil {
		return nil, err
	}
	held := make([]*heldOut, len(folds), len(folds)+1)
	for h := range folds {
		part, err := c.fitOver(ctx, &dataset.Prepared{Train: folds[h].rest, Test: folds[h].held}, commands, f.span)
		if err == nil {
			err = part.incomplete()
		}
		if err != nil {
			return nil, fmt.Errorf("fold %d of %d: %w", h+1, len(folds), err)
		}
		kept := part.kept()
		if !slices.Contains(kept, true) {
			return nil, fmt.Errorf("fold %d of %d: every age discards every sample", h+1, len(folds))
		}
		held[h] = &heldOut{fit: part, part: &folds[h].held, predictions: part.predictions.Test, matches: f.matches(part, kept)}
	}
	return append(held, f.validation()...), nil
}

func (f *Fitted) matches(part *Fitted, kept []bool) []int {
	type point struct{ share, place float64 }
	points := func(f *Fitted) []point {
		list := make([]point, len(f.Knots))
		for k := range list {
			knot := &f.Knots[k]
			switch {
			case !f.aged(): // matched by number
				list[k].place = float64(k)
				continue
			case !f.outside:
				list[k].share = float64(knot.Easy+knot.Middle) / float64(knot.Easy+knot.Middle+knot.Discarded)
			}
			list[k].place = math.Log(math.Max(knot.Age, math.SmallestNonzeroFloat64))
		}
		return list
	}
	whole, parts := points(f), points(part)
	list := make([]int, len(whole))
	for k, at := range whole {
		best, nearest := -1, point{}
		for j, p := range parts {
			if !kept[j] {
				continue
			}
			d := point{math.Abs(p.share - at.share), math.Abs(p.place - at.place)}
			if part.falls(j) != f.falls(k) {
				d.share += 2 // more than shares differ
			}
			if best < 0 || d.share < nearest.share || d.share == nearest.share && d.place < nearest.place {
				best, nearest = j, d
			}
		}
		list[k] = best
	}
	return list
}
