// Package queue carries tasks to workers and outcomes back over NATS
// JetStream. It knows a cell as an id, labels, a cost and bytes; what a cell
// computes is not its business. The embedded server and a remote cluster are
// served by the same code, for servers from 2.9 on.
//
// # Streams
//
//	AGEPATH_TASKS     agepath.task.RUN.CELL     work queue: one message a cell, gone when acknowledged;
//	                  agepath.task.RUN+commands.CELL  those that bring a command
//	AGEPATH_RESULTS   agepath.result.RUN.CELL   the newest outcome of each cell
//	AGEPATH_ATTEMPTS  agepath.attempt.RUN.CELL  how the deliveries of a cell have ended so far
//	AGEPATH_DEAD      agepath.dead.RUN.CELL     tasks given up because their workers died of them
//	AGEPATH_WORKERS   agepath.worker.NAME       what each worker does, forgotten after a minute
//	AGEPATH_QUARANTINE agepath.quarantine.RUN.CELL messages that did not pass, see [Queue.Sift]
//	AGEPATH_DATA      Object Store              data sets by digest
//	AGEPATH_OUTCOMES  Object Store              outcomes too large for a message
//
// Each run has a durable consumer of AGEPATH_TASKS, named like the run and made by
// [Queue.Publish], and one named RUN+commands where it has tasks that bring a command: only
// workers that run commands pull from it. Workers find the consumers by listing them. They
// give the owners of runs the same time of their slots, see [Config]. AGEPATH_TASKS begins with one message that is no task
// and stays, agepath.task.$.anchor: it keeps long queues fast.
//
// # A task's way
//
//	Publish ──► queued ──Pull──► in flight ──Done──► result stored, then acknowledged
//	              ▲                 │
//	              │                 ├─ Release: handed back, uses up no attempt
//	              │                 ├─ Fail: counted; handed back, or the result when attempts are used up;
//	              │                 │        handed back when its run has a higher limit by now
//	              └─────────────────┴─ heartbeats stop (worker gone): redelivered after AckWait
//
// While a task is queued or in flight, publishing its cell again is refused;
// once it is acknowledged the cell is accepted again, so whoever resumes a run
// first asks [Queue.Done] what is there already and queues the rest by
// [Queue.PublishAgain]: a cell that got its result in between is not computed again.
//
// What workers are told of a whole run, that it is paused and its limits now, stands in
// the description of its consumer, see [Orders]. A worker asks for it when a task
// arrives and it was not told for [WorkerConfig.Idle].
//
// An acknowledgement is no proof of ownership: a worker that was believed lost
// can still finish. Results are therefore stored before the acknowledgement
// and one per cell, and a redelivered task whose result is there is
// acknowledged without computing it again. A redelivery notes in AGEPATH_ATTEMPTS
// that it is begun. A task of which [WorkerConfig.MaxDeaths] workers died, all
// but the first for certain, becomes a dead letter and a failed outcome; a
// delivery that got lost on its way to a worker is no death. A worker computes one
// task at a time that a worker may have died of.
//
// A slot has a [Batches]. For long cells it pulls one task at a time, and none ahead:
// what is fetched ahead waits while other workers have nothing to do. Short cells
// are pulled and settled several at a time ([Batches.Pull], [Puller.Done]), which
// costs the server and the worker a fraction: one request, results sent one after
// the other, and one confirmed acknowledgement for all. Heartbeats begin with a
// third of AckWait; before that a task in flight costs a timer.
//
// Servers before
// 2.10 can number a redelivery 1 when a request expires at that moment
// (nats-server 2.9.25, consumer.loopAndGatherMsgs); such a task is computed
// once too often and given up one delivery later, nothing worse.
package queue
