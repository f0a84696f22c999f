package live

import (
	"time"

	"github.com/agepath/agepath/experiment"
)

// mostSpans is how many spans of time a history tells apart: with more, each becomes
// twice as long.
const mostSpans = 240

// History is when the cells of a run ended, by the server's clock, in spans of equal
// length. A cell that was computed again is there each time.
type History struct {
	Start  time.Time `json:"start"`
	Span   float64   `json:"span"` // seconds
	Counts []Counts  `json:"counts"`
	Last   time.Time `json:"last"` // the newest
}

// Counts are how cells ended.
type Counts struct {
	OK         int64 `json:"ok"`
	Incomplete int64 `json:"incomplete"`
	Failed     int64 `json:"failed"`
}

func (c *Counts) note(status experiment.Status) {
	switch {
	case status == experiment.OK:
		c.OK++
	case status == experiment.Incomplete:
		c.Incomplete++
	case status.Failed():
		c.Failed++
	}
}

// add notes that a cell ended. Times come in their order, as the server stores
// outcomes; one before the first counts as that.
func (h *History) add(at time.Time, status experiment.Status) {
	if len(h.Counts) == 0 {
		h.Start, h.Span = at.UTC().Truncate(time.Second), 1
	}
	if at.After(h.Last) {
		h.Last = at.UTC().Truncate(time.Millisecond)
	}
	i := max(0, int(at.Sub(h.Start).Seconds()/h.Span))
	for ; i >= mostSpans; i /= 2 {
		h.halve()
	}
	for len(h.Counts) <= i {
		h.Counts = append(h.Counts, Counts{})
	}
	h.Counts[i].note(status)
}

// halve makes spans twice as long.
func (h *History) halve() {
	h.Span *= 2
	for i, c := range h.Counts {
		h.Counts[i] = Counts{}
		to := &h.Counts[i/2]
		to.OK, to.Incomplete, to.Failed = to.OK+c.OK, to.Incomplete+c.Incomplete, to.Failed+c.Failed
	}
	h.Counts = h.Counts[:(len(h.Counts)+1)/2]
}
