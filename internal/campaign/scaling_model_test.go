//go:build unix

package campaign

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// linear is a quantity as a sum of features times coefficients.
type linear struct {
	features     func(*sample) []float64
	coefficients []float64
}

// fit finds the coefficients with the least squares of relative residuals.
func fit(samples []sample, phases string, quantity func(*sample) float64, features func(*sample) []float64) linear {
	var a, b, scale []float64
	for _, s := range samples {
		if !strings.Contains(phases, s.Phase) {
			continue
		}
		row := features(&s)
		if scale == nil {
			scale = make([]float64, len(row))
		}
		floats.Scale(1/quantity(&s), row)
		for i, x := range row {
			scale[i] = max(scale[i], x)
		}
		a, b = append(a, row...), append(b, 1)
	}
	for i := range a {
		a[i] /= scale[i%len(scale)]
	}
	var x mat.VecDense
	if err := x.SolveVec(mat.NewDense(len(b), len(scale), a), mat.NewVecDense(len(b), b)); err != nil {
		panic(err) // the settings cannot tell the features apart
	}
	return linear{features, floats.DivTo(scale, x.RawVector().Data, scale)}
}

func (l *linear) of(s *sample) (sum float64) {
	for i, x := range l.features(s) {
		sum += x * l.coefficients[i]
	}
	return sum
}

// busy are cells, cells that find a processor asleep, bytes, turns and seconds.
func (s *sample) busy() []float64 {
	cells := float64(s.Cells)
	asleep := max(0, 1-(s.Server+s.Client)/s.Seconds/processors)
	return []float64{cells, cells * asleep, s.Bytes, s.turns(), s.Seconds}
}

// turns is how often workers ask for the runs and their orders: once a second while they are
// busy, and not without pulling a task. Idle ones ask and pull again and again.
func (s *sample) turns() float64 {
	if s.Phase == "idle" {
		return s.Requests
	}
	return min(float64(s.Workers)*s.Seconds, float64(s.Cells))
}

// asks are the workers that start and end, and their turns.
func (s *sample) asks() []float64   { return []float64{float64(s.Workers), s.turns()} }
func (s *sample) starts() []float64 { return []float64{1, float64(s.Cells)} }
func (s *sample) gathers() []float64 {
	return []float64{1, float64(s.Cells), s.Bytes}
}

// travels are cells, knots and workers that start, which fetch the data set.
func (s *sample) travels() []float64 {
	return []float64{float64(s.Cells), float64(s.Cells) * float64(s.Rows), float64(s.Workers)}
}

// model is what takes how much, fitted to samples.
type model struct {
	server, workers, requests, bytes linear // while cells are computed
	serverSubmit, submit             linear
	serverGather, gather             linear
	queued                           linear  // bytes of the server's memory
	delay                            float64 // seconds between a cell's end and the next one's beginning, without load
}

func fitModel(samples []sample) *model {
	server := func(s *sample) float64 { return s.Server }
	client := func(s *sample) float64 { return s.Client }
	m := &model{
		server:       fit(samples, "work idle", server, (*sample).busy),
		workers:      fit(samples, "work idle", client, (*sample).busy),
		requests:     fit(samples, "work", func(s *sample) float64 { return s.Requests }, (*sample).asks),
		bytes:        fit(samples, "work", func(s *sample) float64 { return s.Bytes }, (*sample).travels),
		serverSubmit: fit(samples, "submit queue", server, (*sample).starts),
		submit:       fit(samples, "submit queue", client, (*sample).starts),
		serverGather: fit(samples, "gather", server, (*sample).gathers),
		gather:       fit(samples, "gather", client, (*sample).gathers),
		queued:       fit(samples, "queue", func(s *sample) float64 { return s.Heap }, (*sample).starts),
		delay:        math.Inf(1),
	}
	for _, s := range samples {
		if s.Phase == "work" && s.Workers == 1 {
			m.delay = min(m.delay, s.Seconds/float64(s.Cells)-s.Sleep.Seconds())
		}
	}
	return m
}

