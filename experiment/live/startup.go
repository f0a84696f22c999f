package live

import (
	"net/http"
	"sync/atomic"

	"github.com/agepath/agepath/experiment/run"
)

// StartupHandler answers requests from the start of a program on, which can come before
// the queue can be reached: until it is opened /healthz says that the program
// goes on, and everything else that it waits (status 503). The zero value is
// closed.
type StartupHandler struct{ inside atomic.Pointer[http.Handler] }

// Open has requests answered by a handler.
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
		w.Header().Set("Refresh", "2") // a browser shows the page as soon as there is one
		http.Error(w, "waiting for the NATS server", http.StatusServiceUnavailable)
	}
}
