// Command own computes grids with a custom method and loss in addition to agepath's:
//
//	own grid.yaml           computes the grid into the folder out and reports it
//	own --worker NATS-URL   computes cells that such a program submits
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/experiment/selfpaced"
	_ "github.com/agepath/agepath/experiment/selfpaced/evaluation" // of reports
	"github.com/agepath/agepath/rehline"
	"github.com/agepath/agepath/results/report"
)

func register() {
	selfpaced.RegisterMethod(selfpaced.OwnMethod{
		Name: "trimmed", Version: 1, Models: []string{selfpaced.Lasso, selfpaced.Ridge}, Fit: trimmed,
	})
	selfpaced.RegisterLoss(selfpaced.OwnLoss{
		Name: "twice", Task: dataset.Regression, Parameter: "delta", Standard: 1,
		Make: func(y []float64, delta float64) rehline.Loss { return rehline.Huber(y, delta/2) },
	})
}

func main() {
	register()
	kinds := []experiment.Kind{selfpaced.Kind{}}
	var err error
	switch {
	case os.Getenv("OWN_SLOT") != "": // a process that this program started for a slot
		err = run.ServeSlot(os.Stdin, os.Stdout, kinds)
	case len(os.Args) == 3 && os.Args[1] == "--worker":
		err = work(os.Args[2], kinds)
	case len(os.Args) != 2:
		err = errors.New("usage: own GRID, or own --worker NATS-URL")
	default:
		err = compute(os.Args[1], kinds[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func slot() *exec.Cmd {
	cmd := exec.Command(os.Args[0]) //nolint:noctx // the worker ends it
	cmd.Env = append(os.Environ(), "OWN_SLOT=1")
	return cmd
}

func work(url string, kinds []experiment.Kind) error {
	q, err := queue.Connect(context.Background(), queue.Config{URL: url})
	if err != nil {
		return err
	}
	defer q.Close()
	worker := &run.Worker{Queue: q, Kinds: kinds, Process: slot, Cache: filepath.Join(os.TempDir(), "own-cells"), Drain: true}
	return worker.Run(context.Background())
}

func compute(path string, kind experiment.Kind) error {
	grid, err := experiment.ParseFile(path, nil)
	if err != nil {
		return err
	}
	plan, err := grid.Plan(context.Background(), &dataset.Library{})
	if err != nil {
		return err
	}
	coordinator := &run.Coordinator{Grid: grid, Plan: plan, Kind: kind, Out: "out", Workers: 1, Process: slot}
	if _, err := coordinator.Run(context.Background()); err != nil {
		return err
	}
	r, err := report.Write(context.Background(), "out", report.Options{})
	if err != nil {
		return err
	}
	return report.Text{}.Write(os.Stdout, r)
}
