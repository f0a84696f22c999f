//go:build unix

package campaign

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/internal/testing/needs"
)

// node is a server of a cluster, which can be stopped and started again.
type node interface {
	start(t *testing.T)
	stop()
}

// place is where a node of a cluster is.
type place struct {
	name            string
	clients, routes string // host:port
	dir             string
	all             []string // the routes of all nodes
}

const nodes = 3

// places reserves ports and folders for the nodes of a cluster.
func places(t *testing.T) []place {
	t.Helper()
	free := needs.FreePorts(t, 2*nodes)
	list := make([]place, nodes)
	for i := range list {
		list[i] = place{name: fmt.Sprintf("node-%d", i), clients: free[i], routes: free[nodes+i], dir: t.TempDir(), all: free[nodes:]}
	}
	return list
}

func address(t *testing.T, hostPort string) *net.TCPAddr {
	t.Helper()
	a, err := net.ResolveTCPAddr("tcp", hostPort)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// embedded is a node in this process.
type embedded struct {
	place
	server *server.Server
}

func (n *embedded) start(t *testing.T) {
	t.Helper()
	options := &server.Options{
		ServerName: n.name, Host: "127.0.0.1", Port: address(t, n.clients).Port, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: n.dir,
		Cluster: server.ClusterOpts{Name: "campaign", Host: "127.0.0.1", Port: address(t, n.routes).Port, NoAdvertise: true},
	}
	for _, route := range n.all {
		options.Routes = append(options.Routes, &url.URL{Scheme: "nats-route", Host: route})
	}
	var err error
	if n.server, err = server.NewServer(options); err != nil {
		t.Fatal(err)
	}
	n.server.Start()
	if !n.server.ReadyForConnections(time.Minute) {
		t.Fatalf("%s is not ready", n.name)
	}
}

func (n *embedded) stop() {
	n.server.Shutdown()
	n.server.WaitForShutdown()
}

// program is a node in a process of its own.
type program struct {
	place
	path string
	kill bool // end it by SIGKILL
	cmd  *exec.Cmd
	log  bytes.Buffer
}

func (n *program) start(t *testing.T) {
	t.Helper()
	config := filepath.Join(n.dir, "nats.conf")
	text := fmt.Sprintf(`
server_name: %s
listen: %q
jetstream { store_dir: %q }
cluster { name: campaign, listen: %q, no_advertise: true, routes: [%s] }
`, n.name, n.clients, n.dir, n.routes, `"nats-route://`+strings.Join(n.all, `", "nats-route://`)+`"`)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n.cmd = exec.Command(n.path, "-c", config)
	n.cmd.Stderr = &n.log
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, n.name+" listens", func() bool {
		conn, err := net.Dial("tcp", n.clients)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

func (n *program) stop() {
	signal := syscall.SIGTERM
	if n.kill {
		signal = syscall.SIGKILL
	}
	n.kill = !n.kill // the one and the other
	_ = n.cmd.Process.Signal(signal)
	_ = n.cmd.Wait()
}

// startCluster starts three nodes, in this process or of a program.
func startCluster(t *testing.T, path string) (list []node, addresses []string) {
	t.Helper()
	for _, at := range places(t) {
		var n node = &embedded{place: at}
		if path != "" {
			n = &program{place: at, path: path}
		}
		n.start(t)
		list = append(list, n)
		addresses = append(addresses, at.clients)
	}
	return list, addresses
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.NewTimer(3 * time.Minute)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
