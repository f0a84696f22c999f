package live

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/agepath/agepath/experiment/run"
)

//go:embed page
var page embed.FS

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const stopWait = 5 * time.Second

// Handler serves the page, its data (/state.json and /scores.json, with ?run=NAME), the files of
// [Config.Tables], /metrics, /healthz (the loop runs) and /readyz (the queue is readable). Without
// NAME, /state.json shows the first run that computes.
func (m *Monitor) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, name := range map[string]string{
		"{$}": "page.html", "theme.js": "theme.js", "page.css": "page.css", "page.js": "page.js", "answer.js": "answer.js", "table.js": "table.js",
	} {
		mux.HandleFunc("GET /"+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeFileFS(w, r, page, "page/"+name)
		})
	}
	mux.HandleFunc("GET /state.json", m.serveState)
	mux.HandleFunc("GET /scores.json", m.serveScores)
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry(), promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", run.AnswerCheck(m.Alive))
	mux.HandleFunc("GET /readyz", run.AnswerCheck(m.Ready))
	if m.config.Tables != nil {
		m.config.Tables.addTo(mux)
	}
	return guarded(mux)
}

// guarded makes browsers keep answers within this page.
func guarded(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		handler.ServeHTTP(w, r)
	})
}

type detail struct {
	*Run
	Details
}

func (m *Monitor) serveState(w http.ResponseWriter, r *http.Request) {
	state := m.State()
	answer := struct {
		Version   string   `json:"version"`
		Connected bool     `json:"connected"`
		Trouble   string   `json:"trouble"`
		Age       *float64 `json:"age"` // seconds since the last good look, null before
		Runs      []*Run   `json:"runs"`
		Run       *detail  `json:"run"` // null for none
		Workers   []Worker `json:"workers"`
	}{
		Version: state.Version, Connected: m.config.Queue.Connected(), Trouble: state.Trouble,
		Runs: state.Runs, Workers: state.Workers,
	}
	if !state.At.IsZero() {
		age := time.Since(state.At).Seconds()
		answer.Age = &age
	}
	if chosen := state.chosen(r.URL.Query().Get("run")); chosen != nil {
		answer.Run = &detail{chosen, chosen.Details}
	}
	writeJSON(w, answer)
}

func writeJSON(w http.ResponseWriter, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the reader may be gone
}

func (m *Monitor) serveScores(w http.ResponseWriter, r *http.Request) {
	run := m.State().named(r.URL.Query().Get("run"))
	if run == nil {
		http.Error(w, "the server has no such run", http.StatusNotFound)
		return
	}
	writeJSON(w, struct {
		Run      string `json:"run"`
		Revision string `json:"revision"`
		*Scores
	}{run.Name, run.Revision, run.Scores})
}

func (s *State) named(name string) *Run {
	if i := slices.IndexFunc(s.Runs, func(r *Run) bool { return r.Name == name }); i >= 0 {
		return s.Runs[i]
	}
	return nil
}

// chosen returns the run with a name, else the first with work, else the first; nil without runs.
func (s *State) chosen(name string) *Run {
	for _, wanted := range []func(*Run) bool{
		func(r *Run) bool { return r.Name == name },
		func(r *Run) bool { return r.Phase == Computing },
		func(r *Run) bool { return r.Phase == Waiting || r.Phase == InTurn },
		func(*Run) bool { return true },
	} {
		if i := slices.IndexFunc(s.Runs, wanted); i >= 0 {
			return s.Runs[i]
		}
	}
	return nil
}

// Serve serves listener, which it closes, until ctx ends, and then lets current requests finish.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           local(listener, handler),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	stopped := make(chan error, 1)
	end := context.AfterFunc(ctx, func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
		defer cancel()
		stopped <- errors.Join(server.Shutdown(stopping), server.Close())
	})
	err := server.Serve(listener)
	if end() { // the listener failed
		return fmt.Errorf("serving on %s: %w", listener.Addr(), errors.Join(err, server.Close()))
	}
	if err := <-stopped; err != nil {
		return fmt.Errorf("stopping the server on %s: %w", listener.Addr(), err)
	}
	return nil
}

// local refuses requests for other host names if only this machine can reach the listener: another
// site could point its own name here and read what is shown.
func local(listener net.Listener, handler http.Handler) http.Handler {
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok || !address.IP.IsLoopback() {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if host != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil {
			http.Error(w, fmt.Sprintf("the host %q is not served: it is for this machine alone, as localhost", host), http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

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
