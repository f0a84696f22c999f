package needs

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// S3 is an S3-compatible store that runs during a test.
type S3 struct {
	URL    string // of the server
	Bucket string
	Dir    string // of the bucket, with objects as files
	Env    []string
}

// Store starts versitygw on a folder, with an empty bucket. Extended attributes keep an object's
// metadata and change together with it.
func Store(t testing.TB) *S3 {
	t.Helper()
	program := versitygw(t)
	root := t.TempDir()
	address := FreePorts(t, 1)[0]
	s := &S3{URL: "http://" + address, Bucket: "results", Dir: filepath.Join(root, "results"), Env: []string{
		"AWS_ACCESS_KEY_ID=agepath", "AWS_SECRET_ACCESS_KEY=for-tests-alone", "AWS_REGION=us-east-1", "AWS_ENDPOINT_URL=http://" + address,
	}}
	if err := os.Mkdir(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), program, "--access", "agepath", "--secret", "for-tests-alone", "--port", address, "posix", root)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	server.Stdout, server.Stderr = log, log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { // ends with the server
		_ = server.Wait() // killed
		close(ended)
	}()
	t.Cleanup(func() {
		<-ended
		log.Close()
	})
	for {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			answer.Body.Close()
			return s
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ended: // without extended attributes, for example
			text, _ := os.ReadFile(log.Name())
			Lacking(t, "versitygw has ended:\n%s", text)
		}
	}
}

// versitygw returns the path of the program: from the PATH, else from the user's cache, where
// AGEPATH_REQUIRE_ALL=1 builds it once.
func versitygw(t testing.TB) string {
	t.Helper()
	const pkg, version = "github.com/versity/versitygw/cmd/versitygw", "v1.8.0"
	if found, err := exec.LookPath("versitygw"); err == nil {
		return found
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		Lacking(t, "storing objects: no folder to keep versitygw in: %v", err)
	}
	dir := filepath.Join(cache, "agepath-test", "versitygw-"+version)
	program := filepath.Join(dir, "versitygw")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if os.Getenv(requireAll) != "1" {
		Lacking(t, "storing objects: no versitygw in the PATH; %s=1 builds it once, two minutes, as does go install %s@%s", requireAll, pkg, version)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "go", "install", pkg+"@"+version)
	install.Env = append(os.Environ(), "GOBIN="+dir, "CGO_ENABLED=0")
	install.Dir = filepath.Dir(cache) // of no module
	if out, err := install.CombinedOutput(); err != nil {
		Lacking(t, "storing objects: versitygw cannot be built: %v\n%s", err, out)
	}
	return program
}

type hit struct{}

// Killing returns a proxy that kills a sender at its n-th writing request: in the middle of its
// body, or after the store has answered. killed reports whether it did.
func (s *S3) Killing(t testing.TB, n int64, after bool, kill func()) (proxy *httptest.Server, killed *atomic.Bool) {
	t.Helper()
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	killed = &atomic.Bool{}
	end := func() {
		killed.Store(true)
		kill()
	}
	isHit := func(r *http.Request) bool { return r.Context().Value(hit{}) != nil }
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // which is signed
			if isHit(r.In) && !after {
				r.Out.Body = io.NopCloser(&half{body: r.In.Body, left: r.In.ContentLength / 2, end: end})
			}
		},
		ModifyResponse: func(r *http.Response) error {
			if isHit(r.Request) && after {
				end()
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	var writes atomic.Int64
	proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead && writes.Add(1) == n {
			r = r.WithContext(context.WithValue(r.Context(), hit{}, true))
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy, killed
}

// half calls end after some bytes and then reads on.
type half struct {
	body io.Reader
	left int64
	end  func()
}

func (h *half) Read(p []byte) (int, error) {
	if h.left <= 0 && h.end != nil {
		h.end()
		h.end = nil
	}
	if h.left > 0 {
		p = p[:min(int64(len(p)), h.left)]
	}
	n, err := h.body.Read(p)
	h.left -= int64(n)
	return n, err
}
