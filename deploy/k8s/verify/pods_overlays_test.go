//go:build linux

package verify

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// coordinators kills the programs that submit, show and collect, with kill -9. The one that submits
// has queued some cells, or none; those that collect write to a claim and, as a CronJob, to S3.
func coordinators(p *pods) {
	p.small()
	p.write("grids/quickstart.yaml", fmt.Sprintf(podGrid, 1))
	_, _, submit := steps(p.t)
	text := p.kubectl(killed("submit", 100, 300) + submit)
	run := runName.FindString(text)
	p.t.Logf("after two kills: %s", regexp.MustCompile(`.* cells queued.*`).FindString(text))
	if failed := p.kubectl("kubectl -n agepath get job agepath-submit-quickstart -o jsonpath='{.status.failed}'"); failed != "2" || run == "" {
		p.t.Fatalf("%s pods that submit were killed, want 2:\n%s", failed, text)
	}

	const page = "app.kubernetes.io/component=serve"
	p.back(page, "it was killed", func() { p.kubectl("kill -KILL $(pgrep -f '^/coordinator serve')") })
	p.back(page, "it was deleted", func() { p.kubectl("kubectl -n agepath delete pod -l " + page) })
	if metrics := p.kubectl("kubectl get --raw /api/v1/namespaces/agepath/services/agepath-serve:80/proxy/metrics"); !strings.Contains(metrics, `agepath_cells_planned{run="`+run+`"} 50`) {
		p.t.Errorf("the live page does not know the run:\n%s", metrics)
	}
	p.wantLocal(run, "quickstart", 0)

	p.collector("mine", "collect", run, "")
	p.kubectl(killed("collect", 100) + "kubectl apply -k mine\nkubectl -n agepath wait --for=condition=complete --timeout=5m job/" + run)
	if failed := p.kubectl("kubectl -n agepath get job " + run + " -o jsonpath='{.status.failed}'"); failed != "1" {
		p.t.Errorf("%q pods that collect were killed, want 1", failed)
	}
	p.wantCollected(filepath.Join(strings.TrimSpace(p.kubectl(`kubectl get pv $(kubectl -n agepath get pvc agepath-results -o jsonpath='{.spec.volumeName}') -o jsonpath='{.spec.local.path}'`)), run), "quickstart")
	p.kubectl("kubectl delete -k mine")

	store := filepath.Join(p.work, "store")
	if err := os.MkdirAll(filepath.Join(store, "results"), 0o777); err != nil {
		p.t.Fatal(err)
	}
	p.write("credentials", "[default]\naws_access_key_id = agepath\naws_secret_access_key = for-tests-alone\n")
	p.collector("stored", "collect-cron", run, `components: [../deploy/k8s/s3]
patches:
  - target: {kind: NetworkPolicy, name: agepath-to-s3}
    patch: |-
      - {op: add, path: /spec/egress/0/ports/-, value: {protocol: TCP, port: 7070}}
`)
	document, err := os.ReadFile("../../../docs/kubernetes.md")
	if err != nil {
		p.t.Fatal(err)
	}
	commands := strings.NewReplacer("BUCKET", "results", "https://s3.example.org", "http://198.18.0.1:7070", "quickstart-01234567", run, "apply -k mine", "apply -k stored").
		Replace(block(p.t, string(document), "## 7. Results"))
	// The store is a process of the first node: policies hold for what the second one sends.
	p.kubectl(versitygw(p) + ` --access agepath --secret for-tests-alone --port 198.18.0.1:7070 posix ` + store + ` >store.log 2>&1 &
		kubectl cordon node1
		` + killed("collect", 100) + commands + `
		kubectl -n agepath wait --for=condition=complete --timeout=5m job/collect-now
		kubectl uncordon node1`)
	p.wantCollected(filepath.Join(store, "results", "night", run), "quickstart")
}

