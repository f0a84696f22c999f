package selfpaced

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	need "github.com/agepath/agepath/internal/testing/needs"
)

const costCellVariable = "AGEPATH_COST_CELL"

// TestMeasureCosts measures cells of real data sets, drawn at random, each in a process of its own,
// and appends them to a file, from which TestFitCosts fits cost.go:
//
//	AGEPATH_COSTS=costs.jsonl AGEPATH_COST_CELLS=200 AGEPATH_DATASETS=DIR go test ./experiment/selfpaced -run TestMeasureCosts -v -timeout 0
//
// The cells are those of AGEPATH_COST_SEED, others for each seed, with at least AGEPATH_COST_ROWS rows.
// Each may take AGEPATH_COST_LIMIT seconds.
func TestMeasureCosts(t *testing.T) {
	file := os.Getenv("AGEPATH_COSTS")
	if file == "" {
		t.Skip("measures for an hour: AGEPATH_COSTS=FILE")
	}
	seed := costNumber("AGEPATH_COST_SEED", 1)
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	random := rand.New(rand.NewPCG(uint64(seed), 56))
	for i := range costNumber("AGEPATH_COST_CELLS", 40) {
		cell := measureCell(t, drawCell(random, i))
		line, err := json.Marshal(cell)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
}

func costNumber(name string, otherwise int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return otherwise
	}
	return n
}

func measureCell(t testing.TB, grid string) *costCell {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMeasureCell$")
	cmd.Env = append(os.Environ(), costCellVariable+"="+grid, "GOMAXPROCS=1")
	output, err := cmd.Output()
	cell := &costCell{Grid: grid}
	for line := range bytes.Lines(output) {
		if text, is := bytes.CutPrefix(line, []byte(costCellVariable)); is {
			if err := json.Unmarshal(text, cell); err != nil {
				t.Fatal(err)
			}
		}
	}
	switch {
	case cell.D == 0:
		t.Fatalf("%s: %v: %s", grid, err, output)
	case cell.Status == beyond:
		cell.Seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	g := cell.group(t)
	t.Logf("%s: %.3g s, %d MB, estimated %.3g s, %d MB %s", grid, cell.Seconds, cell.Bytes>>20, estimate(g), g.Bytes()>>20, cell.Status)
	return cell
}

// drawCell returns the grid of one cell.
func drawCell(random *rand.Rand, number int) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	model := pick("lasso", "lasso", "elastic-net", "ridge", "logistic", "svm", "rbf")
	classes := model == "logistic" || model == "svm" || model == "rbf"
	data := pick("diabetes", "music", "cadata", "delta_elevators", "house_8L", "ailerons", "elevators")
	noise := "{kind: gaussian, levels: [0.3]}"
	parameters := "alpha: " + pick("0.0003", "0.001", "0.003", "0.01", "0.03")
	if classes {
		data = pick("breast_cancer", "digits", "mfeat-pixel", "pendigits", "MagicTelescope", "nomao")
		noise, parameters = "{kind: flip, levels: [0.3]}", "c: "+pick("0.1", "1", "10")
	}
	name := model
	switch model {
	case "svm":
		parameters += ", kernel: linear"
	case "rbf":
		name, parameters = "svm", parameters+", kernel: rbf, kernel_gamma: scale"
	}
	regularizers := []string{"hard", "linear", "linear", "log: {a: [" + pick("0.5", "2") + "]}", "mixture: {gamma: [" + pick("0.2", "0.5", "1") + "]}", "polynomial: {order: [" + pick("1.3", "2", "3") + "]}"}
	method := pick("gaga", "gaga", "gaga", "acs", "acs", "acs", "original", "acs-once", "other")
	if method == "other" {
		others := []string{"acs-share", "mospl: {population: [20], generations: [100], refit: [50]}", "rlssvm", "relssvm"}
		switch model {
		case "lasso":
			others = append(others, "huber-lasso", "huber-lasso", "sparse-lts", "sparse-lts")
		case "svm", "rbf":
			others = append(others, "robust-svm", "robust-svm")
		}
		if method = pick(others...); strings.HasPrefix(method, "mospl") {
			regularizers = append(regularizers[:3], regularizers[4:]...)
		}
	}
	most := map[string]float64{
		"diabetes": 442, "music": 1059, "breast_cancer": 569, "digits": 1797, "mfeat-pixel": 2000, "pendigits": 3498,
		"delta_elevators": 9517, "ailerons": 13750, "elevators": 16599,
	}[data]
	if most == 0 {
		most = 10000 / 0.6
	}
	if model == "rbf" || strings.HasPrefix(method, "r") && strings.HasSuffix(method, "lssvm") {
		most = min(most, 3000)
	}
	least := min(most, float64(costNumber("AGEPATH_COST_ROWS", 130)))
	rows := int(least * math.Pow(most/least, math.Pow(random.Float64(), 1.4)))
	if random.IntN(2) == 0 {
		noise = "none"
	} else {
		noise = "[" + noise + "]"
	}
	age := "auto"
	if random.IntN(8) == 0 {
		age = "{min: 0.1, max: 20, acs_step: 0.5}"
	}
	return fmt.Sprintf("{name: cost, seed: %d, age: %s, data: [%s], rows: %d, noise: %s, models: [{%s: {%s, intercept: true}}], regularizers: [%s], methods: [%s]}",
		number, age, data, rows, noise, name, parameters, entry(pick(regularizers...)), entry(method))
}

func entry(text string) string {
	if strings.Contains(text, ":") {
		return "{" + text + "}"
	}
	return text
}

// TestMeasureCell is the process of a cell of TestMeasureCosts.
func TestMeasureCell(t *testing.T) {
	text := os.Getenv(costCellVariable)
	if text == "" {
		t.Skip("run by TestMeasureCosts")
	}
	grid := mustParse(t, text)
	plan, err := grid.Plan(t.Context(), &dataset.Library{Dir: need.Datasets(t)})
	if err != nil {
		t.Fatal(err)
	}
	method := grid.Section.(*Section).Sweeps[0].Methods[0].Name
	for task, err := range plan.First(method) {
		if err != nil {
			t.Fatal(err)
		}
		data := preloaded{Data: plan}
		if data.set, err = plan.Dataset(t.Context(), plan.Data[0].Digest); err != nil {
			t.Fatal(err)
		}
		_, prepared := prepare(t, plan, &task)
		m := costCell{
			Grid: text, Rows: plan.Data[0].N, D: prepared.Train.D, Train: prepared.Train.N, Test: prepared.Test.N, Status: beyond,
		}
		say := func() {
			line, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(costCellVariable + string(line))
		}
		say()
		*prepared = dataset.Prepared{}
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak begins here
			t.Fatal(err)
		}
		limit := costNumber("AGEPATH_COST_LIMIT", 60)
		before := processorTime()
		_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: uint64(before) + uint64(limit), Max: uint64(before) + uint64(limit)})
		_, _, err := Kind{}.Compute(t.Context(), &task, data)
		m.Seconds, m.Status = processorTime()-before, ""
		if err != nil {
			m.Status = err.Error()
		}
		status, _ := os.ReadFile("/proc/self/status")
		_, status, _ = bytes.Cut(status, []byte("VmHWM:"))
		if _, err := fmt.Sscan(string(status), &m.Bytes); err != nil {
			t.Fatal(err)
		}
		m.Bytes <<= 10
		say()
		return
	}
}

func processorTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

type preloaded struct {
	experiment.Data
	set *dataset.Dataset
}

func (p preloaded) Dataset(context.Context, string) (*dataset.Dataset, error) { return p.set, nil }
