package run

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/agepath/agepath/experiment/queue"
)

// hangsAfter is the silence after which a worker's loop counts as hanging.
const hangsAfter = 6 * queue.PresenceEvery

// Health is the state of a worker, safe for concurrent use; the zero value is not started.
type Health struct {
	puller atomic.Pointer[queue.Puller]
	beat   atomic.Int64 // last announcement, Unix ns
}

func (h *Health) begin(puller *queue.Puller) {
	h.alive()
	h.puller.Store(puller)
}

func (h *Health) alive() { h.beat.Store(time.Now().UnixNano()) }

// Alive returns an error if a running worker's loop was silent for half a minute: only a restart
// helps.
func (h *Health) Alive() error {
	if silent := time.Since(time.Unix(0, h.beat.Load())); h.puller.Load() != nil && silent > hangsAfter {
		return fmt.Errorf("the loop that pulls tasks has not run for %v", silent.Round(time.Second))
	}
	return nil
}

// Ready returns an error unless the worker is connected and has listed the runs.
func (h *Health) Ready() error {
	puller := h.puller.Load()
	if puller == nil {
		return errors.New("the worker does not pull tasks")
	}
	return puller.Ready()
}

// Handler answers /healthz by [Health.Alive] and /readyz by [Health.Ready].
func (h *Health) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", AnswerCheck(h.Alive))
	mux.HandleFunc("GET /readyz", AnswerCheck(h.Ready))
	return mux
}

// AnswerCheck answers a health check: 200, or 503 with the error's text.
func AnswerCheck(check func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if err := check(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	}
}
