package live

import (
	"net/http"
	"sync/atomic"

	"github.com/agepath/agepath/experiment/run"
)

// StartupHandler answers requests from a program's start, when the queue may not be reachable.
// Until it is opened, /healthz answers that the program runs, everything else that it waits (status
// 503). The zero value is closed.
type StartupHandler struct{ inside atomic.Pointer[http.Handler] }

// Open passes further requests to handler.
func (h *StartupHandler) Open(handler http.Handler) { h.inside.Store(&handler) }

// ServeHTTP implements [http.Handler].
func (h *StartupHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch handler := h.inside.Load(); {
	case handler != nil:
		(*handler).ServeHTTP(w, r)
	case r.URL.Path == "/healthz":
		run.AnswerCheck(func() error { return nil })(w, r)
	default:
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Refresh", "2") // reloads a browser until there is a page
		http.Error(w, "waiting for the NATS server", http.StatusServiceUnavailable)
	}
}
