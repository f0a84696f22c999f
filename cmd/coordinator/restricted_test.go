package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestRestricted runs a sweep on a server with the accounts of deploy/k8s/nats. A viewer
// sees failed cells and their reasons. A coordinator that
// comes as the worker's user has to say what it lacks, and end.
func TestRestricted(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"permissions.conf", "accounts.conf"} {
		text, err := os.ReadFile("../../deploy/k8s/nats/" + name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, string(text))
	}
	write(t, dir, "users.conf", "COORDINATOR_PASSWORD: c0\nWORKER_PASSWORD: w0\nVIEWER_PASSWORD: v0\n")
	options, err := server.ProcessConfigFile(write(t, dir, "nats.conf",
		"include \"accounts.conf\"\njetstream {store_dir: \""+filepath.ToSlash(filepath.Join(dir, "store"))+"\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	options.Host, options.Port, options.NoSigs, options.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	node, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	node.Start()
	t.Cleanup(func() {
		node.Shutdown()
		node.WaitForShutdown()
	})
	if !node.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server is not ready")
	}
	login := func(user, password string) []string {
		return []string{"--nats", node.ClientURL(), "--user", user, "--password-file", write(t, dir, user+".password", password+"\n")}
	}
	asCoordinator, asWorker := login("coordinator", "c0"), append(login("worker", "w0"), "--jetstream-domain", "agepath")
	as := func(user []string, args ...string) []string { return append(args, user...) }

	write(t, dir, "data.csv", table)
	grid := write(t, dir, "grid.yaml", "repeats: 3\n"+dataGrid)
	run, _, _ := strings.Cut(must(t, as(asCoordinator, "submit", grid)...).out, ":")
	var said bytes.Buffer
	worker := exec.CommandContext(t.Context(), builtWorker(t), as(asWorker, "--drain", "--slots", "2", "--cache", filepath.Join(dir, "cache"))...)
	worker.Stderr = &said
	if err := worker.Run(); err != nil || strings.Contains(said.String(), "permission") {
		t.Fatalf("worker: %v\n%s", err, &said)
	}
	out := filepath.Join(dir, "out")
	if o := must(t, as(asCoordinator, "collect", run, "--out", out)...); !strings.Contains(o.out, "6 of 6 cells have ended (6 ok), gathered in "+out) {
		t.Errorf("collect prints %s", o.out)
	}
	asViewer := append(login("viewer", "v0"), "--jetstream-domain", "agepath", "--inbox-prefix", "_INBOX_agepath_viewer")
	if o := must(t, as(asViewer, "status", run)...); !strings.Contains(o.out, run) || strings.Contains(o.err, "permission") {
		t.Errorf("status as the viewer prints\n%s%s", o.out, o.err)
	}
	hasty := write(t, dir, "hasty.yaml", "name: hasty\nseed: 7\nlimits: {timeout: 1ns, attempts: 1}\n"+dataGrid)
	must(t, as(asCoordinator, "submit", hasty)...)
	if text, err := exec.CommandContext(t.Context(), builtWorker(t), as(asWorker, "--drain", "--cache", filepath.Join(dir, "cache"))...).CombinedOutput(); err != nil {
		t.Fatalf("worker: %v\n%s", err, text)
	}
	for _, user := range [][]string{asCoordinator, asViewer} {
		if o := must(t, as(user, "status")...); !strings.Contains(o.out, "timeout") || strings.Contains(o.err, "permission") {
			t.Errorf("status with failed cells prints\n%s%s", o.out, o.err)
		}
	}
	for _, args := range [][]string{{"status"}, {"retry", run}, {"cancel", run}, {"purge", run}, {"run", grid, "--out", filepath.Join(dir, "again"), "--workers", "2"}} {
		if o := must(t, as(asCoordinator, args...)...); strings.Contains(o.err, "permission") {
			t.Errorf("%s says\n%s", args[0], o.err)
		}
	}

	// What the messages advise: the domain for workers and viewers, the permissions of its program for a user.
	asViewer = append(login("viewer", "v0"), "--inbox-prefix", "_INBOX_agepath_viewer")
	o := do(t, as(asViewer, "status")...)
	domain := regexp.MustCompile(`workers and viewers need (--jetstream-domain) (agepath)`).FindStringSubmatch(o.err)
	if o.code != command.ExitFailed || domain == nil {
		t.Fatalf("status without the domain: exit status %d\n%s", o.code, o.err)
	}
	must(t, as(append(asViewer, domain[1:]...), "status")...)
	o = do(t, as(append(asWorker, "--inbox-prefix", "_INBOX_agepath_worker"), "submit", grid, "--set", "repeats=4")...)
	if o.code != command.ExitFailed || !strings.Contains(o.err, `"$JS.agepath.API.`) || !strings.Contains(o.err, "this user lacks a permission") {
		t.Errorf("submit as the worker's user: exit status %d\n%s", o.code, o.err)
	}
	o = do(t, as(asWorker, "status")...)
	if o.code != command.ExitFailed || !strings.Contains(o.err, `Subscription to "_INBOX_agepath_coordinator`) {
		t.Errorf("status as the worker's user: exit status %d\n%s", o.code, o.err)
	}
	asDora := login("dora", "d0")
	give := func(permissions string) {
		t.Helper()
		accounts, err := os.ReadFile(filepath.Join(dir, "accounts.conf"))
		if err != nil {
			t.Fatal(err)
		}
		const first = "{user: coordinator,"
		write(t, dir, "nats.conf", strings.Replace(string(accounts), first, "{user: dora, password: d0, permissions: "+permissions+"}\n"+first, 1)+"jetstream {store_dir: \""+filepath.ToSlash(filepath.Join(dir, "store"))+"\"}\n")
		granting, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
		if err == nil {
			granting.Host, granting.Port, granting.NoSigs, granting.NoLog = options.Host, options.Port, true, true
			err = node.ReloadOptions(granting)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	give("{publish: {deny: [\"$JS.API.STREAM.INFO.OBJ_AGEPATH_DATA\"]}}")
	asked := as(asDora, "submit", grid, "--set", "repeats=5")
	o = do(t, asked...)
	file := regexp.MustCompile(`this user lacks a permission; (\S+/permissions\.conf) has those of each program`).FindStringSubmatch(o.err)
	if o.code != command.ExitFailed || file == nil {
		t.Fatalf("without a permission: exit status %d\n%s", o.code, o.err)
	}
	if text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file[1]))); err != nil || !strings.Contains(string(text), "\nAGEPATH_COORDINATOR: {") {
		t.Fatal(err)
	}
	give("$AGEPATH_COORDINATOR")
	must(t, asked...)
}
