// Package run holds the loops of coordinator and worker: computing a plan here or on other
// machines, gathering results, computing a cell again. What a cell computes is up to its
// [experiment.Kind].
//
// # A cell's states
//
//	planned ──publish──► queued ──pull──► running ──result──► gathered ──flush──► durable ──compact──► in cells.arrow
//	                       ▲                 │
//	                       └── interrupted, lost, failed with attempts left, or at a limit raised since
//
// A resumed run starts with the durable cells of the folder; the queue still has results that were
// not gathered, and refuses tasks that it holds.
package run
