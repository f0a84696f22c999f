package verify

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// kubernetesVersion is what the pods of TestPods run in.
const kubernetesVersion = "1.34.2"

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

// pods is a cluster of two nodes on this machine.
type pods struct {
	t                     *testing.T
	tools, bin, run, work string
}

// TestPods does what docs/kubernetes.md says in a cluster of Kubernetes, with the overlay small: it
// deploys, submits a grid and, while the worker computes, drains its node and kills the next worker.
// Each time a worker is ready within 30 seconds. A second grid is submitted in the same way, and the
// server's pod is deleted. All cells are those of a local run.
func TestPods(t *testing.T) {
	if os.Getenv("AGEPATH_LONG") != "1" {
		t.Skip("takes minutes, and a cluster of Kubernetes: bash .ci/nightly")
	}
	p := startPods(t)
	document, err := os.ReadFile("../../../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	users := strings.Replace(block(t, string(document), "## 2. Users"), "echo 'replicas: 3'", "# echo 'replicas: 3'", 1)
	servers := strings.Replace(block(t, string(document), "## 3. NATS servers"), "overlays/nats", "overlays/small", 1)
	submit := block(t, string(document), "## 4. Submit a grid")

	// The first node has the server and its disk; the worker is on the second.
	p.kubectl("kubectl cordon node2\n" + users + servers + `
		kubectl -n agepath scale deployment agepath-worker --replicas=0
		kubectl -n agepath wait --for=delete --timeout=3m pod -l app.kubernetes.io/component=worker
		kubectl cordon node1
		kubectl uncordon node2`)
	p.grid(1)
	first := p.submitted(submit)
	p.kubectl(`kubectl -n agepath scale deployment agepath-worker --replicas=1
		kubectl -n agepath rollout status deployment/agepath-worker --timeout=3m
		kubectl uncordon node1`)
	const workers = "kubectl -n agepath get pods --watch -l app.kubernetes.io/component=worker"
	began := time.Now()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.kubectl("kubectl drain node2 --ignore-daemonsets --delete-emptydir-data --timeout=5m")
	}()
	p.kubectl("grep -m 1 True < <(timeout 3m " + workers + ` --field-selector spec.nodeName=node1 \
		-o jsonpath='{.status.conditions[?(@.type=="Ready")].status}{"\n"}' 2>/dev/null)`)
	p.wantBack("a drain", began)
	<-drained
	p.kubectl("kubectl uncordon node2")

	began = time.Now()
	p.kubectl("kill -KILL $(pgrep -u 65532 -x worker)\ngrep -m 1 '[1-9]true' < <(timeout 3m " + workers + ` \
		-o jsonpath='{.status.containerStatuses[0].restartCount}{.status.containerStatuses[0].ready}{"\n"}' 2>/dev/null)`)
	p.wantBack("a kill", began)
	p.wantLocal(first, "first")
	if again := p.kubectl("kubectl apply -k quickstart"); strings.Count(again, "unchanged") != 2 {
		t.Errorf("the folder of a run applied again:\n%s", again)
	}

	p.grid(2)
	second := p.submitted(strings.Replace(submit, "name=quickstart", "name=second", 1))
	if second == first {
		t.Errorf("the second grid is the run %s again", second)
	}
	began = time.Now()
	p.kubectl(`kubectl -n agepath delete pod agepath-nats-0
		kubectl -n agepath wait --for=create --timeout=3m pod/agepath-nats-0
		kubectl -n agepath wait --for=condition=Ready --timeout=3m pod/agepath-nats-0`)
	t.Logf("the server is back %v after its pod was deleted", time.Since(began).Round(time.Second))
	p.wantLocal(second, "second")
}

// wantBack wants that a worker took at most 30 seconds to come back.
func (p *pods) wantBack(fault string, began time.Time) {
	p.t.Helper()
	back := time.Since(began)
	p.t.Logf("a worker is back %v after %s began", back.Round(time.Second), fault)
	if back > 30*time.Second {
		p.t.Errorf("a worker is back %v after %s, want 30 s", back, fault)
	}
}

