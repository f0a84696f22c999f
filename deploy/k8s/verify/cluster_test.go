//go:build linux

package verify

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cluster is a cluster of Kubernetes on this machine: testdata/cluster has the control plane, two
// nodes and their network. Its DNS and its enforcer of NetworkPolicies are this package's.
type cluster struct {
	run, scripts, images string
	path, bin            string              // the PATH of all that runs in it, and the folder of what is built for it
	child                int                 // the first process of its namespaces
	local                map[string][]string // cells of local runs, by their grid
}

// startNodes makes the images and starts the cluster, whose nodes are ready.
func startNodes(t *testing.T) *cluster {
	t.Helper()
	if os.Geteuid() != 0 {
		lacking(t, "nodes on this machine need root")
	}
	for _, name := range []string{"kube-apiserver", "kubelet", "kubectl", "etcd", "containerd", "runc", "iptables", "nft", "openssl", "unshare", "nsenter", "/usr/lib/cni/bridge"} {
		program(t, name)
	}
	scripts, err := filepath.Abs("testdata/cluster")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{run: t.TempDir(), scripts: scripts, images: t.TempDir(), bin: t.TempDir(), local: map[string][]string{}}
	c.path = c.bin + ":" + os.Getenv("PATH")
	c.do(t, "../../..", "go", "build", "-o", c.bin+"/", "./cmd/coordinator", "./cmd/worker", "github.com/nats-io/nats-server/v2")
	c.do(t, ".", "go", "test", "-c", "-o", filepath.Join(c.bin, "policy"), ".") // static, as an image needs it
	writeImage(t, filepath.Join(c.images, "agepath.tar"), "agepath:dev", map[string]string{"coordinator": filepath.Join(c.bin, "coordinator"), "worker": filepath.Join(c.bin, "worker")})
	writeImage(t, filepath.Join(c.images, "nats.tar"), "nats:2.15.2", map[string]string{"nats-server": filepath.Join(c.bin, "nats-server")})
	writeImage(t, filepath.Join(c.images, "cluster.tar"), "cluster:1", map[string]string{"pause": filepath.Join(c.bin, "policy"), "dns": filepath.Join(c.bin, "policy")})

	log, err := os.Create(filepath.Join(c.run, "control.log"))
	if err != nil {
		t.Fatal(err)
	}
	control := exec.Command("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", filepath.Join(c.scripts, "control.sh"))
	control.Env, control.Stdout, control.Stderr = c.environment(), log, log
	control.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := control.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.logs(t)
		}
		_ = control.Process.Kill() // --kill-child ends its namespaces with it
		_ = control.Wait()         // killed
		log.Close()
		time.Sleep(time.Second) // for the last processes of the nodes
		_ = exec.Command("find", "/sys/fs/cgroup", "-depth", "-path", "*/kube-node[12]*", "-type", "d", "-exec", "rmdir", "{}", "+").Run()
	})
	children := fmt.Sprintf("/proc/%d/task/%[1]d/children", control.Process.Pid)
	for began := time.Now(); c.child == 0; time.Sleep(100 * time.Millisecond) {
		text, err := os.ReadFile(children)
		if _, scanned := fmt.Sscan(string(text), &c.child); scanned != nil && time.Since(began) > time.Minute {
			t.Fatalf("the cluster has no process: %v", err)
		}
	}
	began := time.Now()
	if text, err := c.script(t.Context(), t.TempDir(), `until kubectl get --raw /readyz >/dev/null 2>&1; do sleep 0.2; done
		for node in node1 node2; do kubectl wait --for=create --timeout=5m node/$node; done
		kubectl wait --for=condition=Ready --timeout=5m node/node1 node/node2
		kubectl -n kube-system wait --for=create --timeout=5m pod/dns
		kubectl -n kube-system wait --for=condition=Ready --timeout=5m pod/dns`).CombinedOutput(); err != nil {
		t.Fatalf("the nodes do not get ready: %v\n%s", err, text)
	}
	t.Logf("two nodes are ready after %v", time.Since(began).Round(time.Second))
	return c
}

func (c *cluster) environment() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "PATH="+c.path, "RUN="+c.run, "IMAGES="+c.images, "HERE="+c.scripts, "KUBECONFIG="+filepath.Join(c.run, "admin.conf"))
}

// script is a script that runs in the cluster's namespaces, in a folder of this machine.
func (c *cluster) script(ctx context.Context, dir, text string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nsenter", "-t", fmt.Sprint(c.child), "-n", "-m", "-p", "--wd="+dir, "bash", "-euc", text)
	cmd.Env = c.environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // nsenter has a child
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // what it started may hold its output
	return cmd
}

// do runs a command in a folder of this machine.
func (c *cluster) do(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, c.environment()
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
	}
}

// logs shows what the cluster is at, and the ends of its logs.
func (c *cluster) logs(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	text, err := c.script(ctx, "/", "kubectl get nodes; kubectl get all --all-namespaces -o wide; kubectl get events --all-namespaces --sort-by=.lastTimestamp | tail -n 40").CombinedOutput()
	t.Logf("error %v\n%s", err, text)
	for _, name := range []string{"control.log", "manager.log", "node1/containerd.log", "node2/containerd.log", "node1/kubelet.log", "node2/kubelet.log", "node1/policy.log"} {
		text, _ := os.ReadFile(filepath.Join(c.run, name))
		t.Logf("%s:\n%s", name, text[max(0, len(text)-2000):])
	}
}

