package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
)

const (
	// completionWait is how long a completion asks the server.
	completionWait = 2 * time.Second
	// mostOffered bounds the cells that a completion offers.
	mostOffered = 100
)

// completeName offers names of the catalog that are not there yet.
func (a *catalog) completeName(_ *cobra.Command, args []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []string
	for _, entry := range dataset.Catalog() {
		if !slices.Contains(args, entry.Name) {
			names = append(names, entry.Name)
		}
	}
	return command.Words(names, begin)
}

// completeRun offers the runs of the server.
func (a *atServer) completeRun(cmd *cobra.Command, _ []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return command.Words(a.ask(cmd.Context(), func(ctx context.Context, q *queue.Queue) []string {
		runs, _ := q.List(ctx)
		return names(runs)
	}), begin)
}

// completeCell offers cells of the run, or of the folder, that the first argument names.
func (a *atServer) completeCell(cmd *cobra.Command, args []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if argument := args[0]; cmd.Name() == "replay" {
		cells, _ := results.CellsBeginning(cmd.Context(), argument, begin, mostOffered)
		return command.Words(cells, begin)
	}
	return command.Words(a.ask(cmd.Context(), func(ctx context.Context, q *queue.Queue) (cells []string) {
		run, err := findRun(ctx, q, args[0])
		if err != nil {
			return nil
		}
		for ended, err := range q.Done(ctx, run) {
			if err != nil || len(cells) == mostOffered {
				return cells
			}
			if !slices.Contains(args, ended.Cell) {
				cells = append(cells, beginning([]string{ended.Cell}, begin)...)
			}
		}
		return cells
	}), begin)
}

// ask asks the server for names. It returns none where that fails, for whatever reason,
// or takes long.
func (a *atServer) ask(ctx context.Context, find func(context.Context, *queue.Queue) []string) []string {
	ctx, cancel := context.WithTimeout(ctx, completionWait)
	defer cancel()
	found := make(chan []string, 1)
	go func() { // ends soon after ctx
		q, err := a.NATS.Connect(ctx, "agepath completion", func(error) {})
		if err != nil {
			found <- nil
			return
		}
		found <- find(ctx, q)
		q.Close()
	}()
	select {
	case names := <-found:
		return names
	case <-ctx.Done():
		return nil
	}
}
