package live

import "time"

const (
	// paceOver is the least time, paceCells the least number of cells over
	// which a rate is taken, and paceMost the longest time.
	paceOver  = 20 * time.Second
	paceCells = 30
	paceMost  = time.Hour
)

// sample is how far a run was at a time.
type sample struct {
	at   time.Time
	done int64
	wall float64 // seconds that the cells done took, together
}

// pace tells how fast a run goes, from samples of the last hour.
type pace struct{ samples []sample }

// note adds a sample.
func (p *pace) note(s sample) {
	if n := len(p.samples); n > 0 && s.done < p.samples[n-1].done {
		p.samples = nil // purged
	}
	p.samples = append(p.samples, s)
	old := 0
	for s.at.Sub(p.samples[old].at) > paceMost {
		old++
	}
	p.samples = p.samples[old:]
}

// rates returns cells and seconds of computing per second of the clock, over the
// shortest time up to now that says enough; 0 when nothing is known.
func (p *pace) rates() (cells, work float64) {
	n := len(p.samples)
	if n < 2 {
		return 0, 0
	}
	last := p.samples[n-1]
	first := p.samples[0]
	for i := n - 2; i > 0; i-- {
		if s := p.samples[i]; last.at.Sub(s.at) >= paceOver && last.done-s.done >= paceCells {
			first = s
			break
		}
	}
	seconds := last.at.Sub(first.at).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	return float64(last.done-first.done) / seconds, (last.wall - first.wall) / seconds
}
