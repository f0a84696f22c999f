package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// each runs check for every instruction set and length; it changes the one in
// use, so that tests here are not parallel.
func each(t *testing.T, check func(t *testing.T, r *rand.Rand, n int)) {
	best := levels()
	defer setLevel(best[len(best)-1])
	for _, l := range best {
		setLevel(l)
		for n := range 70 {
			t.Run(fmt.Sprintf("level %d length %d", l, n), func(t *testing.T) {
				check(t, rand.New(rand.NewPCG(1, uint64(n))), n)
			})
		}
	}
}

func normal(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, got[i], want[i])
		}
	}
}

// guarded returns a copy of v within a longer slice, and a check that what is
// around it was not written to.
func guarded(t *testing.T, v []float64) ([]float64, func()) {
	t.Helper()
	whole := make([]float64, len(v)+32)
	for i := range whole {
		whole[i] = 1e300
	}
	copy(whole[16:], v)
	return whole[16 : 16+len(v)], func() {
		t.Helper()
		for i, x := range whole {
			if (i < 16 || i >= 16+len(v)) && x != 1e300 {
				t.Fatalf("wrote %v %d entries off", x, i-16)
			}
		}
	}
}

func TestVectors(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		x, y := normal(r, n), normal(r, n)
		same(t, "dot", []float64{Dot(x, y)}, []float64{dotGo(x, y)})
		got, check := guarded(t, y)
		want := append([]float64(nil), y...)
		Axpy(1.5, x, got)
		axpyGo(1.5, x, want)
		check()
		same(t, "axpy", got, want)
		rows := [4][]float64{x, normal(r, n), normal(r, n+3), normal(r, n)}
		by := [4]float64{1, -2, 0, 0.5}
		Axpy4(&by, &rows, got)
		axpy4Go(&by, &rows, want)
		check()
		same(t, "axpy of four", got, want)
		both := [4]float64{-1, 0, 3, 0.25}
		other, checkOther := guarded(t, y)
		wantOther := slices.Clone(y)
		Axpy4Both(&by, &both, &rows, got, other)
		axpy4Go(&by, &rows, want)
		axpy4Go(&both, &rows, wantOther)
		check()
		checkOther()
		same(t, "axpy of four, one of both", got, want)
		same(t, "axpy of four, the other", other, wantOther)
		AxpyTimes(-0.5, x, want, got)
		axpyTimesGo(-0.5, x, append([]float64(nil), want...), want)
		check()
		same(t, "axpy of products", got, want)
		ScaleTo(got, -2, x)
		scaleToGo(want, -2, x)
		check()
		same(t, "scale", got, want)
	})
}

func TestProducts(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, d int) {
		for _, n := range []int{0, 1, 3, 4, 11, 21} {
			stride := d + 3
			x, v, a := normal(r, n*stride), normal(r, d), normal(r, n)
			for i := range a {
				if r.IntN(2) == 0 {
					a[i] = 0
				}
			}
			if n > 8 {
				clear(a[4:8])
			}
			got, check := guarded(t, make([]float64, n))
			want := make([]float64, n)
			MulVec(got, x, stride, v)
			mulVecGo(want, x, stride, v)
			check()
			same(t, "product", got, want)

			Norms(got, x, stride, d)
			normsGo(want, x, stride, d)
			check()
			same(t, "norms", got, want)

			norms, also := guarded(t, make([]float64, n))
			MulVecNorms(got, norms, x, stride, v)
			check()
			also()
			same(t, "norms with a product", norms, want)
			mulVecGo(want, x, stride, v)
			same(t, "product with norms", got, want)

			w, check := guarded(t, v)
			MulTransAdd(w, x, stride, a)
			mulTransAddGo(v, x, stride, a)
			check()
			same(t, "transposed product", w, v)
		}
	})
}

func TestGram(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, d int) {
		ld := Pad(d)
		for _, rows := range []int{0, 1, 5} {
			p := normal(r, rows*ld)
			q := make([]float64, rows*ld)
			for i := range rows {
				scaleToGo(q[i*ld:][:ld], float64(1-2*(i%2)), p[i*ld:][:ld])
			}
			start := normal(r, ld*ld)
			got, check := guarded(t, start)
			GramAdd(got, ld, ld, p, q, rows)
			gramAddGo(start, ld, 0, ld, p, q, rows)
			check()
			for i := range ld {
				same(t, "gram", got[i*ld:][:i+1], start[i*ld:][:i+1])
			}
			if ld <= Width { // the last block of a larger matrix
				continue
			}
			from, last := (ld+1)*Width, ld-Width
			got, check = guarded(t, start[from:])
			GramAdd(got, ld, last, p, q, rows)
			gramAddGo(start[from:], ld, 0, last, p, q, rows)
			check()
			for i := range last {
				same(t, "block", got[i*ld:][:i+1], start[from:][i*ld:][:i+1])
			}
			got, check = guarded(t, start)
			GramAddRows(got, ld, Width, last, p, q, rows)
			gramAddGo(start, ld, Width, last, p, q, rows)
			check()
			for i := range ld {
				same(t, "rows", got[i*ld:][:i+1], start[i*ld:][:i+1])
			}
		}
	})
}

