// Package run holds the loops of the coordinator and of the worker: computing
// a plan here or on other machines, gathering what was computed, computing one
// cell again. It sees a cell as an id, labels, a cost and bytes; what a cell
// computes is the business of its [experiment.Kind].
//
// # A cell's states
//
//	planned ──publish──► queued ──pull──► running ──result──► gathered ──flush──► durable ──compact──► in cells.arrow
//	                       ▲                 │
//	                       └── interrupted, lost, failed with attempts left, or short of a limit raised since
//
// Whoever resumes starts with the durable cells of the folder; the queue still
// has the results that were not gathered and refuses the tasks that it holds.
package run
