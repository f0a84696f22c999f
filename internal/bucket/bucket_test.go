package bucket

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/agepath/agepath/internal/testing/needs"
)

// asSender makes the test binary send a folder: to be killed on the way.
const asSender = "AGEPATH_TEST_SEND"

// sentFiles are what it sends, in this order: the first one in two parts.
var sentFiles = []string{"knots.arrow", "cells.arrow", "report/report.md", "manifest.json"}

func TestMain(m *testing.M) {
	if dir := os.Getenv(asSender); dir != "" {
		f, err := Open("s3://results/night/run", os.LookupEnv)
		if err == nil {
			f.partSize = 5 << 20
			_, err = f.Put(context.Background(), dir, sentFiles)
		}
		if err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fill writes the files with bytes of a seed.
func fill(t *testing.T, dir string, seed uint64) map[string][]byte {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	files := map[string][]byte{}
	for i, name := range sentFiles {
		body := make([]byte, 100)
		if i == 0 {
			body = make([]byte, 6<<20)
		}
		for j := range body {
			body[j] = byte(random.Uint32())
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, body, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		files[name] = body
	}
	return files
}

// open opens the folder of a store as the test's process sees it.
func open(t *testing.T, s *needs.S3) *Folder {
	t.Helper()
	for _, pair := range s.Env {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	f, err := Open("s3://"+s.Bucket+"/night/run", os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

// objects reads all objects. A store may still be replacing one for a sender that was killed.
func objects(t *testing.T, f *Folder) map[string][]byte {
	t.Helper()
	names, err := f.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	have := map[string][]byte{}
	for _, name := range names {
		path := filepath.Join(t.TempDir(), "object")
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if err = f.Get(t.Context(), name, path); err == nil {
				break
			}
			if time.Since(began) > time.Minute {
				t.Fatal(err)
			}
		}
		if have[name], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return have
}

// send runs a sender, which is killed at its n-th write. It reports whether it was.
func send(t *testing.T, s *needs.S3, dir string, n int64, after bool) bool {
	t.Helper()
	sender := exec.CommandContext(t.Context(), os.Args[0])
	proxy, killed := s.Killing(t, n, after, func() { _ = sender.Process.Kill() }) // kill -9, on systems that have it
	sender.Env = append(append(os.Environ(), s.Env...), asSender+"="+dir, "AWS_ENDPOINT_URL="+proxy.URL)
	text, err := sender.CombinedOutput()
	if err != nil && !killed.Load() {
		t.Fatalf("sending: %v\n%s", err, text)
	}
	proxy.Close() // returns when no request is left
	return killed.Load()
}

// TestKilledSender kills a sender in each of its writes, in the middle of the body and
// after the store's answer, first into an empty folder and then over an older one. Each
// object must be whole or absent, in the order of sending, and the next sender must
// finish what is missing and leave no part behind.
func TestKilledSender(t *testing.T) {
	needs.Patience(t, "10 s")
	s := needs.Store(t)
	f := open(t, s)
	first, second := t.TempDir(), t.TempDir()
	before, after := fill(t, first, 1), fill(t, second, 2)
	for _, round := range []struct {
		dir       string
		old, want map[string][]byte
	}{{first, nil, before}, {second, before, after}} {
		for _, answered := range []bool{false, true} {
			n := int64(1)
			for ; ; n++ {
				for name := range objects(t, f) {
					if err := f.Remove(t.Context(), name); err != nil {
						t.Fatal(err)
					}
				}
				if round.old != nil {
					if _, err := f.Put(t.Context(), first, sentFiles); err != nil {
						t.Fatal(err)
					}
				}
				killed := send(t, s, round.dir, n, answered)
				wantOrder(t, n, objects(t, f), round.old, round.want)
				if !killed {
					break
				}
				send(t, s, round.dir, 0, false)
				wantOrder(t, n, objects(t, f), round.want, round.want)
			}
			if n < 8 { // a start, two parts, an end, three more files
				t.Errorf("%d kills", n-1)
			}
		}
	}
	for upload := range f.client.ListIncompleteUploads(t.Context(), f.bucket, f.prefix, true) {
		t.Errorf("a part of %s is left, %v", upload.Key, upload.Err)
	}
	if sent, err := f.Put(t.Context(), second, sentFiles); err != nil || sent > 0 {
		t.Errorf("sent again: %d, %v", sent, err)
	}
	if err := f.Remove(t.Context(), "cells.arrow"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.client.PutObject(t.Context(), f.bucket, f.prefix+"mine.txt", strings.NewReader("mine"), 4, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(t.Context(), "mine.txt"); err != nil {
		t.Fatal(err)
	}
	names, err := f.List(t.Context())
	if want := []string{"knots.arrow", "manifest.json", "mine.txt", "report/report.md"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("after removing there is %q, want %q, %v", names, want, err)
	}
}

// wantOrder wants the objects up to some place in the order of sending to be the new
// ones, and those behind it to be the old ones or absent.
func wantOrder(t *testing.T, n int64, have, old, want map[string][]byte) {
	t.Helper()
	behind := false
	for _, name := range sentFiles {
		body, there := have[name]
		switch was, had := old[name]; {
		case there && bytes.Equal(body, want[name]):
			if behind {
				t.Errorf("write %d: %s is new before one that is sent earlier", n, name)
			}
		case there == had && bytes.Equal(body, was):
			behind = true
		default:
			t.Errorf("write %d: %s is neither whole nor as before, with %d bytes", n, name, len(body))
		}
	}
}

// TestDamagedObject wants an object whose bytes changed at the store to be refused.
func TestDamagedObject(t *testing.T) {
	s := needs.Store(t)
	f, dir := open(t, s), t.TempDir()
	path := filepath.Join(dir, "cells.arrow")
	if err := os.WriteFile(path, []byte("whole"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Put(t.Context(), dir, []string{"cells.arrow"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "night", "run", "cells.arrow"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.Get(t.Context(), "cells.arrow", path); err == nil || !strings.Contains(err.Error(), "s3://results/night/run/cells.arrow") {
		t.Errorf("other bytes: %v", err)
	}
}

// TestOpen wants URLs and addresses that are none to be refused, with what is allowed.
func TestOpen(t *testing.T) {
	t.Parallel()
	with := func(endpoint string) func(string) (string, bool) {
		return func(name string) (string, bool) { return endpoint, name == "AWS_ENDPOINT_URL" }
	}
	for _, text := range []string{"s3://", "s3:///folder", "s3://b?x", "s3://key@b/f", "s3://b/a//c", "s4://b"} {
		if _, err := Open(text, with("")); err == nil || !strings.Contains(err.Error(), "s3://BUCKET/FOLDER") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, endpoint := range []string{"localhost:9000", "ftp://host", "http://", "https://host/path"} {
		if _, err := Open("s3://bucket/folder", with(endpoint)); err == nil || !strings.Contains(err.Error(), "https://HOST:PORT") {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	for text, want := range map[string]string{"s3://bucket": "s3://bucket/", "s3://bucket/a/b/": "s3://bucket/a/b"} {
		f, err := Open(text, with("http://localhost:9000"))
		if err != nil || f.String() != want {
			t.Errorf("%s: %v, %v", text, f, err)
		}
	}
}

// TestCheck wants a store that cannot be used to be told, with what to do.
func TestCheck(t *testing.T) {
	s := needs.Store(t)
	open(t, s)
	missing, err := Open("s3://another/folder", os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	if refused, err := missing.Check(t.Context()); !refused || !strings.Contains(err.Error(), "create it before") {
		t.Errorf("a bucket that is not there: %v", err)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	wrong, err := Open("s3://results/folder", os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	if refused, err := wrong.Check(t.Context()); !refused || !strings.Contains(err.Error(), "s3://results/folder") {
		t.Errorf("a wrong key: %v", err)
	}
}

// TestCredentials wants those of a file to be found, and none to be refused.
func TestCredentials(t *testing.T) {
	s := needs.Store(t)
	f := open(t, s)
	file := filepath.Join(t.TempDir(), "credentials")
	text := "[default]\naws_access_key_id = agepath\naws_secret_access_key = for-tests-alone\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	f, err := Open(f.String(), os.LookupEnv)
	if err == nil {
		_, err = f.Check(t.Context())
	}
	if err != nil {
		t.Errorf("credentials in a file: %v", err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file+".gone")
	t.Setenv("AWS_CONFIG_FILE", file+".gone")
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/") // in place of the machine's service
	if f, err = Open(f.String(), os.LookupEnv); err != nil {
		t.Fatal(err)
	}
	if refused, err := f.Check(t.Context()); !refused || !strings.Contains(err.Error(), "AWS_SHARED_CREDENTIALS_FILE") {
		t.Errorf("no credentials: %v", err)
	}
}