func TestTerms(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		z, dz, kink, lo, hi := normal(r, n), normal(r, n), normal(r, n), normal(r, n), normal(r, n)
		center, sigma := make([]float64, n), normal(r, n)
		for i := range lo {
			lo[i], hi[i] = -math.Abs(lo[i]), math.Abs(hi[i])
			center[i] = lo[i] + r.Float64()*(hi[i]-lo[i])
			sigma[i] = math.Abs(sigma[i])
			if r.IntN(4) == 0 {
				lo[i] = 0
			}
		}
		run := func(what string, asm, plain func(slope, g, h []float64) []float64) {
			t.Helper()
			var all [2][]float64
			for i, f := range []func(slope, g, h []float64) []float64{asm, plain} {
				slope, check := guarded(t, make([]float64, n))
				g, also := guarded(t, z)
				h, too := guarded(t, dz)
				sums := f(slope, g, h)
				check()
				also()
				too()
				all[i] = append(append(append(append([]float64(nil), slope...), g...), h...), sums...)
			}
			same(t, what, all[0], all[1])
		}
		run("kinked", func(slope, g, h []float64) []float64 {
			s := Kinked(z, kink, lo, hi, center, slope, g, h, 0.7)
			return s[:]
		}, func(slope, g, h []float64) []float64 {
			s := kinkedGo(z, kink, lo, hi, center, slope, g, h, 0.7)
			return s[:]
		})
		run("kinked along", func(_, _, _ []float64) []float64 {
			s := KinkedAlong(z, dz, kink, lo, hi, center, 0.3, 0.7)
			return s[:]
		}, func(_, _, _ []float64) []float64 {
			s := kinkedAlongGo(z, dz, kink, lo, hi, center, 0.3, 0.7)
			return s[:]
		})
		for i := range hi {
			if i%3 == 0 {
				hi[i] = math.Inf(1)
			}
		}
		run("curved", func(slope, g, h []float64) []float64 {
			s := Curved(z, kink, lo, hi, sigma, slope, g, h)
			return s[:]
		}, func(slope, g, h []float64) []float64 {
			s := curvedGo(z, kink, lo, hi, sigma, slope, g, h)
			return s[:]
		})
		run("curved along", func(_, _, _ []float64) []float64 {
			s := CurvedAlong(z, dz, kink, lo, hi, sigma, 0.3)
			return s[:]
		}, func(_, _, _ []float64) []float64 {
			s := curvedAlongGo(z, dz, kink, lo, hi, sigma, 0.3)
			return s[:]
		})
	})
}

func TestSelect(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		z, kink, lo, hi, inv := normal(r, n), normal(r, n), normal(r, n), normal(r, n), normal(r, n)
		slope, last := make([]float64, n), normal(r, n)
		for i := range lo {
			lo[i], hi[i], inv[i], z[i] = -math.Abs(lo[i]), math.Abs(hi[i]), math.Abs(inv[i]), math.Abs(z[i])
			slope[i] = []float64{lo[i], hi[i], 0}[r.IntN(3)]
			if r.IntN(2) == 0 {
				last[i] = lo[i] * 0.5
			}
			if r.IntN(4) == 0 {
				kink[i] = 0
			}
		}
		for _, room := range []int{n / 4, n/2 + 8, n + 8} {
			got, want := make([]int32, room), make([]int32, room)
			check := func(what string, a int, ok bool, b int, fits bool) {
				t.Helper()
				if ok && (!fits || a != b) || room == n+8 && !ok {
					t.Fatalf("%s: %d %v, want %d %v", what, a, ok, b, fits)
				}
				for i := 0; ok && i < a; i++ {
					if got[i] != want[i] {
						t.Fatalf("%s: index %d is %d, want %d", what, i, got[i], want[i])
					}
				}
			}
			a, ok := Near(z, kink, lo, hi, slope, inv, 0.3, got)
			b, fits := nearGo(z, kink, lo, hi, slope, inv, 0.3, want)
			check("near", a, ok, b, fits)
			a, ok = Changed(lo, last, 0.5, 1e-14, got)
			b, fits = changedGo(lo, last, 0.5, 1e-14, want)
			check("changed", a, ok, b, fits)
		}
		got, end := guarded(t, make([]float64, n))
		want := make([]float64, n)
		Share(got, slope, kink, 0.7)
		shareGo(want, slope, kink, 0.7)
		end()
		same(t, "share", got, want)

		squares := append([]float64{0}, slope...)
		for i, v := range squares {
			squares[i] = v * v
		}
		got, end = guarded(t, squares)
		Invert(got, 0.5, 1)
		invertGo(squares, 0.5, 1)
		end()
		same(t, "invert", got, squares)
		got, end = guarded(t, make([]float64, n))
		Squares(got, 0.7, slope)
		squaresGo(want, 0.7, slope)
		end()
		same(t, "squares", got, want)
	})
}

