//go:build unix

package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/experiment/selfpaced"
)

// The test binary is some programs as well, which this variable names.
const asProgram = "AGEPATH_TEST_PROGRAM"

// killerVariable is the cell that kills the program "worker".
const killerVariable = "AGEPATH_TEST_KILLER"

// asSlot makes the test binary the process of a slot of the program "worker".
const asSlot = "AGEPATH_TEST_SLOT"

// stayVariable, set to anything, makes the program "worker" wait for more work.
const stayVariable = "AGEPATH_TEST_STAY"

// costVariable is how long each cell of the program "worker" takes.
const costVariable = "AGEPATH_TEST_COST"

func TestMain(m *testing.M) {
	if os.Getenv(asSlot) != "" {
		exit(run.ServeSlot(os.Stdin, os.Stdout, []experiment.Kind{standIn{}}))
	}
	if err := os.Setenv("AGEPATH_NO_REUSE", "true"); err != nil { // the user's
		panic(err)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	switch os.Getenv(asProgram) {
	case "worker":
		exit(work(ctx))
	case "loop":
		exit(loop(ctx))
	case "server":
		exit(serve())
	case "configured":
		exit(serveConfigured(ctx))
	case "count":
		exit(count(ctx))
	case "gauged":
		exit(gauged(ctx))
	case "simulated":
		exit(simulated(ctx))
	case "crowd":
		exit(crowd(ctx))
	}
	var err error
	if programs, err = os.MkdirTemp("", "agepath-campaign-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// standIn takes the place of the kind self-paced on workers: its cells take a
// given time and compute nothing.
type standIn struct{ selfpaced.Kind }

func (k standIn) Compute(ctx context.Context, task *experiment.Task, _ experiment.Data) (measures experiment.Batch, further map[string]experiment.Batch, err error) {
	if task.Cell == os.Getenv(killerVariable) {
		_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
		<-ctx.Done()
	}
	if cost, err := time.ParseDuration(os.Getenv(costVariable)); err == nil && cost > 0 {
		timer := time.NewTimer(cost)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return measures, nil, ctx.Err()
		}
	}
	knots, err := standInKnots(1)
	if err != nil {
		return measures, nil, err
	}
	return measures, map[string]experiment.Batch{"knots": knots}, measures.Append(k.Tables().Measures, standInMeasures(knots.Rows)...)
}

// standInKnots are knots of a cell of the stand-in, with scores of 1.
func standInKnots(rows int) (knots experiment.Batch, err error) {
	columns := selfpaced.Tables().Further[0].Columns[1:]
	for i := range rows {
		row := make([]any, len(columns))
		for j, column := range columns {
			switch {
			case column.Name == "age":
				row[j] = float64(i)
			case column.Name == "test_score":
				row[j] = 1.0
			case column.Name == "validation_score":
			case column.Type == experiment.Int:
				row[j] = i
			case column.Type == experiment.Float:
				row[j] = 0.25
			}
		}
		if err := knots.Append(columns, row...); err != nil {
			return knots, err
		}
	}
	return knots, nil
}

// standInMeasures are those of a cell of the stand-in, which fit its knots and its task, a
// regression.
func standInMeasures(knots int) []any {
	known := map[string]any{
		"metric": "rmse", "test_at_best_test": 1.0, "test_mae_at_best_test": 1.0,
		"age_of_best_test": 0.0, "age_reached": float64(knots - 1), "knots": knots, "max_kkt": 0.25,
	}
	var values []any
	for _, column := range selfpaced.Tables().Measures {
		values = append(values, known[column.Name])
	}
	return values
}

// work is a worker whose cells are those of the stand-in. Its arguments are the
// server's URL, the number of slots and the folder of its cache.
func work(ctx context.Context) error {
	slots, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	q, err := queue.Connect(ctx, queue.Config{URL: os.Args[1]})
	if err != nil {
		return err
	}
	defer q.Close()
	w := &run.Worker{
		Queue: q, Kinds: []experiment.Kind{standIn{}}, Slots: slots, Drain: os.Getenv(stayVariable) == "", Cache: os.Args[3],
		Process: func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asSlot+"=1", "GOMAXPROCS=1")
			return cmd
		},
		Report: func(cell string, err error) { fmt.Fprintln(os.Stderr, cell, err) },
	}
	if os.Getenv(tellVariable) != "" {
		stop := make(chan struct{})
		defer close(stop)
		go tell(stop)
	}
	return w.Run(ctx)
}

// loop pulls and acknowledges tasks and does nothing else: the least that any
// worker has to do. Its arguments are the server's URL, the number of slots and
// the run.
func loop(ctx context.Context) error {
	slots, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	nc, err := nats.Connect(os.Args[1])
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make(chan error, slots)
	for range slots {
		group.Go(func() {
			consumer, err := js.Consumer(ctx, "AGEPATH_TASKS", os.Args[3])
			for err == nil {
				var msg jetstream.Msg
				msg, err = consumer.Next(jetstream.FetchMaxWait(time.Second))
				if err == nil {
					err = msg.DoubleAck(ctx)
				}
				if errors.Is(err, nats.ErrTimeout) {
					var info *jetstream.ConsumerInfo
					if info, err = consumer.Info(ctx); err == nil && info.NumPending == 0 {
						return
					}
				}
			}
			errs <- err
		})
	}
	group.Wait()
	close(errs)
	return <-errs
}

// serve is a NATS server on a port, which it tells on its standard output. Its
// argument is its folder.
func serve() error {
	server, err := queue.StartServer(queue.ServerConfig{Dir: os.Args[1], Listen: "127.0.0.1:0"})
	if err == nil {
		err = server.Open()
	}
	if err != nil {
		return err
	}
	fmt.Println(server.URL())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test is over
	server.Shutdown()
	return nil
}

// serveConfigured is a server with the configuration file that its argument names.
func serveConfigured(ctx context.Context) error {
	options, err := server.ProcessConfigFile(os.Args[1])
	if err != nil {
		return err
	}
	options.NoSigs = true
	node, err := server.NewServer(options)
	if err != nil {
		return err
	}
	node.Start()
	<-ctx.Done()
	return nil
}

// itself makes a command that runs the test binary as one of its programs.
func itself(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// write writes a grid of cells that take no time on the stand-in: so many in each of the
// repeats, the constant's among them.
func write(t *testing.T, name string, each, repeats int) string {
	t.Helper()
	text := fmt.Sprintf(`
name: %s
repeats: %d
data: [diabetes]
models: [{lasso: {alpha: {from: 0.001, to: %.3f, step: 0.001}, intercept: true}}]
methods: [original]
keep: {knots: false} # the stand-in has none
`, name, repeats, float64(each-1)/1000)
	path := filepath.Join(t.TempDir(), name+".yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
