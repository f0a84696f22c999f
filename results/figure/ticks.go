package figure

import (
	"math"
	"strconv"
	"strings"

	"github.com/agepath/agepath/results/prose"
	"gonum.org/v1/plot"
)

// evenTicks are about five ticks at round numbers.
type evenTicks struct{}

func (evenTicks) Ticks(lo, hi float64) []plot.Tick {
	step := roundStep((hi - lo) / 6)
	places := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi*(1+1e-12)+step*1e-9; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: tickLabel(i*step, places)})
	}
	return ticks
}

// roundStep returns the smallest of 1, 2 or 5 times a power of ten that is at least x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

func tickLabel(x float64, places int) string {
	if a := math.Abs(x); a >= 1e6 || places > 6 && a > 0 {
		return shortLabel(x)
	}
	return properMinus(prose.Fixed(x, places))
}

// shortLabel has three digits, with a power of ten from a million on and below a ten-thousandth.
func shortLabel(x float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil { // overflow
		rounded = x
	}
	return properMinus(strconv.FormatFloat(rounded, 'g', -1, 64))
}

func properMinus(number string) string { return strings.ReplaceAll(number, "-", "\u2212") }

// decadeTicks label 1, 2 and 5 times the powers of ten on up to three decades, otherwise the
// powers.
type decadeTicks struct{}

func (decadeTicks) Ticks(lo, hi float64) []plot.Tick {
	decades := math.Log10(hi / lo)
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(lo))); math.Pow10(e) <= hi; e++ {
		for m := 1; m < 10; m++ {
			x := float64(m) * math.Pow10(e)
			if x < lo*(1-1e-9) || x > hi*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: x}
			if m == 1 || decades <= 3 && (m == 2 || m == 5) {
				tick.Label = shortLabel(x)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
