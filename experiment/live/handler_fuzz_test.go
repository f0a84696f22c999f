package live

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzHandler answers any requests of the page, its data and the tables of a run that goes on and of one that has ended.
func FuzzHandler(f *testing.F) {
	b := newBed(f)
	b.submit("a", 1)
	going, ended := newGoing(f), newGoing(f)
	going.add(3)
	ended.add(3)
	if err := ended.store.Compact(f.Context(), ended.order); err != nil {
		f.Fatal(err)
	}
	var failed error
	tables := NewTables(map[string]string{"going": going.dir, "ended": ended.dir}, func(err error) { failed = err })
	f.Cleanup(func() { _ = tables.Close() })
	m := b.monitor()
	m.config.Tables = tables
	b.await(m, "a run", func(s *State) bool { return len(s.Runs) == 1 })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	listener.Close()
	h := local(listener, m.Handler())
	for _, line := range []string{
		"GET /", "HEAD /page.js", "GET /state.json?run=a", "GET /scores.json?run=%00", "GET /metrics", "GET /readyz", "GET /runs", "GET /runs/going",
		"GET /runs/ended/cells.arrow", "GET /runs/going/doses.parquet", "GET /runs/../ended/cells.arrow", "GET /runs/%2e%2e%2fended/cells.parquet",
		"GET /runs/ended/..%2fmanifest.arrow", "POST /runs/ended", "GET //runs//ended", "OPTIONS *",
	} {
		for _, header := range []string{"", "Range: bytes=0-7, -9\r\n", "If-None-Match: *\r\n", "If-Range: \"x\"\r\nRange: bytes=5-\r\nAccept-Encoding: gzip\r\n"} {
			f.Add([]byte(line + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n"))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
		if err != nil {
			return
		}
		failed = nil
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r.WithContext(t.Context()))
		body, err := io.ReadAll(w.Result().Body)
		switch status := w.Code; {
		case err != nil || failed != nil:
			t.Fatalf("%v; %v", err, failed)
		case status >= 500 && r.URL.Path != "/readyz" && r.URL.Path != "/healthz":
			t.Fatalf("status %d: %s", status, body)
		case status != http.StatusForbidden && w.Header().Get("Content-Security-Policy") != policy:
			t.Fatalf("status %d without the policy", status)
		case status == http.StatusForbidden && strings.Contains(string(body), "ARROW1"):
			t.Fatal("refused, and answered")
		}
	})
}
