package main

import (
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestNoSecretIsKept has every command, and a worker, log in by a password or a
// token in the URL and wants these in nothing that is printed, logged, served,
// written into the results or sent to the server.
func TestNoSecretIsKept(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	const secret = "hunter2"
	for name, c := range map[string]struct {
		options server.Options
		user    string
	}{
		"password": {server.Options{Users: []*server.User{{Username: "anna", Password: secret}}}, "anna:" + secret},
		"token":    {server.Options{Authorization: secret}, secret},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			options := c.options
			options.Host, options.Port, options.NoSigs, options.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
			options.JetStream, options.StoreDir = true, filepath.Join(dir, "store")
			node, err := server.NewServer(&options)
			if err != nil {
				t.Fatal(err)
			}
			node.Start()
			stop := func() {
				node.Shutdown()
				node.WaitForShutdown()
			}
			defer stop()
			if !node.ReadyForConnections(10 * time.Second) {
				t.Fatal("the server is not ready")
			}
			url := "nats://" + c.user + "@" + node.Addr().String()
			with := func(args ...string) []string {
				return append(args, "--nats", url, "--log-level", "debug")
			}
			var said strings.Builder
			note := func(o outcome) outcome {
				said.WriteString(o.out + o.err)
				return o
			}

			write(t, dir, "data.csv", table)
			grid := write(t, dir, "grid.yaml", "name: secret\nrepeats: 3\n"+dataGrid)
			run, _, _ := strings.Cut(note(must(t, with("submit", grid)...)).out, ":")
			s := startServe(t, with()...)
			s.await("readyz", http.StatusOK, "ok")
			var worker bytes.Buffer
			cmd := exec.CommandContext(t.Context(), builtWorker(t), with("--drain", "--cache", filepath.Join(dir, "cache"))...)
			cmd.Stdout, cmd.Stderr = &worker, &worker
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, &worker)
			}
			note(outcome{out: worker.String()})
			for _, path := range []string{"", "metrics", "state.json"} {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				_, body := get(t, ctx, s.address+path)
				cancel()
				note(outcome{out: body})
			}
			s.wantEnd()
			out, again := filepath.Join(dir, "out"), filepath.Join(dir, "again")
			for _, args := range [][]string{
				{"plan", grid, "--out", out}, {"status"}, {"status", run}, {"collect", run, "--out", out}, {"report", out}, {"retry", run}, {"cancel", run},
				{"purge", run}, {"run", grid, "--out", again}, {"report", again, "--format", "html"},
			} {
				env := map[string]string{"AGEPATH_NATS_URL": url, "AGEPATH_LOG_LEVEL": "debug"}
				if args[0] != "plan" && args[0] != "report" { // these have no flags of a server
					args = with(args...)
				}
				if o := note(doWith(t, t.Context(), env, args...)); o.code != command.ExitDone {
					t.Fatalf("%q: exit status %d\n%s", args, o.code, o.err)
				}
			}
			note(do(t, with("status", "nosuchrun")...))
			stop()
			note(do(t, with("status")...))

			if strings.Contains(said.String(), secret) {
				t.Errorf("said:\n%s", said.String())
			}
			files := contents(t, dir)
			for path, text := range files {
				if strings.Contains(text, secret) {
					t.Errorf("%s holds the secret", path)
				}
			}
			if files["out/manifest.json"] == "" || files["again/manifest.json"] == "" || len(files) < 20 {
				t.Errorf("only %d files were looked at", len(files))
			}
		})
	}
}
