package live

import "time"

const (
	// rateOver and rateCells are the minimum time and number of cells of a rate, rateMost its
	// maximum time.
	rateOver  = 20 * time.Second
	rateCells = 30
	rateMost  = time.Hour
)

// Sample is the progress of a run at a time.
type Sample struct {
	At   time.Time
	Done int64
	Wall float64 // computing seconds of the cells done; 0 if unknown
}

// Throughput measures the speed of a run from samples of the last hour.
type Throughput struct{ samples []Sample }

// Note adds a sample, later than those before.
func (p *Throughput) Note(s Sample) {
	if n := len(p.samples); n > 0 && s.Done < p.samples[n-1].Done {
		p.samples = nil // purged
	}
	p.samples = append(p.samples, s)
	old := 0
	for s.At.Sub(p.samples[old].At) > rateMost {
		old++
	}
	p.samples = p.samples[old:]
}

// Rates returns cells and computing seconds per second, over the shortest sufficient time up to
// now; 0 if unknown.
func (p *Throughput) Rates() (cells, work float64) {
	n := len(p.samples)
	if n < 2 {
		return 0, 0
	}
	last := p.samples[n-1]
	first := p.samples[0]
	for i := n - 2; i > 0; i-- {
		if s := p.samples[i]; last.At.Sub(s.At) >= rateOver && last.Done-s.Done >= rateCells {
			first = s
			break
		}
	}
	seconds := last.At.Sub(first.At).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	return float64(last.Done-first.Done) / seconds, (last.Wall - first.Wall) / seconds
}