// TestTurns sets kinks and bounds until a term that does not turn, and compares turns.
func TestTurns(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		p, q, tau, other, at := normal(r, n), normal(r, n), normal(r, n), make([]float64, n), make([]float64, n)
		for i := range n {
			tau[i], other[i] = math.Abs(tau[i]), -p[i]*math.Abs(tau[i])
			at[i] = other[i] * (q[i] / p[i])
		}
		bad := n
		if n > 20 {
			bad = r.IntN(n)
		}
		opposite := Opposite(p, q, other, at)
		if bad < n {
			p[bad], at[bad] = 0, at[bad]*(1+1e-14)
			if got := Opposite(p, q, other, at); got > bad {
				t.Errorf("%d samples turn as one, where %d does not turn", got, bad)
			}
		}
		if least := n / 8 * 8; widest() && opposite != least {
			t.Errorf("%d of %d samples turn as one", opposite, n)
		}
		mirror, alike := slices.Clone(other), slices.Clone(at)
		for i, v := range p {
			mirror[i], alike[i] = -v, -q[i]
		}
		if got := Mirrored(p, q, mirror, alike); got > bad || widest() && got < min(n, bad)/8*8 {
			t.Errorf("%d of %d samples are mirrored, where %d does not turn", got, n, bad)
		}
		if n > 0 {
			unlike := r.IntN(n)
			mirror[unlike], alike[unlike] = 2*mirror[unlike], 2*alike[unlike]
			if got := Mirrored(p, q, mirror, alike); got > unlike {
				t.Errorf("%d of %d samples are mirrored, where %d has another size", got, n, unlike)
			}
		}
		for kind := range 4 {
			ranges, others := kind%2 > 0, kind/2 > 0
			kink, end := guarded(t, make([]float64, n))
			lo, also := guarded(t, normal(r, n))
			hi, too := guarded(t, normal(r, n))
			least, most := slices.Clone(lo), slices.Clone(hi)
			if kind == 2 { // entries of one size, whose reciprocals are those of before
				p = slices.Clone(p)
				for i := range p {
					p[i] = math.Copysign(min(math.Abs(p[i]), 0.3), p[i])
				}
			}
			count, size := 0, p
			if ranges {
				count = Ranges(p, q, tau, kink, lo, hi, others)
				size = slices.Clone(tau)
				for i := range size {
					size[i] /= p[i]
				}
			} else {
				count = Kinks(p, q, kink, lo, hi, others)
			}
			if count > bad || widest() && count < min(n, bad)/8*8 {
				t.Errorf("%d of %d samples, where %d does not turn", count, n, bad)
			}
			want := make([]float64, n)
			for i := range count {
				if !others {
					least[i], most[i] = 0, 0
				}
				want[i], least[i], most[i] = -q[i]/p[i], min(least[i], size[i]), max(most[i], size[i])
			}
			end()
			also()
			too()
			same(t, "kink", kink[:count], want[:count])
			same(t, "lo", lo, least)
			same(t, "hi", hi, most)
		}
	})
}

func TestSoon(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		ends, rates := []float64{math.Inf(-1), 0.3, 1.1, math.Inf(1)}, []float64{0, 0.5, 0.2, 0}
		if n%3 == 0 { // more than a vector has lanes
			ends = append(ends, math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1))
			rates = append(rates, 0, 0, 0, 0, 0, 0)
		}
		u, du, y, norms, zone := normal(r, n), normal(r, n), normal(r, n), normal(r, n), make([]uint8, n)
		for i := range zone {
			zone[i], norms[i] = uint8(r.IntN(3)), math.Abs(norms[i])
		}
		for _, limit := range []float64{0, 0.1, 0.5, math.Inf(1)} {
			index, near, want, nearest := make([]int, n), make([]float64, n), make([]int, n), make([]float64, n)
			count := Soon(u, du, y, norms, zone, ends, rates, 0.1, 0.05, limit, index, near)
			if wanted := soonGo(u, du, y, norms, zone, ends, rates, 0.1, 0.05, limit, want, nearest, 0, 0); count != wanted {
				t.Fatalf("%d of %d samples within %v, want %d", count, n, limit, wanted)
			}
			if !slices.Equal(index[:count], want[:count]) {
				t.Errorf("samples %v, want %v", index[:count], want[:count])
			}
			same(t, "ages", near[:count], nearest[:count])
		}
	})
}

