package live

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

var knownLabels = schemasOf([]*experiment.Registration{toyKind})

func outcome(t testing.TB, cell int, dataset, method string, status experiment.Status, wall float64) *experiment.Outcome {
	t.Helper()
	o := &experiment.Outcome{Cell: fmt.Sprintf("%032x", cell), Kind: "toy", Status: status, Wall: wall}
	if status != experiment.OK {
		o.Error = fmt.Sprintf("%d failed", cell)
	}
	if err := o.Labels.Append(toyLabels, dataset, nil, method, nil, 3); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestTally compares a tally with sorting and counting everything.
func TestTally(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	got := newTally(knownLabels)
	var all, failed []*experiment.Outcome
	counts, sums := map[partKey]int64{}, map[partKey]float64{}
	upTo := map[float64]uint64{}
	for i := range 2000 {
		status := experiment.OK
		if random.IntN(5) == 0 {
			status = experiment.Statuses[1+random.IntN(len(experiment.Statuses)-1)]
		}
		key := partKey{datasets[random.IntN(3)], methods[random.IntN(3)]}
		o := outcome(t, i, key.dataset, key.method, status, math.Exp(4*random.NormFloat64()))
		got.add(o)
		all = append(all, o)
		if status != experiment.OK && status != experiment.Skipped {
			failed = append(failed, o)
		}
		counts[key]++
		sums[key] += o.Wall
		for _, end := range buckets {
			if o.Wall <= end {
				upTo[end]++
			}
		}
	}
	var notOK int64
	for _, part := range got.parts {
		notOK += part.failed + part.incomplete
	}
	if got.total != 2000 || notOK != int64(len(failed)) || len(got.parts) != 9 {
		t.Errorf("%d outcomes, %d of them not ok, %d parts; want 2000, %d and 9", got.total, notOK, len(got.parts), len(failed))
	}
	for key, part := range got.parts {
		if part.done != counts[key] || math.Abs(part.wall-sums[key]) > 1e-9*sums[key] {
			t.Errorf("%v: %+v, want %d in %g s", key, part, counts[key], sums[key])
		}
	}
	slices.SortStableFunc(all, func(a, b *experiment.Outcome) int { return cmp.Compare(b.Wall, a.Wall) })
	cells := func(list []*experiment.Outcome) (names []string) {
		for _, o := range list {
			names = append(names, o.Cell)
		}
		return names
	}
	listed := func(list []Cell) (names []string) {
		for _, c := range list {
			names = append(names, c.Cell)
		}
		return names
	}
	if want := cells(all[:mostSlow]); !slices.Equal(listed(got.slowest), want) {
		t.Errorf("slowest %q, want %q", listed(got.slowest), want)
	}
	if want := cells(failed[len(failed)-mostFailures:]); !slices.Equal(listed(got.failures), want) {
		t.Errorf("failures %q, want %q", listed(got.failures), want)
	}
	var sum uint64
	for i, end := range buckets {
		if sum += got.buckets[i]; sum != upTo[end] {
			t.Errorf("%d cells up to %g s, want %d", sum, end, upTo[end])
		}
	}
}

// TestTallyReplaced wants a cell that failed and was put back to leave the
// list of failures, and to stand once among the slowest.
func TestTallyReplaced(t *testing.T) {
	t.Parallel()
	got := newTally(knownLabels)
	got.add(outcome(t, 1, "a", "b", experiment.Failed, 5))
	got.add(outcome(t, 1, "a", "b", experiment.OK, 7))
	if len(got.failures) != 0 || len(got.slowest) != 1 || got.slowest[0].Seconds != 7 {
		t.Errorf("failures %+v, slowest %+v", got.failures, got.slowest)
	}
	if want := "repeat 3"; got.slowest[0].What != want {
		t.Errorf("what %q, want %q", got.slowest[0].What, want)
	}
}

// TestTallyStrange gives outcomes of other versions and dead letters.
func TestTallyStrange(t *testing.T) {
	t.Parallel()
	fewer := outcome(t, 1, "a", "b", experiment.OK, 1)
	fewer.Labels.Columns = fewer.Labels.Columns[:1]
	otherTypes := outcome(t, 2, "a", "b", experiment.OK, 1)
	otherTypes.Labels.Columns[0], otherTypes.Labels.Columns[3] = experiment.Vector{Ints: []int64{1}}, experiment.Vector{}
	unknown := outcome(t, 3, "a", "b", experiment.OK, math.Inf(1))
	unknown.Kind = "unheard"
	long := outcome(t, 4, "a", "b", experiment.Failed, 1)
	long.Error = strings.Repeat("ü", errorBytes)
	got := newTally(knownLabels)
	for _, o := range []*experiment.Outcome{fewer, otherTypes, unknown, long, {Cell: "dead", Status: experiment.Failed}} {
		got.add(o)
	}
	if n := got.parts[partKey{}]; n == nil || n.done != 4 || n.failed != 1 || got.total != 5 || got.wall != 3 {
		t.Errorf("%d outcomes in %g s, without labels %+v", got.total, got.wall, n)
	}
	if text := got.failures[0].Error; len(text) > errorBytes+8 || !strings.Contains(text, "ü\n...\nü") || !strings.HasSuffix(text, "ü") {
		t.Errorf("a long error has %d bytes and ends in %q", len(text), text[len(text)-8:])
	}
	for i := range 2 * mostParts {
		got.add(outcome(t, 100+i, fmt.Sprint(i), "m", experiment.OK, 1))
	}
	if len(got.parts) > mostParts+1 || got.parts[rest].done < mostParts-10 {
		t.Errorf("%d parts, %+v beyond them", len(got.parts), got.parts[rest])
	}
}

// TestTallyMemory wants a tally to hold no more of cells than the answer may have room for.
func TestTallyMemory(t *testing.T) {
	needs.Patience(t, "1 s")
	o := outcome(t, 0, "a", "b", experiment.Failed, 1)
	computed(t, o, 1)
	o.Error = strings.Repeat("e", 1000)
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	got := newTally(knownLabels)
	got.answers.room = 10_000
	for i := range 100_000 {
		o.Cell, o.Wall, o.Status = fmt.Sprintf("%032x", i), float64(i), experiment.Statuses[i%2]
		got.add(o)
	}
	t.Log(heap() - before)
	if after := heap(); after > before+1<<20+300*10_000 {
		t.Errorf("%d bytes for 100,000 cells", after-before)
	}
	runtime.KeepAlive(got)
}

// TestTallyLongTexts wants outcomes with long texts, which no plan has, to be counted and
// not to be remembered.
func TestTallyLongTexts(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	before := heap()
	got := newTally(knownLabels)
	const cells = 600
	for i := range cells {
		long := fmt.Sprintf("%0200000d", i)
		label := long
		if i%2 == 0 {
			label = fmt.Sprint(i)
		}
		o := outcome(t, i, label, "m", experiment.OK, float64(i))
		computed(t, o, 1)
		o.Measures.Columns[0].Texts[0], o.Worker = long, long
		got.add(o)
	}
	if after := heap(); after > before+4<<20 {
		t.Errorf("%d bytes for %d cells", after-before, cells)
	}
	if n := got.parts[partKey{}]; got.total != cells || n == nil || n.done != cells/2 || got.answers.left != cells {
		t.Errorf("%d counted, without labels %+v, %d left out of the answer", got.total, n, got.answers.left)
	}
	runtime.KeepAlive(got)
}

func TestPace(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var p Throughput
	check := func(what string, cells, work float64) {
		t.Helper()
		gotCells, gotWork := p.Rates()
		if math.Abs(gotCells-cells) > 1e-9 || math.Abs(gotWork-work) > 1e-9 {
			t.Errorf("%s: %g cells and %g s a second, want %g and %g", what, gotCells, gotWork, cells, work)
		}
	}
	check("nothing", 0, 0)
	p.Note(Sample{start, 100, 50})
	check("one look", 0, 0)
	for i := range 60 { // two cells a second of half a second each
		p.Note(Sample{start.Add(time.Duration(i+1) * 2 * time.Second), 100 + 4*int64(i+1), 50 + 2*float64(i+1)})
	}
	check("steady", 2, 1)
	for i := range 20 { // then 50
		p.Note(Sample{start.Add(time.Duration(61+i) * 2 * time.Second), 340 + 100*int64(i+1), 170 + 2*float64(i+1)})
	}
	check("faster lately", 50, 1)
	p.Note(Sample{start.Add(3 * time.Minute), 5, 5})
	check("purged", 0, 0)
	for i := range 4000 { // one cell in ten minutes
		p.Note(Sample{start.Add(3*time.Minute + time.Duration(i+1)*2*time.Second), 5 + int64(i/300), 5})
	}
	cells, _ := p.Rates()
	if len(p.samples) > 1801 || math.Abs(cells-1.0/600) > 3e-4 {
		t.Errorf("%d samples, %g cells a second", len(p.samples), cells)
	}
}
