// Package live watches the runs of a queue and shows them: a page, metrics for Prometheus and
// health checks. It changes nothing.
//
// A [Monitor] looks at the queue every two seconds in one goroutine. Of each run it keeps counters
// by data set and method, the data of the report's answer, the slowest cells and the newest
// failures, all with texts of bounded length. Memory per cell is about 100 bytes if not ok
// ([queue.FailureIndex]), else 17, plus up to 300 for each of the first 300,000. Results of cells
// outside the plan are only counted. Each outcome is read once, without knots and coefficients.
//
// [Tables] offers the tables of runs as files. It reads each outcome of a run of the queue once,
// with knots and coefficients, into a temporary folder, and keeps about 100 bytes a cell.
//
// An outcome that replaces another, as after a retry, is not recognized by itself: that would need
// a memory of every cell. Once more outcomes were counted than cells have one, the run is read
// again from the start. Until then the counters by data set and method are out of date; the numbers
// of the run are not.
package live
