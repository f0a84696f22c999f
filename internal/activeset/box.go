package activeset

// Place is a variable's position in its box.
type Place uint8

const (
	AtLow Place = iota
	AtHigh
	Inside
)

// Box has the variables and their bounds.
type Box struct {
	Y         []float64 // side of 0 on which the box is
	Low, High []float64
	Beta      []float64
	Place     []Place
}

// Zero and Full are the places of β_i = 0 and of the other bound.
func (b *Box) Zero(i int) Place {
	if b.Y[i] > 0 {
		return AtLow
	}
	return AtHigh
}

func (b *Box) Full(i int) Place { return AtLow + AtHigh - b.Zero(i) }

func (b *Box) Settle(i int) {
	switch {
	case b.Low[i] == b.High[i]:
		b.Beta[i], b.Place[i] = 0, b.Zero(i)
	case b.Beta[i] <= b.Low[i]:
		b.Beta[i], b.Place[i] = b.Low[i], AtLow
	case b.Beta[i] >= b.High[i]:
		b.Beta[i], b.Place[i] = b.High[i], AtHigh
	default:
		b.Place[i] = Inside
	}
}

func (b *Box) bound(i int, sign float64) float64 {
	if sign > 0 {
		b.Place[i] = AtHigh
		return b.High[i]
	}
	b.Place[i] = AtLow
	return b.Low[i]
}

func (b *Box) clip(i int, value float64) float64 { return max(b.Low[i], min(b.High[i], value)) }

func (b *Box) room(i int, sign float64) float64 {
	if sign > 0 {
		return b.High[i] - b.Beta[i]
	}
	return b.Beta[i] - b.Low[i]
}

type changes struct {
	list []int
	coef []float64
}

func (c *changes) Begin() { c.list, c.coef = c.list[:0], c.coef[:0] }

func (c *changes) note(i int, change float64) {
	c.list = append(c.list, i)
	c.coef = append(c.coef, change)
}

func (c *changes) Noted() int { return len(c.list) }
