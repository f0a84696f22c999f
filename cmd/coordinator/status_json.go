package main

import (
	"context"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/live"
	"github.com/agepath/agepath/experiment/queue"
)

func (a *atServer) writeStatus(ctx context.Context, q *queue.Queue, names []string) error {
	looked, workers, refused, err := lookAt(ctx, q, names, map[string]*watch{})
	if err != nil {
		return err
	}
	runs := []object{}
	for _, w := range looked {
		last, err := newestQuarantined(ctx, q, w.Name)
		if err != nil {
			return err
		}
		runs = append(runs, runStatus(w, last, workers))
	}
	return a.writeJSON(object{
		"runs": runs, "workers": live.DescribeWorkers(workers, time.Now()), "refused_worker_messages": refused,
	})
}

func runStatus(w *watch, last []*queue.Quarantined, workers []queue.Presence) object {
	now, ended := &w.Standing, object{}
	for _, status := range experiment.Statuses {
		ended[string(status)] = now.Ended[status]
	}
	newest := []object{}
	for _, found := range last {
		newest = append(newest, object{"time": found.Time.UTC().Format(time.RFC3339), "subject": found.Subject, "reason": found.Reason})
	}
	damaged := ""
	if w.Damaged != nil {
		damaged = w.Damaged.Error()
	}
	unable := []object{}
	for _, missing := range w.Lacks(workers, time.Now()) {
		unable = append(unable, object{"name": missing.Name, "version": missing.Version, "text": missing.Text})
	}
	return object{
		"run": w.Name, "owner": now.Owner, "priority": now.Priority, "state": live.Phase(now, w.Open), "cells": now.Cells, "statuses": ended,
		"running": now.Running, "queued": now.Queued, "not_queued": now.Unqueued, "dead": now.Dead,
		"quarantined": now.Quarantined, "strays": now.Strays, "newest_quarantined": newest, "damaged": damaged, "no_worker_for": unable, "reasons": w.reasons,
	}
}
