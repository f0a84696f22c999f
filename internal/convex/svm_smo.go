package convex

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// minimize runs sequential minimal optimization from β and f until no pair (without a bias, no
// multiplier) violates optimality by more than tolerance: second-order working sets (Fan, Chen and
// Lin 2005) and shrinking, with the gradient reconstructed before the end (Joachims 1998). err is
// nil if the budget ran out.
func (q *dual) minimize(ctx context.Context, tolerance float64, budget int, shrinking bool) (int, error) {
	const contextEvery = 256
	q.allActive()
	interval := min(len(q.Y), 1000)
	untilShrink := interval
	updates := 0
	for updates < budget {
		if updates%contextEvery == 0 {
			if err := ctx.Err(); err != nil {
				return updates, err
			}
		}
		var moved bool
		if q.Equality {
			moved = q.updatePair(tolerance)
		} else {
			moved = q.updateOne(tolerance)
		}
		if !moved {
			if len(q.active) == len(q.Y) {
				break
			}
			// Shrink again only after an update: otherwise the whole set is never examined.
			q.evaluate()
			q.allActive()
			continue
		}
		updates++
		if untilShrink--; shrinking && untilShrink == 0 {
			untilShrink = interval
			q.shrink()
		}
	}
	if len(q.active) < len(q.Y) {
		q.evaluate()
	}
	for i := range q.Beta {
		q.Settle(i)
	}
	return updates, nil
}

func (q *dual) allActive() {
	q.active = q.active[:len(q.Y)]
	for i := range q.active {
		q.active[i] = i
	}
}

func (q *dual) updatePair(tolerance float64) bool {
	up, most := -1, math.Inf(-1)
	for _, t := range q.active {
		if v := q.Y[t] - q.F[t]; v > most && q.Beta[t] < q.High[t] {
			up, most = t, v
		}
	}
	if up < 0 {
		return false
	}
	row := q.gram.row(up)
	diagonal := q.gram.diagonal
	down, least, best, curvature := -1, math.Inf(1), 0.0, 0.0
	for _, t := range q.active {
		if q.Beta[t] <= q.Low[t] {
			continue
		}
		v := q.Y[t] - q.F[t]
		if v < least {
			least = v
		}
		difference := most - v
		if difference <= 0 {
			continue
		}
		second := diagonal[up] + diagonal[t] - 2*row[t]
		if floor := 1e-12 * (diagonal[up] + diagonal[t]); second <= floor {
			second = max(floor, math.SmallestNonzeroFloat64)
		}
		if gain := difference * difference / second; gain > best {
			down, best, curvature = t, gain, second
		}
	}
	if down < 0 || most-least <= tolerance {
		return false
	}
	step := (most - (q.Y[down] - q.F[down])) / curvature
	roomUp, roomDown := q.High[up]-q.Beta[up], q.Beta[down]-q.Low[down]
	step = min(step, roomUp, roomDown)
	if q.Beta[up]+step == q.Beta[up] && q.Beta[down]-step == q.Beta[down] {
		return false // below rounding
	}
	q.Beta[up] += step
	q.Beta[down] -= step
	if step == roomUp {
		q.Beta[up] = q.High[up]
	}
	if step == roomDown {
		q.Beta[down] = q.Low[down]
	}
	q.addRow(up, step)
	q.addRow(down, -step)
	return true
}

func (q *dual) updateOne(tolerance float64) bool {
	chosen, best, most := -1, 0.0, 0.0
	for _, t := range q.active {
		v := q.Y[t] - q.F[t]
		if v > 0 && q.Beta[t] >= q.High[t] || v < 0 && q.Beta[t] <= q.Low[t] {
			continue
		}
		if math.Abs(v) > most {
			most = math.Abs(v)
		}
		second := max(q.gram.diagonal[t], math.SmallestNonzeroFloat64)
		if gain := v * v / second; gain > best {
			chosen, best = t, gain
		}
	}
	if chosen < 0 || most <= tolerance {
		return false
	}
	v := q.Y[chosen] - q.F[chosen]
	before := q.Beta[chosen]
	after := before + v/max(q.gram.diagonal[chosen], math.SmallestNonzeroFloat64)
	after = max(q.Low[chosen], min(q.High[chosen], after))
	if after == before {
		return false // below rounding
	}
	q.Beta[chosen] = after
	q.addRow(chosen, after-before)
	return true
}

func (q *dual) addRow(i int, coefficient float64) {
	row := q.gram.row(i)
	if len(q.active) == len(q.Y) {
		blas64.Axpy(coefficient, vector(row), vector(q.F))
		return
	}
	for _, t := range q.active {
		q.F[t] += coefficient * row[t]
	}
}

// shrink deselects samples at a bound that no pair would move inside.
func (q *dual) shrink() {
	highest, lowest := 0.0, 0.0
	if q.Equality {
		highest, lowest = math.Inf(-1), math.Inf(1)
		for _, t := range q.active {
			v := q.Y[t] - q.F[t]
			if q.Beta[t] < q.High[t] {
				highest = max(highest, v)
			}
			if q.Beta[t] > q.Low[t] {
				lowest = min(lowest, v)
			}
		}
	}
	keep := q.active[:0]
	for _, t := range q.active {
		v := q.Y[t] - q.F[t]
		if q.Beta[t] >= q.High[t] && v > highest || q.Beta[t] <= q.Low[t] && v < lowest || q.High[t] == q.Low[t] {
			continue
		}
		keep = append(keep, t)
	}
	q.active = keep
}
