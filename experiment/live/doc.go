// Package live watches the runs of a queue and shows them: a page for people,
// metrics for Prometheus, and health checks. It reads and changes nothing.
//
// A [Monitor] looks at the queue every two seconds in one goroutine and keeps,
// of each run, counters by data set and method, what a report's answer is made of, the slowest cells
// and the newest failures, all with texts of bounded length. Its
// memory grows by about 100 bytes for each cell that is not ok ([queue.FailureIndex]), by
// 17 for the others, and by up to 300 for each of the first 300,000. Results of cells that the plan does not have are counted alone. Outcomes are read once each, in instalments, without knots and
// coefficients.
//
// [Tables] offers the tables of runs as files. Of a run of the queue it reads each outcome once
// with its knots and coefficients, into a temporary folder, and keeps about 100 bytes a cell.
//
// An outcome that replaces another one, after a retry for example, cannot be
// told from a first one without remembering every cell. It is noticed because
// then more outcomes were counted than cells have one, and the run is read
// again from the start. Meanwhile the counters by data set and method show what
// was read before; the numbers of the run do not lag.
package live