// writeImage writes an image of one layer with some programs, the first of which in the alphabet it
// runs, as an archive that containerd imports.
func writeImage(t *testing.T, path, name string, programs map[string]string) {
	t.Helper()
	var layer bytes.Buffer
	files := tar.NewWriter(&layer)
	first := ""
	for to, from := range programs {
		program, err := os.ReadFile(from)
		if err == nil {
			err = files.WriteHeader(&tar.Header{Name: to, Mode: 0o755, Size: int64(len(program))})
		}
		if err == nil {
			_, err = files.Write(program)
		}
		if err != nil {
			t.Fatal(err)
		}
		if first == "" || to == "pause" {
			first = to
		}
	}
	files.Close()
	config, _ := json.Marshal(map[string]any{
		"architecture": "amd64", "os": "linux", "config": map[string]any{"Entrypoint": []string{"/" + first}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer.Bytes()))}},
	})
	manifest, _ := json.Marshal([]map[string]any{{"Config": "config.json", "RepoTags": []string{name}, "Layers": []string{"layer.tar"}}})
	var archive bytes.Buffer
	parts := tar.NewWriter(&archive)
	for _, part := range []struct {
		name string
		text []byte
	}{{"manifest.json", manifest}, {"config.json", config}, {"layer.tar", layer.Bytes()}} {
		_ = parts.WriteHeader(&tar.Header{Name: part.name, Mode: 0o644, Size: int64(len(part.text))}) // to memory
		_, _ = parts.Write(part.text)
	}
	parts.Close()
	if err := os.WriteFile(path, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// pods is the cluster as one test uses it: with a folder that has deploy and grids, and disks.
type pods struct {
	*cluster
	t         *testing.T
	work      string
	namespace string
	tls       bool // of the servers
}

// prepared gives a test a folder and six disks of its own. Its end deletes the namespaces.
func (c *cluster) prepared(t *testing.T) *pods {
	t.Helper()
	p := &pods{cluster: c, t: t, work: t.TempDir(), namespace: "agepath"}
	for to, from := range map[string]string{"deploy/k8s": "..", "grids": "../../../grids"} {
		if err := os.CopyFS(filepath.Join(p.work, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	disks := ""
	for i := range 6 {
		node := fmt.Sprintf("node%d", 1+i%2)
		dir := filepath.Join(t.TempDir(), "disk")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		disks += fmt.Sprintf(`---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk%d}
spec:
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: local
  local: {path: %s}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]}]}}
`, i, dir, node)
	}
	if err := os.WriteFile(filepath.Join(p.work, "disks.yaml"), []byte(disks), 0o600); err != nil {
		t.Fatal(err)
	}
	p.kubectl("kubectl apply -f disks.yaml")
	t.Cleanup(func() {
		if t.Failed() {
			c.logs(t)
		}
		p.kubectl(`kubectl uncordon node1 node2
			kubectl delete namespace agepath alice --ignore-not-found --timeout=3m
			kubectl delete -f disks.yaml --timeout=1m`)
	})
	return p
}

// kubectl runs a script in the cluster and in the test's folder, and returns what it prints.
func (p *pods) kubectl(script string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	text, err := p.script(ctx, p.work, script).CombinedOutput()
	if err != nil {
		p.t.Errorf("%s\n%v\n%s", script, err, text)
	}
	return string(text)
}

// write writes a file into the test's folder.
func (p *pods) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.work, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// back does something to pods with a label and wants one within 30 seconds that is ready and was not
// before: another pod, or the same one started again.
func (p *pods) back(label, fault string, do func()) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 4*time.Minute)
	defer cancel()
	const fields = `{.metadata.uid} {.status.containerStatuses[0].restartCount} {.status.containerStatuses[0].ready} {.metadata.deletionTimestamp}{"\n"}`
	before := p.kubectl("kubectl get pods --all-namespaces -l " + label + " -o jsonpath='{range .items[*]}" + fields + "{end}'")
	watch := p.script(ctx, p.work, "exec kubectl get pods --all-namespaces --watch -l "+label+" -o jsonpath='"+fields+"'")
	out, err := watch.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		p.t.Fatal(err)
	}
	done := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(done)
		do()
	}()
	found := false
	for lines := bufio.NewScanner(out); !found && lines.Scan(); {
		pod := strings.Fields(lines.Text()) // without a fourth word while nobody deletes it
		found = len(pod) == 3 && pod[2] == "true" && !strings.Contains(before, pod[0]+" "+pod[1]+" true")
	}
	took := time.Since(began)
	cancel()
	_ = watch.Wait() // killed
	<-done
	p.t.Logf("a pod of %s is ready %v after %s", label, took.Round(100*time.Millisecond), fault)
	if !found || took > 30*time.Second {
		p.t.Errorf("a pod of %s is ready %v after %s: %t, want 30 s", label, took, fault, found)
	}
}
