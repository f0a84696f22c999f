package verify

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// lacking skips a test for want of something, or fails it where nothing may be lacking.
func lacking(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("AGEPATH_REQUIRE_ALL") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// program returns the path of a program.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		lacking(t, "%s is not installed", name)
	}
	return path
}

// definitions are the modules and files with the definitions of others' types that the
// manifests have objects of.
var definitions = map[string][]string{
	"github.com/kedacore/keda/v2@v2.21.0": {"config/crd/bases/keda.sh_scaledjobs.yaml"},
	"sigs.k8s.io/kueue@v0.17.0": {
		"config/components/crd/bases/kueue.x-k8s.io_localqueues.yaml", "config/components/crd/bases/kueue.x-k8s.io_clusterqueues.yaml",
		"config/components/crd/bases/kueue.x-k8s.io_resourceflavors.yaml", "config/components/crd/bases/kueue.x-k8s.io_workloadpriorityclasses.yaml",
	},
	"github.com/prometheus-operator/prometheus-operator@v0.85.0": {
		"example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
		"example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
	},
}

// TestAPIServer has an API server of Kubernetes take every overlay, and the components in
// overlays, in two namespaces as a dry run: defaults, validation, admission by the profile of the namespace.
// A warning is an error.
func TestAPIServer(t *testing.T) {
	if os.Getenv("AGEPATH_LONG") != "1" {
		t.Skip("takes half a minute and programs of Kubernetes: bash .ci/kubernetes")
	}
	kubectl := startCluster(t)
	for module, files := range definitions {
		var downloaded struct{ Dir string }
		text, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module).Output()
		if err == nil {
			err = json.Unmarshal(text, &downloaded)
		}
		if err != nil {
			lacking(t, "%s: %v", module, err)
		}
		for _, file := range files {
			kubectl("apply", "--server-side", "-f", filepath.Join(downloaded.Dir, file))
		}
	}
	kubectl("wait", "--for=condition=Established", "--timeout=60s", "customresourcedefinitions", "--all")
	kubectl("apply", "-k", "../namespace")
	kubectl("apply", "-k", own(t, "namespace: alice\nresources:\n  - ../deploy/k8s/namespace\n"))
	folders := map[string]string{"base": "../base"}
	for _, name := range overlays {
		folders[name], folders[name+" of alice"] = overlayDir(name), inAlice(t, name)
	}
	for name, dir := range folders {
		applied := strings.Count(kubectl("apply", "--dry-run=server", "-k", dir), "(server dry run)")
		if want := len(render(t, dir)); applied != want {
			t.Errorf("%s: %d objects of %d are taken", name, applied, want)
		}
		t.Logf("%s: %d objects", name, applied)
	}
	if applied := strings.Count(kubectl("apply", "--dry-run=server", "-k", "../kueue/queues"), "(server dry run)"); applied != 6 {
		t.Errorf("%d objects of Kueue's queues are taken", applied)
	}
	// What docs/kubernetes.md does beside.
	document, err := os.ReadFile("../../../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	pod := regexp.MustCompile(`(?s)run reader --image=(\S+) --overrides='(.*?)'\n`).FindSubmatch(document)
	if pod == nil {
		t.Fatal("docs/kubernetes.md has no reader of the claim")
	}
	kubectl("-n", "agepath", "run", "reader", "--image="+string(pod[1]), "--overrides="+string(pod[2]), "--dry-run=server")
	kubectl("apply", "-k", "testdata/collect-s3")
	kubectl("-n", "agepath", "create", "job", "--from=cronjob/quickstart-01234567", "collect-now", "--dry-run=server")
}

// startCluster starts etcd and an API server, and returns what runs kubectl there.
func startCluster(t *testing.T) (kubectl func(args ...string) string) {
	t.Helper()
	dir := t.TempDir()
	server, client, etcd := program(t, "kube-apiserver"), program(t, "kubectl"), program(t, "etcd")
	ports := freePorts(t, 3)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	signing, tokens := filepath.Join(dir, "signing.key"), filepath.Join(dir, "tokens.csv")
	for path, text := range map[string][]byte{
		signing: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}),
		tokens:  []byte("token,admin,1,system:masters\n"),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, peers, api := "http://"+ports[0], "http://"+ports[1], ports[2]
	host, port, err := net.SplitHostPort(api)
	if err != nil {
		t.Fatal(err)
	}
	start(t, dir, etcd, "--data-dir", filepath.Join(dir, "etcd"), "--listen-client-urls", store, "--advertise-client-urls", store,
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers)
	start(t, dir, server, "--etcd-servers", store, "--cert-dir", dir, "--bind-address", host, "--secure-port", port,
		"--service-cluster-ip-range", "10.0.0.0/24", "--token-auth-file", tokens, "--authorization-mode", "RBAC",
		"--service-account-issuer", "https://kubernetes.default", "--service-account-key-file", signing,
		"--service-account-signing-key-file", signing, "--disable-admission-plugins", "ServiceAccount")
	run := func(args ...string) (string, string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, client, append([]string{
			"--kubeconfig", os.DevNull, "--server", "https://" + api, "--insecure-skip-tls-verify", "--token", "token",
		}, args...)...)
		var out, message bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &message
		err := cmd.Run()
		return out.String(), message.String(), err
	}
	deadline := time.Now().Add(2 * time.Minute)
	for {
		_, message, err := run("get", "--raw", "/readyz")
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the API server does not get ready: %v\n%s", err, message)
		}
	}
	return func(args ...string) string {
		t.Helper()
		out, message, err := run(args...)
		if err != nil || strings.Contains(message, "Warning") {
			t.Errorf("kubectl %s: %v\n%s", strings.Join(args, " "), err, message)
		}
		return out
	}
}

// freePorts returns addresses that nobody listens on.
func freePorts(t *testing.T, n int) (list []string) {
	t.Helper()
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close() // at the end: all are different
		list = append(list, listener.Addr().String())
	}
	return list
}

// start starts a program that the test's end ends. Its log is shown where the test fails.
func start(t *testing.T, dir, path string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(dir, filepath.Base(path)+".log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it can have ended
		_ = cmd.Wait()
		log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s:\n%s", filepath.Base(path), text[max(0, len(text)-4000):])
		}
	})
}