// killed is a script that kills the program coordinator with a command, in the background, some
// milliseconds after it was started, as often as there are numbers.
func killed(command string, milliseconds ...int) string {
	script := "("
	for _, m := range milliseconds {
		script += fmt.Sprintf("until pid=$(pgrep -f '^/coordinator %s'); do sleep 0.05; done; sleep 0.%03d; kill -KILL $pid; while kill -0 $pid; do sleep 0.1; done; ", command, m)
	}
	return script + ") >/dev/null 2>&1 &\n"
}

// versitygw is the path of an S3-compatible store.
func versitygw(p *pods) string {
	p.t.Helper()
	if path, err := exec.LookPath("versitygw"); err == nil {
		return path
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		p.t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(cache, "agepath-test", "versitygw-*", "versitygw"))
	if len(found) == 0 {
		lacking(p.t, "versitygw is not built: AGEPATH_REQUIRE_ALL=1 go test ./internal/bucket")
	}
	return found[len(found)-1]
}

// collector writes a folder that collects a run.
func (p *pods) collector(folder, overlay, run, more string) {
	p.t.Helper()
	text, err := os.ReadFile("testdata/collect/run.yaml")
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(folder+"/run.yaml", strings.ReplaceAll(string(text), "quickstart-01234567", run))
	p.write(folder+"/kustomization.yaml", `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: agepath
resources: [../deploy/k8s/overlays/`+overlay+`, run.yaml]
transformers: [../deploy/k8s/run]
`+more)
}

// wantCollected wants the cells of a local run in a folder that a collector wrote.
func (p *pods) wantCollected(dir, name string) {
	p.t.Helper()
	copied := filepath.Join(p.t.TempDir(), "copied")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		p.t.Fatal(err)
	}
	p.do(p.t, p.work, filepath.Join(p.bin, "coordinator"), "report", copied, "--format", "csv")
	p.wantCells(copied, name, 0)
}

// encrypted deploys three servers that speak TLS, as docs/kubernetes.md says, and workers in a
// folder of one's own. It kills one server, deletes another, and drains a node of one more: a drain takes
// one at a time, since two of three have to run, and a server's disk is on its node.
func encrypted(p *pods) {
	document, err := os.ReadFile("../../../docs/kubernetes.md")
	if err != nil {
		p.t.Fatal(err)
	}
	users, servers, _ := steps(p.t)
	users = strings.Replace(users, "echo 'replicas: 3'", "echo 'tls-ca: /etc/agepath/nats/ca.crt' | tee -a coordinator.yaml worker.yaml >>viewer.yaml\necho 'replicas: 3'", 1)
	users = strings.Replace(users, "--from-file=config.yaml", "--from-file=ca.crt --from-file=config.yaml", 1)
	names := block(p.t, string(document), "`overlays/small` takes the place of `overlays/nats` and of step 5. The order does not matter: all")
	before, after, _ := strings.Cut(names, "kubectl")
	p.write("workers/kustomization.yaml", `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: agepath
resources: [../deploy/k8s/overlays/deployment]
patches:
  - target: {kind: Deployment, name: agepath-worker}
    patch: |-
      - {op: replace, path: /spec/replicas, value: 2}
      - {op: replace, path: /spec/template/spec/containers/0/resources, value: {requests: {cpu: 250m, memory: 1Gi}, limits: {cpu: "1", memory: 1Gi}}}
`)
	p.tls = true
	p.kubectl(before + users + "kubectl" + after + strings.Replace(servers, "overlays/nats", "overlays/nats-tls", 1) + `
		kubectl apply -k workers
		kubectl -n agepath rollout status deployment/agepath-worker --timeout=5m`)
	run := p.submitted(1, "quickstart")
	const server = "app.kubernetes.io/instance=agepath"
	p.back(server, "it was killed", func() { p.kubectl("kill -KILL $(pgrep -u 65532 -x nats-server | head -n 1)") })
	p.back(server, "it was deleted", func() { p.kubectl("kubectl -n agepath delete pod agepath-nats-1") })
	p.kubectl("kubectl -n agepath rollout status statefulset/agepath-nats --timeout=3m")
	p.back(workers, "a drain began", func() {
		p.kubectl(`more=$(kubectl -n agepath get pods -l ` + server + ` --field-selector spec.nodeName=node2 -o name | sed '1d; s|pod/|,|' | tr -d '\n')
			kubectl drain node2 --ignore-daemonsets --delete-emptydir-data --timeout=5m --pod-selector="statefulset.kubernetes.io/pod-name notin (none$more)"`)
	})
	began := time.Now()
	p.kubectl("kubectl uncordon node2\nkubectl -n agepath rollout status statefulset/agepath-nats --timeout=3m")
	p.t.Logf("all servers are ready %v after the node was uncordoned", time.Since(began).Round(time.Second))
	p.wantLocal(run, "quickstart", 0)
}