// processors is how many the machine of the samples has.
const processors = 2

// throughput returns the cells a second of workers that sleep for a time and then need one
// of the processors for another, by turns: the machine-repair model M/M/c//N.
func throughput(workers, processors int, sleep, demand float64) float64 {
	weight, sum, rate := 1.0, 1.0, 0.0 // of the states with so many at the processors
	for at := 1; at <= workers; at++ {
		serving := float64(min(at, processors))
		weight *= float64(workers-at+1) / sleep * demand / serving
		sum += weight
		rate += weight * serving / demand
	}
	return rate / sum
}

// predict tells what a setting takes while its cells are computed, by workers that share the
// machine with the server.
func (m *model) predict(s setting) *sample {
	p := &sample{Phase: "work", setting: s, Seconds: float64(s.Cells) / float64(s.Workers) * (s.Sleep.Seconds() + m.delay)}
	for range 50 { // what it takes depends on how long it takes
		p.Requests, p.Bytes = m.requests.of(p), m.bytes.of(p)
		p.Server, p.Client = m.server.of(p), m.workers.of(p)
		demand := (p.Server + p.Client) / float64(s.Cells)
		p.Seconds = float64(s.Cells) / throughput(s.Workers, processors, s.Sleep.Seconds()+max(m.delay-demand, 0), demand)
	}
	return p
}

func (s *sample) rate() float64 { return float64(s.Cells) / s.Seconds }

var (
	// settings are those that the model is fitted to: workers, sleep, knots, cells.
	settings = []setting{
		{0, 0, 0, 50_000}, {0, 0, 0, 150_000},
		{16, 0, 0, 0}, {64, 0, 0, 0},
		{1, 20 * time.Millisecond, 0, 100},
		{4, 20 * time.Millisecond, 0, 400},
		{16, 20 * time.Millisecond, 0, 1_600},
		{64, 20 * time.Millisecond, 0, 6_400},
		{64, 5 * time.Millisecond, 0, 12_000},
		{64, time.Millisecond, 0, 12_000},
		{16, 20 * time.Millisecond, 100, 1_600},
		{64, 5 * time.Millisecond, 100, 6_000},
		{64, 500 * time.Millisecond, 0, 300},
		{64, 2 * time.Second, 10, 100},
	}
	// keptOut are those that it has to predict before they are measured.
	keptOut = []setting{
		{48, 10 * time.Millisecond, 20, 8_000},
		{12, 40 * time.Millisecond, 60, 800},
	}
)

// scalingVariable, set to anything, has TestScaling measure.
const scalingVariable = "AGEPATH_SCALING"

// scalingSamples has the samples and the model, scalingDocument what follows for a large fleet.
var (
	scalingSamples  = filepath.Join("testdata", "scaling.txt")
	scalingDocument = filepath.Join("..", "..", "docs", "operations.md")
)

// updateScaling has TestScaling write what follows from the samples.
var updateScaling = flag.Bool("update", false, "write the tables of docs/operations.md that follow from testdata/scaling.txt")

// TestScaling fits the model to the samples and wants both files to contain what follows, and the
// settings that were kept out to be predicted within 15 %: the rate and the traffic of each, and
// the processor time of the first, which loads the processors. AGEPATH_SCALING=1 measures the
// samples again, in three minutes on two cores that do nothing else, and -update writes the files.
func TestScaling(t *testing.T) {
	if os.Getenv(scalingVariable) != "" {
		measureScaling(t)
	}
	text := contents(t, scalingSamples)
	samples, kept := readSamples(t, text)
	m := fitModel(samples)
	for _, s := range kept {
		if s.Phase != "work" {
			continue
		}
		p := m.predict(s.setting)
		off := map[string]float64{"rate": p.rate() / s.rate(), "bytes": p.Bytes / s.Bytes}
		if s.setting == keptOut[0] {
			off["server"], off["workers"] = p.Server/s.Server, p.Client/s.Client
		}
		for what, ratio := range off {
			if math.Abs(ratio-1) > 0.15 {
				t.Errorf("%+v: the predicted %s is %.2f of what was measured", s.setting, what, ratio)
			}
		}
	}
	follow(t, scalingSamples, "model", m.tables(kept))
	follow(t, scalingDocument, "extrapolation", m.extrapolation())
}

