package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// subsampled is a first phase for terms that are all curved: Newton steps on a sample, as if the
// others were copies of it, then steps on all samples with the sample's Hessian, which cost a pass
// over X each ([6] of the package's documentation). The last step corrects the Hessian as in BFGS.
// With m samples an error falls by about the root of dim/m a step, further with a strong ridge.
type subsampled struct {
	*state
	every  int // one of so many samples is in the sample
	sample state
	newton newton    // on the sample
	gram   *gram     // of newton
	move   []float64 // dim: the last step
	change []float64 // dim: of the gradient by it
}

// sampleEvery returns of how many samples one is to be in the sample, or 0 where this phase is not
// for the problem: it would have few samples for each coefficient.
func (s *state) sampleEvery() int {
	n, dim := len(s.z), s.penalty.dim
	_, ok := s.x.(full)
	if !ok || len(s.terms.kinked) > 0 || len(s.terms.curved) == 0 || !s.penalty.separable() || len(s.guard.xi) > 0 || dim > denseDim {
		return 0
	}
	every := max(dim/hessianShare, leastShare)
	if n < every*max(hessianDims*dim, leastSample) {
		return 0
	}
	return every
}

// newSubsampled takes memory of the slopes for the sample, which steps on all samples need later.
// Its newton has what that on all samples needs.
func newSubsampled(from *arena, s *state, every int) *subsampled {
	n, dim := len(s.z), s.penalty.dim
	m := n / every
	room := [...][]float64{s.dz, s.g}
	take := func() []float64 {
		for r, free := range room {
			if len(free) >= m {
				room[r] = free[m:]
				return free[:m:m]
			}
		}
		return from.scratch(m)
	}
	p := &subsampled{state: s, every: every, move: from.vector(dim), change: from.vector(dim)}
	p.sample = state{x: s.x.(full).sampled(every), penalty: s.penalty, guard: s.guard, costs: s.costs, limits: new(limits), vectors: s.vectors,
		z: take(), dz: take(), g: take(), h: take(), force: newForce(from, m, dim)}
	p.sample.rest.force, p.sample.best.beta = from.vector(dim), from.vector(dim)
	for range s.terms.curved {
		p.sample.terms.curved = append(p.sample.terms.curved, curved{kink: take(), kl: take(), kh: take(), sigma: take(), slope: take()})
	}
	p.newton = newNewton(from, &p.sample, n)
	p.gram = p.newton.hessian.(*gram)
	return p
}

// load copies the sample's terms, with the weights of the samples that each stands for.
func (p *subsampled) load() {
	copies := float64(len(p.z)) / float64(len(p.sample.z))
	for t := range p.terms.curved {
		c, to := &p.terms.curved[t], &p.sample.terms.curved[t]
		pick(to.kink, c.kink, p.every)
		pick(to.kl, c.kl, p.every)
		pick(to.kh, c.kh, p.every)
		pick(to.sigma, c.sigma, p.every)
		kernel.ScaleTo(to.sigma, copies, to.sigma)
	}
}

// pick sets dst to the first one of so many entries of src, again and again.
func pick(dst, src []float64, every int) {
	i := 0
	for j := range dst {
		dst[j] = src[i]
		i += every
	}
}

// descend begins with zero coefficients and tells whether it solved. Else the coefficients are the
// best that it met. It returns an error where X was not read before and is wrong.
func (p *subsampled) descend() (bool, error) {
	in, w := &p.sample, &p.newton
	if err := p.readSome(in.z, in.x); err != nil {
		return false, err
	}
	p.load()
	*in.limits = *p.limits
	in.limits.tol, in.limits.progress = max(p.limits.tol, sampleGap), nil
	in.best.primal = inf
	in.rescore()
	p.gram.forget()
	defer p.gram.forget() // it is not that of all samples
	w.widths(false)
	if _, err := w.ascend(); err != nil {
		return false, p.read()
	}
	before := inf
	for step := 0; ; step++ {
		if err := p.side(); err != nil {
			return false, err
		}
		p.meet()
		p.tell()
		if p.solved() {
			p.status = Solved
			return true, nil
		}
		left := math.Log(p.limits.tol/p.relative()) / math.Log(p.gap/before)
		if status, _ := p.limits.reached(); status != 0 || p.gap >= before || step > 1 && left > mostSteps {
			copy(p.beta, p.best.beta)
			return false, nil
		}
		before = p.gap
		p.advance(step > 0)
		p.limits.done.Newton++
	}
}

// advance takes a step, by the last one where there is one.
func (p *subsampled) advance(again bool) {
	for j, b := range p.beta {
		p.grad[j] = b - p.v[j]
	}
	copy(p.step, p.grad)
	if !again {
		p.gram.solve(&p.newton)
	} else {
		for j, g := range p.grad {
			p.change[j] = g - p.change[j]
		}
		bend := kernel.Dot(p.move, p.change)
		along := kernel.Dot(p.move, p.grad) / bend
		kernel.Axpy(-along, p.change, p.step)
		p.gram.factor.Solve(p.step)
		kernel.Axpy(along-kernel.Dot(p.change, p.step)/bend, p.move, p.step)
	}
	copy(p.change, p.grad)
	kernel.ScaleTo(p.move, -1, p.step)
	kernel.Axpy(-1, p.step, p.beta)
}
