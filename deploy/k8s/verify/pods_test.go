//go:build linux

package verify

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// podGrid has 50 cells, ten of them of the constant. The others take half a second or so.
const podGrid = `name: pods
seed: %d
repeats: 5
data: [breast_cancer]
models: [{logistic: {c: [0.03, 0.1, 0.3, 1]}}]
noise: [{kind: flip, levels: [0, 0.3]}]
regularizers: [linear]
methods: [gaga]
`

var runName = regexp.MustCompile(`pods-[0-9a-f]{8}`)

// TestPods runs pods in a cluster of Kubernetes, and takes from them what a cluster can lose. After
// each fault a worker is ready within 30 seconds, and all cells are those of a local run.
func TestPods(t *testing.T) {
	if os.Getenv("AGEPATH_LONG") != "1" {
		t.Skip("takes minutes, and a cluster of Kubernetes: bash .ci/kubernetes TestPods")
	}
	c := startNodes(t)
	for _, test := range []struct {
		name string
		run  func(*pods)
	}{
		{"document", document}, {"scaled", scaled}, {"memory", memory}, {"lost", lost}, {"coordinators", coordinators}, {"encrypted", encrypted}, {"tenant", tenant},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(c.prepared(t)) })
	}
}

// steps are the blocks of commands of docs/kubernetes.md.
func steps(t *testing.T) (users, servers, submit string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	return block(t, string(text), "## 2. Users"), block(t, string(text), "## 3. NATS servers"), block(t, string(text), "## 4. Submit a grid")
}

// small deploys the overlay small as docs/kubernetes.md says. The server and its disk are on the
// first node, the worker is on the second.
func (p *pods) small() {
	p.t.Helper()
	users, servers, _ := steps(p.t)
	users = strings.Replace(users, "echo 'replicas: 3'", "# echo 'replicas: 3'", 1)
	p.kubectl("kubectl cordon node2\n" + users + strings.Replace(servers, "overlays/nats", "overlays/small", 1) + `
		kubectl -n agepath scale deployment agepath-worker --replicas=0
		kubectl -n agepath wait --for=delete --timeout=3m pod -l app.kubernetes.io/component=worker
		kubectl -n agepath rollout status deployment/agepath-serve --timeout=3m
		kubectl cordon node1
		kubectl uncordon node2
		kubectl -n agepath scale deployment agepath-worker --replicas=1
		kubectl -n agepath rollout status deployment/agepath-worker --timeout=3m
		kubectl uncordon node1`)
}

// document does what docs/kubernetes.md says: it deploys, submits a grid and, while the worker
// computes, drains its node and kills the next worker. A second grid is submitted in the same way
// after the drain, and the server's pod is deleted.
func document(p *pods) {
	p.small()
	first := p.submitted(1, "quickstart")
	p.back(workers, "a drain began", func() {
		p.kubectl("kubectl drain node2 --ignore-daemonsets --delete-emptydir-data --timeout=5m")
	})
	p.kubectl("kubectl uncordon node2")
	p.back(workers, "a kill", func() { p.kubectl("kill -KILL $(pgrep -u 65532 -x worker)") })
	p.wantLocal(first, "quickstart", 0)
	if again := p.kubectl("kubectl apply -k quickstart"); strings.Count(again, "unchanged") != 2 {
		p.t.Errorf("the folder of a run applied again:\n%s", again)
	}

	second := p.submitted(2, "second")
	if second == first {
		p.t.Errorf("the second grid is the run %s again", second)
	}
	began := time.Now()
	p.kubectl(`kubectl -n agepath delete pod agepath-nats-0
		kubectl -n agepath wait --for=create --timeout=3m pod/agepath-nats-0
		kubectl -n agepath wait --for=condition=Ready --timeout=3m pod/agepath-nats-0`)
	p.t.Logf("the server is back %v after its pod was deleted", time.Since(began).Round(time.Second))
	p.wantLocal(second, "second", 0)
}

