package live

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/agepath/agepath/experiment/queue"
)

var described []*prometheus.Desc

func metric(name, help string, labels ...string) *prometheus.Desc {
	desc := prometheus.NewDesc("agepath_"+name, help, labels, nil)
	described = append(described, desc)
	return desc
}

// The metrics are documented in docs/operations.md.
var (
	cellsMetric      = metric("cells", "Cells of a run that have ended and are not queued again, by status.", "run", "status")
	plannedMetric    = metric("cells_planned", "Cells of the grid of a run.", "run")
	tasksMetric      = metric("queue_tasks", "Tasks of a run that are queued, running or dead.", "run", "state")
	openMetric       = metric("open_tasks", "Cells of a run that need workers, queued or running; 0 while the run is paused.", "run")
	rateMetric       = metric("cells_per_second", "Recent rate of a run; 0 while nothing is queued or running.", "run")
	etaMetric        = metric("eta_seconds", "Estimated time left of a run; absent before 1 % of its work is done.", "run")
	durationMetric   = metric("cell_duration_seconds", "Elapsed time of the last attempt of each cell of a run.", "run")
	workersMetric    = metric("workers", "Workers heard of in the last minute: working, idle, stopping or lost.", "state")
	slotsMetric      = metric("worker_slots", "Slots of workers that are not lost, busy or free.", "state")
	connectedMetric  = metric("nats_connected", "1 while the NATS server can be reached, else 0.")
	lookedMetric     = metric("last_look_timestamp_seconds", "When the queue was last read, Unix time; 0 before.")
	quarantineMetric = metric("quarantined_messages", "Messages of a run that did not pass the checks of results and are in the quarantine.", "run")
	refusedMetric    = metric("refused_worker_messages", "Messages of the last minute that pose as a worker's.")
	failedMetric     = metric("failed_looks_total", "How often the queue could not be read.")
	buildMetric      = metric("build_info", "1, with the version of this program.", "version")
)

func (m *Monitor) registry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(m, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector())
	return r
}

// Describe implements [prometheus.Collector].
func (m *Monitor) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range described {
		out <- desc
	}
}

// Collect implements [prometheus.Collector]. It uses the newest state, so that removed runs
// disappear.
func (m *Monitor) Collect(out chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	state := m.State()
	for _, r := range state.Runs {
		for status, n := range r.Statuses {
			gauge(cellsMetric, float64(n), r.Name, string(status))
		}
		gauge(plannedMetric, float64(r.Cells), r.Name)
		gauge(tasksMetric, float64(r.Queued), r.Name, "queued")
		gauge(tasksMetric, float64(r.Running), r.Name, "running")
		gauge(tasksMetric, float64(r.Dead), r.Name, "dead")
		open := r.Queued + r.Running
		if r.Phase == Paused {
			open = 0
		}
		gauge(openMetric, float64(open), r.Name)
		gauge(quarantineMetric, float64(r.Quarantined), r.Name)
		gauge(rateMetric, r.Rate, r.Name)
		if r.ETA != nil {
			gauge(etaMetric, *r.ETA, r.Name)
		}
		out <- prometheus.MustNewConstHistogram(durationMetric, r.durations.count, r.durations.seconds, r.durations.upTo, r.Name)
	}
	workers := map[string]int{queue.Working: 0, queue.Idle: 0, queue.Stopping: 0, queue.Lost: 0}
	slots, busy := 0, 0
	for _, w := range state.Workers {
		workers[w.State]++
		if w.State != queue.Lost {
			slots += w.Slots
			busy += len(w.Running)
		}
	}
	for state, n := range workers {
		gauge(workersMetric, float64(n), state)
	}
	gauge(slotsMetric, float64(busy), "busy")
	gauge(slotsMetric, float64(max(0, slots-busy)), "free")
	connected := 0.0
	if m.config.Queue.Connected() {
		connected = 1
	}
	gauge(connectedMetric, connected)
	looked := 0.0
	if !state.At.IsZero() {
		looked = float64(state.At.UnixMilli()) / 1000
	}
	gauge(lookedMetric, looked)
	gauge(refusedMetric, float64(state.Refused))
	out <- prometheus.MustNewConstMetric(failedMetric, prometheus.CounterValue, float64(m.failed.Load()))
	gauge(buildMetric, 1, m.config.Version)
}