// tenant deploys the overlay small with the component tenant as a user with the role edit in a
// namespace, which has pods of others: these talk to each other, and not to the servers.
func tenant(p *pods) {
	const server = `
apiVersion: v1
kind: Pod
metadata: {name: %[1]s, labels: {app: %[1]s}}
spec:
  restartPolicy: Never
  securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: RuntimeDefault}}
  volumes: [{name: tmp, emptyDir: {}}]
  containers:
    - {name: %[1]s, image: "%[2]s", command: %[3]s, volumeMounts: [{name: tmp, mountPath: /tmp}], securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}
---`
	p.kubectl(`kubectl create namespace alice
		kubectl -n alice create rolebinding alice --clusterrole=edit --user=alice`)
	p.write("deploy/k8s/namespace/kustomization.yaml", "kind: Kustomization\n") // an administrator's
	p.write("tenant/kustomization.yaml", `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: alice
resources: [../deploy/k8s/overlays/small]
components: [../deploy/k8s/tenant]
`)
	users, servers, submit := steps(p.t)
	own := strings.NewReplacer("echo 'replicas: 3'", "# echo 'replicas: 3'", "deploy/k8s/overlays/nats\n", "tenant\n", "-n agepath", "-n alice", "namespace: agepath", "namespace: alice",
		"kubectl apply -k deploy/k8s/namespace\n", "")
	p.write("grids/quickstart.yaml", fmt.Sprintf(podGrid, 1))
	p.namespace = "alice"
	text := p.kubectl("kubectl() { command kubectl --as=alice \"$@\"; }\n" + own.Replace(users+servers+submit))
	run := runName.FindString(text)
	if run == "" {
		p.t.Fatalf("there is no run:\n%s", text)
	}
	p.write("others.yaml", fmt.Sprintf(server, "server", "nats:2.15.2", `[/nats-server, -js, -sd, /tmp/js]`))
	p.kubectl("kubectl -n alice apply -f others.yaml\nkubectl -n alice wait --for=condition=Ready --timeout=1m pod/server")
	address := strings.TrimSpace(p.kubectl("kubectl -n alice get pod server -o jsonpath='{.status.podIP}'"))
	foreign := strings.TrimSpace(p.kubectl("kubectl -n alice get pod agepath-nats-0 -o jsonpath='{.status.podIP}'"))
	p.write("others.yaml", fmt.Sprintf(server, "other", "agepath:dev", `[/coordinator, status, --nats, "nats://`+address+`:4222", --connect-wait, 20s]`)+
		fmt.Sprintf(server, "stranger", "agepath:dev", `[/coordinator, status, --nats, "nats://`+foreign+`:4222", --connect-wait, 10s]`))
	text = p.kubectl(`kubectl -n alice apply -f others.yaml
		kubectl -n alice wait --for=jsonpath='{.status.phase}'=Succeeded --timeout=1m pod/other
		kubectl -n alice wait --for=jsonpath='{.status.phase}'=Failed --timeout=1m pod/stranger
		kubectl -n alice logs stranger`)
	if !strings.Contains(text, "timeout") {
		p.t.Errorf("a stranger ends for another reason than that nobody answers:\n%s", text)
	}
	p.wantLocal(run, "quickstart", 0)
}