// follow wants the part of a file to be this text, and writes it with -update.
func follow(t *testing.T, file, name, inside string) {
	t.Helper()
	text := contents(t, file)
	switch want := put(t, text, name, inside); {
	case want == text:
	case !*updateScaling:
		t.Errorf("%s, %s: not what follows from the samples; run go test ./internal/campaign -run TestScaling -update", file, name)
	default:
		replace(t, file, want)
	}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func replace(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// rounds is how often each sample is taken.
const rounds = 3

// measureScaling takes the samples and writes them into their file. Before it measures what
// the model is not fitted to, it tells what the model of the first round predicts.
func measureScaling(t *testing.T) {
	l := newLaboratory(t, false)
	var fitted, kept [rounds][]sample
	for i := range rounds {
		for _, s := range settings {
			fitted[i] = append(fitted[i], l.run(s)...)
		}
		if i == 0 {
			m := fitModel(fitted[0])
			for _, s := range keptOut {
				p := m.predict(s)
				t.Logf("%v predicted: %.0f cells/s, server %.3f s, workers %.3f s, %.1f MB", s, p.rate(), p.Server, p.Client, p.Bytes/1e6)
			}
		}
		for _, s := range keptOut {
			kept[i] = append(kept[i], l.run(s)...)
		}
	}
	tables := sampleTable(medians(fitted[:]), "fit") + sampleTable(medians(kept[:]), "kept out")
	replace(t, scalingSamples, put(t, contents(t, scalingSamples), "samples", tables))
}

// part returns what is between the marks of a part of a file, and what is around it.
func part(t *testing.T, text, name string) (before, inside, after string) {
	t.Helper()
	mark := fmt.Sprintf("<!-- %s: go test ./internal/campaign -run TestScaling -update -->\n", name)
	before, rest, ok := strings.Cut(text, mark)
	inside, after, closed := strings.Cut(rest, "<!-- end -->")
	if !ok || !closed {
		t.Fatalf("no place for the %s", name)
	}
	return before + mark, inside, "<!-- end -->" + after
}

func put(t *testing.T, text, name, inside string) string {
	t.Helper()
	before, _, after := part(t, text, name)
	return before + inside + after
}

const sampleHead = `
| %s | workers | sleep | knots | cells | seconds | server s | client s | requests | messages | bytes | server's heap | disk | client's memory |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
`

// sampleTable writes samples, after which readSamples reads them.
func sampleTable(samples []sample, use string) string {
	var b strings.Builder
	fmt.Fprintf(&b, sampleHead, use)
	for _, s := range samples {
		fmt.Fprintf(&b, "| %s | %d | %v | %d | %d | %.2f | %.4f | %.4f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", s.Phase, s.Workers, s.Sleep, s.Rows, s.Cells,
			s.Seconds, s.Server, s.Client, s.Requests, s.Messages, s.Bytes, s.Heap, s.Stored, s.Memory)
	}
	return b.String() + "\n"
}

func readSamples(t *testing.T, text string) (samples, kept []sample) {
	t.Helper()
	_, inside, _ := part(t, text, "samples")
	to := &samples
	for line := range strings.Lines(inside) {
		fields := strings.Split(strings.Trim(line, "| \n"), " | ")
		switch {
		case fields[0] == "kept out":
			to = &kept
			continue
		case fields[0] == "fit" || len(fields) != 14 || strings.HasPrefix(fields[0], "---"):
			continue
		}
		s := sample{Phase: fields[0]}
		var err error
		if s.Sleep, err = time.ParseDuration(fields[2]); err != nil {
			t.Fatal(err)
		}
		numbers := make([]float64, len(fields))
		for i, field := range fields {
			if i != 0 && i != 2 {
				if numbers[i], err = strconv.ParseFloat(field, 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.Workers, s.Rows, s.Cells = int(numbers[1]), int(numbers[3]), int(numbers[4])
		for i, to := range s.numbers() {
			*to = numbers[5+i]
		}
		*to = append(*to, s)
	}
	return samples, kept
}

// digits shows a number with so many digits that count.
func digits(x float64, count int) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', count, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// tables are the model's coefficients and what it says of the settings that were kept out.
func (m *model) tables(kept []sample) string {
	var b strings.Builder
	c := func(l linear, i int, unit float64) string { return digits(l.coefficients[i]*unit, 3) }
	const micro, nano, milli = 1e6, 1e9, 1e3
	fmt.Fprintf(&b, "\n| while cells are computed | server | workers |\n| --- | --: | --: |\n")
	for i, row := range []struct {
		what string
		unit float64
	}{{"a cell, µs", micro}, {"where a processor is asleep, more µs", micro}, {"a byte in or out, ns", nano}, {"a turn of asking for runs, µs", micro}, {"a second, ms", milli}} {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row.what, c(m.server, i, row.unit), c(m.workers, i, row.unit))
	}
	fmt.Fprintf(&b, "\n| otherwise | server | coordinator |\n| --- | --: | --: |\n")
	fmt.Fprintf(&b, "| submitting a cell, µs | %s | %s |\n", c(m.serverSubmit, 1, micro), c(m.submit, 1, micro))
	fmt.Fprintf(&b, "| gathering a cell, µs | %s | %s |\n", c(m.serverGather, 1, micro), c(m.gather, 1, micro))
	fmt.Fprintf(&b, "| gathering a byte, ns | %s | %s |\n", c(m.serverGather, 2, nano), c(m.gather, 2, nano))
	fmt.Fprintf(&b, "\n| traffic and memory | |\n| --- | --: |\n")
	fmt.Fprintf(&b, "| bytes in and out of the server while a cell without knots is computed | %s |\n", c(m.bytes, 0, 1))
	fmt.Fprintf(&b, "| bytes a knot | %s |\n| bytes a worker that starts | %s |\n", c(m.bytes, 1, 1), c(m.bytes, 2, 1))
	fmt.Fprintf(&b, "| requests of a worker that starts and ends | %s |\n| requests a turn of a worker that is busy | %s |\n", c(m.requests, 0, 1), c(m.requests, 1, 1))
	fmt.Fprintf(&b, "| bytes of the server's heap a queued cell | %s |\n", c(m.queued, 1, 1))
	fmt.Fprintf(&b, "| between two cells of a worker without load, ms | %s |\n", digits(m.delay*milli, 2))
	fmt.Fprintf(&b, "\n| kept out | | predicted | measured | off |\n| --- | --- | --: | --: | --: |\n")
	for _, s := range kept {
		if s.Phase != "work" {
			continue
		}
		p := m.predict(s.setting)
		for i, row := range []struct {
			what      string
			have, was float64
		}{{"cells a second", p.rate(), s.rate()}, {"server s", p.Server, s.Server}, {"workers s", p.Client, s.Client}, {"requests", p.Requests, s.Requests}, {"MB", p.Bytes / 1e6, s.Bytes / 1e6}} {
			name := ""
			if i == 0 {
				name = fmt.Sprintf("%d workers, %v, %d knots, %d cells", s.Workers, s.Sleep, s.Rows, s.Cells)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %+.0f %% |\n", name, row.what, digits(row.have, 3), digits(row.was, 3), 100*(row.have/row.was-1))
		}
	}
	return b.String() + "\n"
}

// fleet is what the extrapolation is about: many workers, a server and a coordinator on
// machines of their own.
type fleet struct {
	workers, knots int
}

// demand is what a fleet needs a second.
type demand struct {
	rate                float64 // cells
	server, coordinator float64 // processors
	bytes               float64
}

// at returns what a fleet needs at a rate of cells a second.
func (m *model) at(f fleet, rate float64) demand {
	s := &sample{setting: setting{Cells: 1, Rows: f.knots}}
	s.Bytes = m.bytes.of(s)
	turns := min(float64(f.workers), rate)
	b, g, c := m.server.coefficients, m.serverGather.coefficients, m.gather.coefficients
	out := m.bytes.coefficients[1]*float64(f.knots) + outcomeBytes // of the result, gathered
	n := demand{rate: rate, bytes: rate * (s.Bytes + out + taskBytes)}
	n.server = rate*(b[0]+b[2]*s.Bytes+m.serverSubmit.coefficients[1]+g[1]+g[2]*out) + turns*b[3] + b[4]
	n.coordinator = rate * (c[1] + c[2]*out)
	return n
}

// streamLoop is what a cell takes in the loops of the streams, seconds, each of which is one
// goroutine, by a profile of the server (AGEPATH_SCALING_PROFILE=FILE).
const streamLoop = 33e-6

// outcomeBytes and taskBytes are what a result without knots and a task take on their way.
const outcomeBytes, taskBytes = 660, 930

// storedBytes is what a task takes on the server's disk.
const storedBytes = 984

// most returns the largest rate at which a need stays below a limit.
func (m *model) most(f fleet, limit float64, of func(demand) float64) float64 {
	low, high := 0.0, 1e9
	for range 100 {
		if at := (low + high) / 2; of(m.at(f, at)) < limit {
			low = at
		} else {
			high = at
		}
	}
	return low
}

// extrapolation is what the model says of 1,000 workers and of 10^8 cells.
func (m *model) extrapolation() string {
	var b strings.Builder
	server := func(n demand) float64 { return n.server }
	coordinator := func(n demand) float64 { return n.coordinator }
	bytes := func(n demand) float64 { return n.bytes }
	const cells = 1e8
	fmt.Fprintf(&b, "\n| 1,000 workers: cells a second that saturate it | no knots | 20 knots | 100 knots |\n| --- | --: | --: | --: |\n")
	for _, row := range []struct {
		what  string
		limit float64
		of    func(demand) float64
	}{
		{"one processor of the server", 1, server}, {"two processors of the server", 2, server}, {"four processors of the server", 4, server},
		{"a stream of the server, one goroutine", 1 / streamLoop, func(n demand) float64 { return n.rate }},
		{"one processor of the coordinator", 1, coordinator},
		{"a network of 1 Gbit/s at the server", 125e6, bytes},
	} {
		fmt.Fprintf(&b, "| %s |", row.what)
		for _, knots := range []int{0, 20, 100} {
			fmt.Fprintf(&b, " %s |", digits(m.most(fleet{workers: 1000, knots: knots}, row.limit, row.of), 2))
		}
		fmt.Fprintln(&b)
	}
	heap := m.queued.coefficients[1]
	fmt.Fprintf(&b, "\n| 10^8 cells queued at one server | |\n| --- | --: |\n")
	fmt.Fprintf(&b, "| heap of the server | %.0f GB |\n| resident memory, at most | %.0f GB |\n", heap*cells/1e9, 2*heap*cells/1e9)
	fmt.Fprintf(&b, "| tasks on its disk | %.0f GB |\n", storedBytes*cells/1e9)
	fmt.Fprintf(&b, "| submitting them | %.1f hours |\n| gathering them, 20 knots each | %.1f hours |\n",
		cells*max(m.submit.coefficients[1], m.serverSubmit.coefficients[1])/3600, cells*m.at(fleet{knots: 20}, 1).coordinator/3600)
	return b.String() + "\n"
}