// TestAtLeast counts the numbers before the first one that is less, or none.
func TestAtLeast(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		x := normal(r, n)
		for i, v := range x {
			x[i] = math.Abs(v)
		}
		bad := n
		if n > 0 {
			x[r.IntN(n)] = math.Inf(1)
			x[r.IntN(n)] = math.Copysign(0, -1)
		}
		for _, v := range []float64{0, math.NaN(), -1e-300, math.Inf(-1)} {
			if v != 0 && n > 0 {
				bad = r.IntN(n)
				x[bad] = v
			}
			if got := AtLeast(x, 0); got > bad || widest() && got < bad/8*8 {
				t.Errorf("%d of %d are at least 0, where %d is %v", got, n, bad, v)
			}
			if bad < n {
				x[bad] = 1
			}
		}
	})
}

func TestStack(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, d int) {
		ld, stride := Pad(d)+8, d+3
		x, change, index := normal(r, 9*stride), normal(r, 5), []int32{7, 0, 3, 3, 8}
		panel, end := guarded(t, normal(r, 5*ld))
		scaled, also := guarded(t, normal(r, 5*ld))
		want, times := slices.Clone(panel), slices.Clone(scaled)
		Stack(panel, scaled, ld, x, stride, d, index, change)
		stackGo(want, times, ld, x, stride, d, index, change)
		end()
		also()
		same(t, "panel", panel, want)
		same(t, "scaled", scaled, times)
	})
}

func TestDescend(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, d int) {
		for round := range 4 {
			const n = 23
			bend := float64(round % 2)
			var soft, stiff []float64
			if round > 1 {
				soft, stiff = normal(r, n), make([]float64, n)
				for i := range soft {
					soft[i] = math.Abs(soft[i]) * float64(i%4)
					stiff[i] = 1 / soft[i]
				}
			}
			stride := d + 2
			x, kink := normal(r, n*stride), normal(r, n)
			lo, hi, inv := make([]float64, n), normal(r, n), make([]float64, n)
			active := make([]int32, 0, n)
			for i := range n {
				hi[i] = math.Abs(hi[i]) * 0.3
				inv[i] = 1 / (dotGo(x[i*stride:][:d], x[i*stride:][:d]) + bend + 1e-3)
				if soft != nil {
					inv[i] /= 1 + inv[i]*soft[i]
				}
				if i%5 != 2 {
					active = append(active, int32(i))
				}
			}
			var all [2][]float64
			for k, f := range []func(x []float64, stride int, w, step, kink, lo, hi, slope, soft, stiff []float64, active []int32, beyond float64, p *Pass) int{Descend, descendGo} {
				w, check := guarded(t, make([]float64, d))
				slope, also := guarded(t, make([]float64, n))
				list := append([]int32(nil), active...)
				p := Pass{Intercept: 0.1, Bend: bend, Next: active[:5], Part: Parts - 1}
				for _, beyond := range []float64{math.Inf(1), 0.4} {
					list = list[:f(x, stride, w, inv, kink, lo, hi, slope, soft, stiff, list, beyond, &p)]
					all[k] = append(all[k], p.Estimate, p.Spread, p.Intercept, float64(len(list)))
				}
				check()
				also()
				all[k] = append(append(all[k], w...), slope...)
				for _, i := range list {
					all[k] = append(all[k], float64(i))
				}
			}
			if len(all[0]) != len(all[1]) {
				t.Fatalf("%v, want %v", all[0], all[1])
			}
			same(t, "pass", all[0], all[1])
		}
	})
}

