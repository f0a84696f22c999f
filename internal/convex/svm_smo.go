package convex

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// minimize runs sequential minimal optimization from β and f until no pair (without a bias, no
// multiplier) violates optimality by more than tolerance: second-order working sets (Fan, Chen and
// Lin 2005). err is nil if the budget ran out.
func (q *dual) minimize(ctx context.Context, tolerance float64, budget int) (int, error) {
	const contextEvery = 256
	updates := 0
	for ; updates < budget; updates++ {
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
			break
		}
	}
	for i := range q.Beta {
		q.Settle(i)
	}
	return updates, nil
}

func (q *dual) updatePair(tolerance float64) bool {
	up, most := -1, math.Inf(-1)
	for t, y := range q.Y {
		if v := y - q.F[t]; v > most && q.Beta[t] < q.High[t] {
			up, most = t, v
		}
	}
	if up < 0 {
		return false
	}
	row := q.gram.row(up)
	diagonal := q.gram.diagonal
	down, least, best, curvature := -1, math.Inf(1), 0.0, 0.0
	for t, y := range q.Y {
		if q.Beta[t] <= q.Low[t] {
			continue
		}
		v := y - q.F[t]
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
	for t, y := range q.Y {
		v := y - q.F[t]
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
	blas64.Axpy(coefficient, vector(q.gram.row(i)), vector(q.F))
}
