package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

func TestMain(m *testing.M) {
	command.ServeSlot(experiment.Kinds())                                // the test binary is the program of the slots, too
	if os.Getenv(asProgram) != "" || os.Getenv("AGEPATH_HIDDEN") != "" { // before and after it began again
		main()
	}
	os.Exit(m.Run())
}

// asProgram makes the test binary run as the worker.
const asProgram = "AGEPATH_TEST_AS_WORKER"

// do runs a command line in this process with the given environment.
func do(t *testing.T, ctx context.Context, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = execute(ctx, args, command.Streams{
		Out: &out, Err: &err,
		Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok },
	})
	return code, out.String(), err.String()
}

func TestBadUsage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want []string
	}{
		"no server":     {nil, nil, []string{"worker: no NATS server", "--nats URL", "AGEPATH_NATS_URL"}},
		"argument":      {nil, []string{"grid.yaml"}, []string{`unexpected argument "grid.yaml"`, "only flags"}},
		"unknown flag":  {nil, []string{"--workers", "3"}, []string{"unknown flag: --workers", "--slots"}},
		"health":        {nil, []string{"--nats", "x", "--health", "8481"}, []string{"--health", "host:port"}},
		"no slots":      {nil, []string{"--slots", "0"}, []string{`--slots: "0" is not allowed`, "1 to 1024"}},
		"slots of text": {map[string]string{"AGEPATH_SLOTS": "all"}, nil, []string{`AGEPATH_SLOTS: "all" is not allowed`}},
		"drain of text": {map[string]string{"AGEPATH_DRAIN": "perhaps"}, nil, []string{`AGEPATH_DRAIN: "perhaps" is not allowed; true and false are`}},
		"until":         {nil, []string{"--until", "tomorrow"}, []string{`--until: "tomorrow" is not allowed`, "seconds since 1970"}},
		"past":          {nil, []string{"--nats", "x", "--until", "2020-01-31T18:00:00Z"}, []string{"--until 2020-01-31T18:00:00Z has passed"}},
		"past job":      {map[string]string{"SLURM_JOB_END_TIME": "1600000000"}, []string{"--nats", "x"}, []string{"2020-09-13", "has passed"}},
		"bad job":       {map[string]string{"SLURM_JOB_END_TIME": "soon"}, []string{"--nats", "x"}, []string{`SLURM_JOB_END_TIME: "soon"`}},
		"credentials":   {map[string]string{"AGEPATH_NATS_URL": "x", "AGEPATH_CREDS": "/gone"}, nil, []string{"--creds", "/gone"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, message := do(t, t.Context(), c.env, c.args...)
			if code != command.ExitRefused || out != "" || !strings.HasPrefix(message, "worker: ") {
				t.Errorf("exit status %d: %s%s", code, out, message)
			}
			for _, want := range c.want {
				if !strings.Contains(message, want) {
					t.Errorf("the message does not say %q: %s", want, message)
				}
			}
		})
	}
}

// TestUnreachable wants exit status 1 where there is no server, for a worker that
// is not to wait for one.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	code, _, message := do(t, t.Context(), map[string]string{"AGEPATH_NATS_URL": nowhere}, "--drain", "--connect-wait", "0s")
	if code != command.ExitFailed || !strings.Contains(message, "127.0.0.1:1") {
		t.Errorf("exit status %d: %s", code, message)
	}
}

// nowhere is an address without a server.
const nowhere = "nats://127.0.0.1:1"

// cutter ends a context when the program logs that it is working, or that no
// server answers.
type cutter struct {
	bytes.Buffer
	cut context.CancelFunc
}

func (c *cutter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("working")) || bytes.Contains(p, []byte("trying again for as long as it takes")) {
		c.cut()
	}
	return c.Buffer.Write(p)
}

// TestEnd wants exit status 0 from --drain where nothing is queued and where a
// signal ends the worker, before it found a server too, but 130 where it ends one
// that drains.
func TestEnd(t *testing.T) {
	t.Parallel()
	server := testqueue.Server(t, "127.0.0.1:0")
	env := map[string]string{"AGEPATH_NATS": server.URL()}
	if err := testqueue.Connect(t, queue.Config{URL: server.URL()}).EnsureStreams(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code, _, message := do(t, t.Context(), env, "--drain", "--slots", "1"); code != command.ExitDone || !strings.Contains(message, "the queue is empty") {
		t.Errorf("drain: exit status %d: %s", code, message)
	}
	q := testqueue.Connect(t, queue.Config{URL: server.URL()})
	tasks := func(yield func(experiment.Task, error) bool) {
		_ = yield(experiment.Task{Run: "run", Cell: "a"}, nil) && yield(experiment.Task{Run: "run", Cell: "b"}, nil)
	}
	_, _, err := q.Publish(t.Context(), tasks)
	if err == nil {
		_, err = q.Pause(t.Context(), "run")
	}
	if err != nil {
		t.Fatal(err)
	}
	if code, _, message := do(t, t.Context(), env, "--drain", "--slots", "1"); code != command.ExitDone || !strings.Contains(message, "empty but for 2 cells of paused runs") {
		t.Errorf("a paused run: exit status %d: %s", code, message)
	}
	if err := q.Purge(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(6 * time.Second).Format(time.RFC3339)
	if code, _, message := do(t, t.Context(), env, "--until", soon, "--slots", "1"); code != command.ExitDone || !strings.Contains(message, "the time was over") {
		t.Errorf("until: exit status %d: %s", code, message)
	}
	for _, c := range []struct {
		url  string
		args []string
		code int
		want string
	}{
		{server.URL(), []string{"--log-format", "json"}, command.ExitDone, "ended by a signal"},
		{server.URL(), []string{"--drain"}, command.ExitInterrupted, "before the queue was empty"},
		{nowhere, nil, command.ExitDone, "before a NATS server answered"},
		{nowhere, []string{"--drain"}, command.ExitInterrupted, "interrupted"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		log := &cutter{cut: cancel}
		code := execute(ctx, append(c.args, "--nats", c.url), command.Streams{
			Out: io.Discard, Err: log, Env: func(string) (string, bool) { return "", false },
		})
		if text := log.String(); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("signal with %v at %s: exit status %d: %s", c.args, c.url, code, text)
		}
	}
}

// TestConfigIsReadAgain has a file of a coordinator that ended: another one writes its own address
// there, and the worker that tries the former finds it.
func TestConfigIsReadAgain(t *testing.T) {
	t.Parallel()
	server := testqueue.Server(t, "127.0.0.1:0")
	file := filepath.Join(t.TempDir(), "worker.yaml")
	put := func(url string) {
		if err := os.WriteFile(file, []byte("nats: "+url+"\n"), 0o600); err != nil {
			t.Error(err)
		}
	}
	put(nowhere)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log := &cutter{cut: func() { put(server.URL()) }}
	code := execute(ctx, []string{"--drain", "--slots", "1", "--config", file}, command.Streams{
		Out: io.Discard, Err: log, Env: func(string) (string, bool) { return "", false },
	})
	if code != command.ExitDone || !strings.Contains(log.String(), "the queue is empty") {
		t.Errorf("exit status %d: %s", code, log)
	}
}
