package queue

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// startCluster starts three servers that replicate among each other.
// config is the path of a configuration with accounts, "" for none.
func startCluster(t *testing.T, config string) (nodes []*server.Server, urls string) {
	t.Helper()
	addresses := needs.FreePorts(t, 3) // which the servers must know of each other beforehand
	var routes []*url.URL
	for _, address := range addresses {
		routes = append(routes, &url.URL{Scheme: "nats-route", Host: address})
	}
	var clients []string
	for i, address := range addresses {
		at, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		options := new(server.Options)
		if config != "" {
			if options, err = server.ProcessConfigFile(config); err != nil {
				t.Fatal(err)
			}
		}
		options.ServerName, options.Host, options.Port, options.NoSigs, options.NoLog = fmt.Sprintf("node-%d", i), "127.0.0.1", server.RANDOM_PORT, true, true
		options.JetStream, options.StoreDir, options.Routes = true, t.TempDir(), routes
		options.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: at.Port}
		node, err := server.NewServer(options)
		if err != nil {
			t.Fatal(err)
		}
		node.Start()
		t.Cleanup(func() { stop(node) })
		if !node.ReadyForConnections(patience) {
			t.Fatalf("node %d is not ready", i)
		}
		nodes = append(nodes, node)
		clients = append(clients, node.ClientURL())
	}
	b := bundle{t: t}
	b.await("the cluster has a leader and all its nodes", func() bool {
		for _, node := range nodes {
			if node.JetStreamIsLeader() {
				return len(node.JetStreamClusterPeers()) == 3
			}
		}
		return false
	})
	return nodes, strings.Join(clients, ",")
}

// TestCluster runs a sweep on three replicas, one of which goes away.
func TestCluster(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("forms a cluster of three servers")
	}
	nodes, urls := startCluster(t, "")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	connect := func() *Queue {
		q, err := Connect(ctx, Config{URL: urls, Replicas: 3, AckWait: 2 * time.Second, Report: reports(t)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	b := &bundle{t: t, ctx: ctx, Queue: connect()}
	if err := b.EnsureStreams(ctx); err != nil {
		t.Fatal(err)
	}
	const n = 60
	if published, refused, err := b.Publish(ctx, generate("run", n)); published != n || refused != 0 || err != nil {
		t.Fatalf("published %d, refused %d, error %v", published, refused, err)
	}
	if published, refused, err := b.Publish(ctx, generate("run", n)); published != 0 || refused != n || err != nil {
		t.Fatalf("again: published %d, refused %d, error %v", published, refused, err)
	}
	errs := make(chan error)
	for range 4 { // conflicts have another code here
		go func() {
			_, err := b.attempts.record(ctx, "run", "counted", 1, func(c *attemptCounts) { c.Failed++ })
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}

	var group sync.WaitGroup
	half := make(chan bool, n)
	for range 2 {
		worker, err := connect().Worker(WorkerConfig{Idle: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(worker.Close)
		group.Go(func() {
			for pulled := 0; b.counts("run").Done < n; pulled++ {
				waiting, stop := context.WithTimeout(ctx, 3*time.Second)
				d, err := worker.Pull(waiting)
				stop()
				if err != nil {
					t.Log("pull:", err)
					continue
				}
				if d.Delivered == 1 && pulled%5 == 0 {
					if _, err := d.Fail(ctx, of(d, failure("once")), 0); err != nil {
						t.Error(err)
					}
					continue
				}
				if err := d.Done(ctx, of(d, ok())); err != nil {
					t.Log("done:", err)
				}
				half <- true
			}
		})
	}
	for range n / 2 {
		<-half
	}
	for _, node := range nodes { // the one that coordinates the others, to make it worse
		if node.JetStreamIsLeader() {
			stop(node)
			break
		}
	}
	go func() {
		for range half {
		}
	}()
	group.Wait()
	close(half)
	if got := b.results("run"); len(got) != n {
		t.Errorf("%d results, want %d", len(got), n)
	}
	for _, o := range b.results("run") {
		if o.Status != experiment.OK || o.Attempts > 2 {
			t.Errorf("%+v", o)
		}
	}
}

// TestClusterData reads a data set while the server that leads its store is away.
func TestClusterData(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	nodes, urls := startCluster(t, "")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	q, err := Connect(ctx, Config{URL: urls, Replicas: 3, Report: reports(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	if err := q.EnsureStreams(ctx); err != nil {
		t.Fatal(err)
	}
	size := 16 * partSize
	if needs.Long() {
		size = 100 * partSize
	}
	data := noise(size)
	if err := q.PutData(ctx, "digest", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	stream, err := q.js.Stream(ctx, objectsStream+dataBucket)
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes {
		if node.Name() == stream.CachedInfo().Cluster.Leader {
			stop(node)
		}
	}
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	defer cancel()
	q, err = Connect(ctx, Config{URL: urls, Replicas: 3, Report: reports(t)}) // as a run that begins now
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	if err := q.EnsureStreams(ctx); err != nil {
		t.Fatal(err)
	}
	r, err := q.Data(ctx, "digest")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d of %d bytes: %v", len(got), len(data), err)
	}
}