// submitted submits a grid as docs/kubernetes.md does, and returns the name of the run.
func (p *pods) submitted(seed int, name string) string {
	p.t.Helper()
	p.write("grids/quickstart.yaml", fmt.Sprintf(podGrid, seed))
	_, _, submit := steps(p.t)
	text := p.kubectl(strings.Replace(submit, "name=quickstart", "name="+name, 1))
	run := runName.FindString(text)
	if run == "" {
		p.t.Fatalf("there is no run:\n%s", text)
	}
	return run
}

// forwarded runs a script as a coordinator of this machine, which reaches the server by kubectl.
func (p *pods) forwarded(script string) string {
	p.t.Helper()
	tls := ""
	if p.tls {
		tls = "export AGEPATH_TLS_CA=ca.crt"
	}
	return p.kubectl(`kubectl -n ` + p.namespace + ` port-forward service/agepath-nats 4222 >/dev/null &
		trap 'kill %1' EXIT
		` + tls + `
		export AGEPATH_NATS_URL=nats://127.0.0.1:4222 AGEPATH_USER=coordinator AGEPATH_PASSWORD_FILE=coordinator.password AGEPATH_CONNECT_WAIT=1m
		` + script)
}

// wantLocal collects a run that ends and wants the cells of a local run of the same grid, of which
// some were tried twice.
func (p *pods) wantLocal(run, name string, twice int) {
	p.t.Helper()
	p.forwarded(fmt.Sprintf(`timeout 10m coordinator status %[1]s --watch
		coordinator collect %[1]s --out %[2]s-collected --format csv --no-reuse`, run, name))
	p.wantCells(filepath.Join(p.work, name+"-collected"), name, twice)
}

// wantCells wants the cells of a local run of a grid in a folder of results.
func (p *pods) wantCells(dir, name string, twice int) {
	t := p.t
	t.Helper()
	grid, err := os.ReadFile(filepath.Join(p.work, name, "grid.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if p.local[string(grid)] == nil {
		p.do(t, p.work, filepath.Join(p.bin, "coordinator"), "run", name+"/grid.yaml", "--out", name+"-local", "--format", "csv", "--no-reuse")
		p.local[string(grid)], _ = cells(t, filepath.Join(p.work, name+"-local"))
	}
	want := p.local[string(grid)]
	have, tried := cells(t, dir)
	if len(want) != 50 || tried != 50+twice || !slices.Equal(have, want) {
		t.Errorf("%s: %d cells, which were tried %d times, want %d and %d; or they differ from a local run's", name, len(have), tried, len(want), 50+twice)
	}
}

// cells returns the cells of a folder of results, without what varies among machines, and how often
// they were tried.
func cells(t *testing.T, dir string) (rows []string, tried int) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "report", "cells.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table, err := csv.NewReader(file).ReadAll()
	if err != nil || len(table) < 2 {
		t.Fatalf("%s: %d lines, error %v", file.Name(), len(table), err)
	}
	varying := []string{"attempts", "wall_seconds", "cpu_seconds", "peak_bytes", "worker", "started_at", "finished_at"}
	for _, line := range table[1:] {
		var row []string
		for i, value := range line {
			if table[0][i] == "attempts" {
				n, err := strconv.Atoi(value)
				if err != nil {
					t.Error(err)
				}
				tried += n
			}
			if !slices.Contains(varying, table[0][i]) {
				row = append(row, table[0][i]+"="+value)
			}
		}
		rows = append(rows, strings.Join(row, " "))
	}
	slices.Sort(rows)
	return rows, tried
}

// block returns the first commands of a section of a document.
func block(t *testing.T, document, heading string) string {
	t.Helper()
	_, section, found := strings.Cut(document, "\n"+heading+"\n")
	text := regexp.MustCompile(`(?m)(?:^    .*\n|^\n)*^    .*\n`).FindString(section)
	if !found || strings.TrimSpace(text) == "" {
		t.Fatalf("docs/kubernetes.md has no commands below %q", heading)
	}
	return strings.ReplaceAll("\n"+text, "\n    ", "\n")
}

// outOfService is the command of docs/kubernetes.md for a node that is gone.
func outOfService(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`kubectl taint node\s+NODE\s+\S+:NoExecute`).Find(text)
	if command == nil {
		t.Fatal("docs/kubernetes.md has no taint of a node that is gone")
	}
	return strings.Join(strings.Fields(string(command)), " ")
}
