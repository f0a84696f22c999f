// Package queue carries tasks to workers and outcomes back over NATS JetStream. A cell is an id,
// labels, a cost and bytes. The code serves the embedded server and remote clusters, from server
// version 2.9 on.
//
// # Streams
//
//	AGEPATH_TASKS     agepath.task.RUN.CELL     work queue: one message per cell, removed when acknowledged;
//	                  agepath.task.RUN+commands.CELL  tasks that bring a command
//	AGEPATH_RESULTS   agepath.result.RUN.CELL   newest outcome of each cell
//	AGEPATH_ATTEMPTS  agepath.attempt.RUN.CELL  how deliveries of a cell ended
//	AGEPATH_DEAD      agepath.dead.RUN.CELL     tasks given up because their workers died
//	AGEPATH_WORKERS   agepath.worker.NAME       what each worker does; kept for a minute
//	AGEPATH_QUARANTINE agepath.quarantine.RUN.CELL rejected messages, see [Queue.Sift]
//	AGEPATH_DATA      Object Store              data sets by digest
//	AGEPATH_OUTCOMES  Object Store              outcomes too large for a message
//
// [Queue.Publish] gives each run a durable consumer of AGEPATH_TASKS named RUN, and one named
// RUN+commands for tasks that bring a command. Workers list the consumers to find them.
// AGEPATH_TASKS begins with a permanent message, agepath.task.$.anchor, which keeps long queues
// fast.
//
// # Life of a task
//
//	Publish ──► queued ──Pull──► in flight ──Done──► result stored, then acknowledged
//	              ▲                 │
//	              │                 ├─ Release: handed back, uses up no attempt
//	              │                 ├─ Fail: counted; handed back while attempts are left or when
//	              │                 │        the run's limit has been raised; otherwise the result
//	              └─────────────────┴─ heartbeats stop (worker gone): redelivered after AckWait
//
// The server refuses a cell whose task is queued or in flight, and accepts it again once the task
// is acknowledged. To resume a run, ask [Queue.Done] for the finished cells and queue the rest by
// [Queue.PublishAgain]: a cell that got its result in between is not computed again.
//
// The description of a run's consumer holds its [Orders]: pause and limits. A worker reads them
// when a task arrives and its copy is older than [WorkerConfig.Idle].
//
// An acknowledgement does not prove ownership: a worker presumed lost can still finish. Results are
// therefore stored before the acknowledgement, one per cell, and a redelivered task with a result
// is acknowledged without computing it again. A redelivery is recorded in AGEPATH_ATTEMPTS before
// it is computed. After [WorkerConfig.MaxDeaths] deaths, the first presumed, a task becomes a dead
// letter and a failed outcome; a delivery lost on its way is no death. A worker computes one
// suspected task at a time.
//
// A slot pulls one task, or as many short ones as are expected to take 50 ms. What turns out not to
// be short among them is handed back, as a task that waits for a long one would while other workers
// are idle. Heartbeats begin after a third of AckWait.
//
// Servers before 2.10 can number a redelivery 1 when a request expires at that moment (nats-server
// 2.9.25, consumer.loopAndGatherMsgs). Such a task is computed once more and given up one delivery
// later.
package queue
