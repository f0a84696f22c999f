package rehline_test

import (
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// peerFolder has peers.csv, the times of ReHLine C++ on 93 problems, and the files NAME.bin
// that gendata.py writes beside it. The times are multiplied by AGEPATH_PEERS_SCALE, the
// time of a peer on this machine over its time there.
const peerFolder, peerScale = "AGEPATH_PEERS", "AGEPATH_PEERS_SCALE"

// BenchmarkPeers solves the 93 problems to a gap of 1e-5, by a new Solver and by Solve,
// which includes the set-up, and reports the geometric means and the largest of the times over
// those of ReHLine C++. Times are medians of five, of processor time.
func BenchmarkPeers(b *testing.B) {
	folder, scale := os.Getenv(peerFolder), 1.0
	if folder == "" {
		b.Skipf("%s is not set to the folder of peers.csv and the data", peerFolder)
	}
	if s := os.Getenv(peerScale); s != "" {
		var err error
		if scale, err = strconv.ParseFloat(s, 64); err != nil {
			b.Fatalf("%s: %v", peerScale, err)
		}
	}
	file, err := os.Open(filepath.Join(folder, "peers.csv"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		b.Fatal(err)
	}
	runtime.LockOSThread() // whose time counts
	for b.Loop() {
		ratios := map[string][]float64{}
		for _, r := range rows[1:] {
			p, err := peerProblem(folder, r[0], r[3], r[4])
			if errors.Is(err, fs.ErrNotExist) {
				b.Skip(err)
			} else if err != nil {
				b.Fatal(err)
			}
			best, err1 := strconv.ParseFloat(r[6], 64)
			peer, err2 := strconv.ParseFloat(r[7], 64)
			if err := errors.Join(err1, err2); err != nil {
				b.Fatal(err)
			}
			alone, whole := timePeer(b, p, best)
			alone, whole = alone/(peer*scale), whole/(peer*scale)
			for _, key := range []string{"all", r[4]} {
				ratios[key] = append(ratios[key], alone)
				ratios[key+"-with-set-up"] = append(ratios[key+"-with-set-up"], whole)
			}
			b.Logf("%s/%s/%s: %.3f, with set-up %.3f of %.3g ms", r[0], r[3], r[4], alone, whole, peer*scale)
		}
		for key, v := range ratios {
			var sum float64
			for _, x := range v {
				sum += math.Log(x)
			}
			b.ReportMetric(math.Exp(sum/float64(len(v))), key)
			b.ReportMetric(slices.Max(v), key+"-worst")
		}
	}
}

// timePeer returns the milliseconds of a solve by a new Solver and of one with its set-up,
// and fails where the objective is above the best known one.
func timePeer(b *testing.B, p rehline.Problem, best float64) (alone, whole float64) {
	b.Helper()
	o := rehline.Options{Tol: 1e-5}
	check := func(sol rehline.Solution, err error) {
		if err != nil || sol.Status != rehline.Solved || !(math.Abs(sol.Objective/best-1) <= 1.1e-5) {
			b.Fatalf("%v, objective %.12g, the best known is %.12g: %v", sol.Status, sol.Objective, best, err)
		}
	}
	var times [2][]float64
	for range 5 {
		s, err := rehline.New(p)
		if err != nil {
			b.Fatal(err)
		}
		times[0] = append(times[0], spent(b, unix.CLOCK_THREAD_CPUTIME_ID, func() { check(s.Solve(context.Background(), o)) }))
	}
	repeat := max(1, 200_000/p.Loss.N())
	for range 5 {
		times[1] = append(times[1], spent(b, unix.CLOCK_PROCESS_CPUTIME_ID, func() { // which collects garbage too
			for range repeat {
				check(rehline.Solve(context.Background(), p, o))
			}
		})/float64(repeat))
	}
	for _, t := range times {
		slices.Sort(t)
	}
	return times[0][2], times[1][2]
}

// spent returns the milliseconds that f takes by a clock.
func spent(b *testing.B, clock int32, f func()) float64 {
	b.Helper()
	var from, to unix.Timespec
	err := unix.ClockGettime(clock, &from)
	f()
	if err = errors.Join(err, unix.ClockGettime(clock, &to)); err != nil {
		b.Fatal(err)
	}
	return float64(to.Nano()-from.Nano()) / float64(time.Millisecond)
}

// peerProblem reads data in the format RHLB: n, d, X, classes, values, a private column.
func peerProblem(folder, data, task, regime string) (rehline.Problem, error) {
	name := filepath.Join(folder, data+".bin")
	raw, err := os.ReadFile(name)
	if err != nil {
		return rehline.Problem{}, err
	}
	if len(raw) < 24 || string(raw[:4]) != "RHLB" {
		return rehline.Problem{}, fmt.Errorf("%s: not an RHLB file", name)
	}
	n, d := int(binary.LittleEndian.Uint64(raw[8:])), int(binary.LittleEndian.Uint64(raw[16:]))
	if len(raw) != 24+8*n*(d+3) {
		return rehline.Problem{}, fmt.Errorf("%s: %d bytes for %d x %d", name, len(raw), n, d)
	}
	all := vector(n*(d+3), func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(raw[24+8*i:])) })
	x, class := blas64.General{Rows: n, Cols: d, Stride: d, Data: all[:n*d]}, all[n*d:][:n]
	value, private := all[n*d+n:][:n], all[n*d+2*n:]
	p := rehline.Problem{X: x, C: map[string]float64{"C1": 1 / float64(n), "C100": 100 / float64(n), "c1": 1}[regime]}
	switch task {
	case "svm":
		p.Loss = rehline.Hinge(class)
	case "fairsvm":
		p.Loss, p.Constraints = rehline.Hinge(class), rehline.Fairness(x, nil, [][]float64{private}, 0.01)
	case "ssvm":
		p.Loss = rehline.SmoothedHinge(class)
	case "sqsvm":
		p.Loss = rehline.SquaredHinge(class)
	case "qr":
		p.Loss = rehline.Quantile(value, 0.5)
	case "qr25":
		p.Loss = rehline.Quantile(value, 0.25)
		p.X = general(n, d+1, func(i, j int) float64 { // with a penalized intercept
			if j == d {
				return 1
			}
			return x.Data[i*d+j]
		})
	case "huber":
		p.Loss = rehline.Huber(value, 1)
	default:
		return p, fmt.Errorf("unknown task %q", task)
	}
	return p, nil
}