func BenchmarkKernels(b *testing.B) {
	for _, d := range []int{10, 30, 50, 64} {
		const n = 256
		r := rand.New(rand.NewPCG(1, 2))
		x, v, a, z := normal(r, n*Pad(d)), normal(r, d), normal(r, n), make([]float64, n)
		h := make([]float64, Pad(d)*Pad(d))
		inv, lo, hi, active := make([]float64, n), make([]float64, n), make([]float64, n), make([]int32, n)
		for i := range active {
			active[i], inv[i], hi[i] = int32(i*97%n), 1/float64(d), 1
		}
		var pass Pass
		for name, f := range map[string]func(){
			"descend": func() {
				clear(lo)
				clear(v)
				Descend(x, d, v, inv, a, z, hi, lo, nil, nil, active, 1e300, &pass)
			},
			"dot":     func() { Dot(x[:d], v) },
			"axpy":    func() { Axpy(1e-9, x[:d], v) },
			"product": func() { MulVec(z, x, d, v) },
			"transposed": func() {
				clear(v)
				MulTransAdd(v, x, d, a)
			},
			"gram":   func() { GramAdd(h, Pad(d), Pad(d), x, x, n/4) },
			"kinked": func() { Kinked(z, a, a, a, a, a, a, a, 1) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, d), func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
}

func TestMulTransAddAbs(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		for _, count := range []int{0, 1, 3, 4, 9} {
			stride := n + 3
			x, a := normal(r, count*stride), normal(r, count)
			for i := range a {
				if a[i] = math.Abs(a[i]); i%5 == 2 {
					a[i] = 0
				}
			}
			want := normal(r, n)
			got, check := guarded(t, want)
			for i, s := range a {
				for j := range want {
					want[j] += s * math.Abs(x[i*stride+j])
				}
			}
			MulTransAddAbs(got, x, stride, a)
			check()
			same(t, "sums of magnitudes", got, want)
		}
	})
}

// Relative errors of losses and derivatives against the formulas with a few
// digits more than a float64 holds.
func TestLogistic(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1e-300, 1e-17, 0.3, 0.4142, 0.88137, 0.8814, 1, 36, 37, 700, 707.9}
	each(t, func(t *testing.T, r *rand.Rand, n int) {
		z, y := normal(r, n), make([]float64, n)
		for i := range z {
			if z[i] *= math.Exp(8*r.Float64() - 3); r.IntN(3) == 0 {
				z[i] = special[r.IntN(len(special))]
			}
			z[i] = max(min(z[i], 707), -707)
			y[i] = float64(2*r.IntN(2) - 1)
		}
		loss, check1 := guarded(t, make([]float64, n))
		slope, check2 := guarded(t, make([]float64, n))
		bend, check3 := guarded(t, make([]float64, n))
		Logistic(z, y, loss, slope, bend)
		check1()
		check2()
		check3()
		for i, v := range z {
			m := y[i] * v
			sigma := 1 / (1 + math.Exp(m))
			near(t, v, "loss", loss[i], max(-m, 0)+math.Log1p(math.Exp(-math.Abs(m))))
			near(t, v, "slope", slope[i], -y[i]*sigma)
			near(t, v, "second derivative", bend[i], sigma/(1+math.Exp(-m)))
		}
	})
}

// near compares two numbers to a relative 2e-15.
func near(t *testing.T, at float64, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 2e-15*math.Abs(want)) {
		t.Errorf("%s at %v is %v, want %v", what, at, got, want)
	}
}

func TestLogisticFarOut(t *testing.T) {
	best := levels()
	defer setLevel(best[len(best)-1])
	for _, l := range best {
		setLevel(l)
		z := []float64{709, -709, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN(), 5, 6}
		y := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}
		loss, slope, bend := make([]float64, 9), make([]float64, 9), make([]float64, 9)
		Logistic(z, y, loss, slope, bend)
		for i, v := range z[:6] {
			if want := max(-v, 0); !(math.Abs(loss[i]-want) <= 1e-300 || loss[i] == want) {
				t.Errorf("level %d: loss at %v is %v", l, v, loss[i])
			}
			if want := min(max(-v, 0), 1); math.Abs(slope[i]+want) > 1e-300 || !(bend[i] >= 0 && bend[i] < 1e-300) {
				t.Errorf("level %d: derivatives at %v are %v and %v", l, v, slope[i], bend[i])
			}
		}
		if !math.IsNaN(loss[6]) || !math.IsNaN(slope[6]) || !math.IsNaN(bend[6]) {
			t.Errorf("level %d: at NaN %v, %v, %v", l, loss[6], slope[6], bend[6])
		}
	}
}

func BenchmarkLogistic(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewPCG(1, 1))
	z, y := normal(r, n), normal(r, n)
	loss, slope, bend := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i] = math.Copysign(1, y[i])
	}
	best := levels()
	defer setLevel(best[len(best)-1])
	for _, l := range best {
		b.Run(fmt.Sprintf("level=%d", l), func(b *testing.B) {
			setLevel(l)
			for b.Loop() {
				Logistic(z, y, loss, slope, bend)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/sample")
		})
	}
}
