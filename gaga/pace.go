package gaga

import "math"

// pace tells when an alternation is worth a try of Newton's method: once its zones have
// stood still for a while, which doubles with each try, unless it is about to leave
// where it is; or where it stands still.
type pace struct {
	least  int     // alternations with the same zones before the first try
	quiet  int     // so many had the same zones
	next   int     // so many must have before the next try
	before float64 // how far the last step went
}

func newPace(least int) pace { return pace{least: least, next: least, before: math.Inf(1)} }

// wait takes note of a step and reports whether to go on without a try: changed says
// that it changed zones or the support, and moved is how far it went, 0 where that is
// rounding.
func (p *pace) wait(changed bool, moved float64) bool {
	if p.quiet++; changed {
		p.quiet, p.next = 0, p.least
	}
	leaving := moved > p.before // no optimum is near
	p.before = moved
	if (p.quiet < p.next || leaving) && moved > 0 {
		return true
	}
	p.next *= 2
	return false
}