// startPods makes the images and starts the cluster, whose nodes are ready.
func startPods(t *testing.T) *pods {
	t.Helper()
	tools, err := filepath.Abs("../../../../shared/cluster")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(tools, "up")); err != nil {
		lacking(t, "the scripts of a cluster are not at %s", tools)
	}
	if os.Geteuid() != 0 {
		lacking(t, "nodes on this machine need root")
	}
	for _, name := range []string{"containerd", "runc", "etcd", "iptables", "kubectl"} {
		program(t, name)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	p := &pods{t: t, tools: tools, bin: filepath.Join(cache, "agepath-test", "cluster-"+kubernetesVersion), run: filepath.Join(t.TempDir(), "run"), work: t.TempDir()}
	if _, err := os.Stat(filepath.Join(p.bin, "kube")); err != nil {
		lacking(t, "Kubernetes is not built: bash %s/build %s %s", tools, kubernetesVersion, p.bin)
	}
	pause := filepath.Join(p.work, "pause.go")
	if err := os.WriteFile(pause, []byte("package main\n\nimport \"time\"\n\nfunc main() {\n\ttime.Sleep(1 << 62)\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	images := t.TempDir()
	p.do("../../..", "go", "build", "-o", p.bin+"/", "./cmd/coordinator", "./cmd/worker", "github.com/nats-io/nats-server/v2")
	p.do(filepath.Join(tools, "dns"), "go", "build", "-o", filepath.Join(p.bin, "dns"), ".")
	p.do(filepath.Join(tools, "policy"), "go", "build", "-o", filepath.Join(p.bin, "policy"), ".")
	p.do(p.work, "go", "build", "-o", filepath.Join(p.bin, "pause"), pause)
	for name, programs := range map[string][]string{
		"agepath:dev": {"coordinator", "worker"}, "nats:2.15.2": {"nats-server"}, "dns:1": {"dns"}, "localhost/pause:1": {"pause"},
	} {
		args := []string{name, filepath.Join(images, strings.ReplaceAll(strings.ReplaceAll(name, "/", "-"), ":", "-")+".tar"), "/" + programs[0]}
		for _, program := range programs {
			args = append(args, filepath.Join(p.bin, program)+"="+program)
		}
		p.do(p.work, filepath.Join(tools, "image"), args...)
	}
	for to, from := range map[string]string{"deploy/k8s": "..", "grids": "../../../grids"} {
		if err := os.CopyFS(filepath.Join(p.work, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	p.do(p.work, filepath.Join(tools, "up"), p.bin, images, p.run)
	t.Cleanup(func() { p.do(p.work, filepath.Join(tools, "down"), p.run) })
	p.do(p.work, "timeout", "5m", "bash", "-c", `until "$0" get --raw /readyz >/dev/null 2>&1; do sleep 0.2; done
		for node in node1 node2; do "$0" wait --for=create --timeout=5m "node/$node"; done
		"$0" wait --for=condition=Ready --timeout=5m node/node1 node/node2`, filepath.Join(tools, "k"))
	return p
}

// do runs a command in a folder.
func (p *pods) do(dir, name string, args ...string) {
	p.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "RUN="+p.run)
	if text, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
	}
}

// kubectl runs a script in the cluster, in the folder that has deploy and grids, and returns what
// it prints.
func (p *pods) kubectl(script string) string {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(p.tools, "k"), "--", "bash", "-euc", script)
	cmd.Dir, cmd.Env = p.work, append(os.Environ(), "RUN="+p.run, "PATH="+p.bin+":"+os.Getenv("PATH"))
	text, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Errorf("%s\n%v\n%s", script, err, text)
	}
	return string(text)
}

// grid replaces the grid that the document submits.
func (p *pods) grid(seed int) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.work, "grids", "quickstart.yaml"), fmt.Appendf(nil, podGrid, seed), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// submitted runs the document's block that submits, and returns the name of the run.
func (p *pods) submitted(script string) string {
	p.t.Helper()
	text := p.kubectl(script)
	name := regexp.MustCompile(`pods-[0-9a-f]+`).FindString(text)
	if name == "" {
		p.t.Fatalf("there is no run:\n%s", text)
	}
	return name
}

// wantLocal collects a run that ends and wants the cells of a local run of the same grid.
func (p *pods) wantLocal(run, name string) {
	t := p.t
	t.Helper()
	p.kubectl(fmt.Sprintf(`kubectl -n agepath port-forward service/agepath-nats 4222 >/dev/null &
		trap 'kill %%1' EXIT
		export AGEPATH_NATS_URL=nats://127.0.0.1:4222 AGEPATH_USER=coordinator AGEPATH_PASSWORD_FILE=coordinator.password
		timeout 10m coordinator status %[1]s --watch --connect-wait 1m
		coordinator collect %[1]s --out %[2]s --format csv --no-reuse`, run, name))
	p.do(p.work, filepath.Join(p.bin, "coordinator"), "run", "grids/quickstart.yaml", "--out", name+"-local", "--format", "csv", "--no-reuse")
	have, want := cells(t, filepath.Join(p.work, name)), cells(t, filepath.Join(p.work, name+"-local"))
	if len(want) != 50 || !slices.Equal(have, want) {
		t.Errorf("%s: %d cells, a local run has %d; or they differ", run, len(have), len(want))
	}
}

// cells returns the cells of a folder of results, without what varies among machines.
func cells(t *testing.T, dir string) (rows []string) {
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
	varying := []string{"wall_seconds", "cpu_seconds", "peak_bytes", "worker", "started_at", "finished_at"}
	for _, line := range table[1:] {
		var row []string
		for i, value := range line {
			if !slices.Contains(varying, table[0][i]) {
				row = append(row, table[0][i]+"="+value)
			}
		}
		rows = append(rows, strings.Join(row, " "))
	}
	slices.Sort(rows)
	return rows
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
