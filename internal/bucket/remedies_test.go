package bucket

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestRemedies tries each remedy that the refusal of a store names.
func TestRemedies(t *testing.T) {
	s := needs.Store(t)
	const folder = "s3://results/night/run"
	env := map[string]string{}
	for _, pair := range s.Env {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	none := filepath.Join(t.TempDir(), "none")
	nobody := map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SHARED_CREDENTIALS_FILE": none, "AWS_CONFIG_FILE": none,
		"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/", // in place of the machine's service
	}
	host := strings.TrimPrefix(s.URL, "http://")
	own := func(_ *testing.T, match []string) (string, map[string]string) {
		return folder, map[string]string{match[1]: env[match[1]], match[2]: env[match[2]]}
	}
	change := func(value string) func(t *testing.T, match []string) (string, map[string]string) {
		return func(_ *testing.T, match []string) (string, map[string]string) {
			return folder, map[string]string{match[1]: value}
		}
	}
	// The remedy finds its values in the match of says.
	for name, c := range map[string]struct {
		url    string
		env    map[string]string
		says   string
		remedy func(t *testing.T, match []string) (url string, env map[string]string)
	}{
		"a URL": {"s3://key@results/night", nil, `(s3://BUCKET/FOLDER) is`, func(_ *testing.T, match []string) (string, map[string]string) {
			return strings.NewReplacer("BUCKET", "results", "FOLDER", "night").Replace(match[1]), nil
		}},
		"a server": {folder, map[string]string{"AWS_ENDPOINT_URL": host}, `(AWS_ENDPOINT_URL) without it, is .* allowed is https(://HOST:PORT), or (http)`,
			func(_ *testing.T, match []string) (string, map[string]string) {
				return folder, map[string]string{match[1]: match[3] + strings.Replace(match[2], "HOST:PORT", host, 1)}
			}},
		"a server for S3": {folder, map[string]string{"AWS_ENDPOINT_URL_S3": host}, `(AWS_ENDPOINT_URL_S3), .* allowed is https(://HOST:PORT), or (http)`,
			func(_ *testing.T, match []string) (string, map[string]string) {
				return folder, map[string]string{match[1]: match[3] + strings.Replace(match[2], "HOST:PORT", host, 1)}
			}},
		"keys":           {folder, nobody, `(AWS_ACCESS_KEY_ID) with (AWS_SECRET_ACCESS_KEY), or`, own},
		"another secret": {folder, map[string]string{"AWS_SECRET_ACCESS_KEY": "wrong"}, `signature .*; (AWS_ACCESS_KEY_ID) with (AWS_SECRET_ACCESS_KEY), or`, own},
		"another key":    {folder, map[string]string{"AWS_ACCESS_KEY_ID": "wrong"}, `access key ID; (AWS_ACCESS_KEY_ID) with (AWS_SECRET_ACCESS_KEY), or`, own},
		"another region": {folder, map[string]string{"AWS_REGION": "eu-west-1"}, `(AWS_REGION) has to be that of the store`, change(env["AWS_REGION"])},
		"without TLS":    {folder, map[string]string{"AWS_ENDPOINT_URL": "https://" + host}, `(AWS_ENDPOINT_URL) without it, has to begin with http:`, change(s.URL)},
		"a file of keys": {folder, nobody, `a file that (AWS_SHARED_CREDENTIALS_FILE) names, has to hold`, func(t *testing.T, match []string) (string, map[string]string) {
			file := filepath.Join(t.TempDir(), "credentials")
			text := "[default]\naws_access_key_id = " + env["AWS_ACCESS_KEY_ID"] + "\naws_secret_access_key = " + env["AWS_SECRET_ACCESS_KEY"] + "\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return folder, map[string]string{match[1]: file}
		}},
		"a bucket": {"s3://another/night", nil, `s3://(another)/night: .*; create it before`, func(t *testing.T, match []string) (string, map[string]string) {
			if err := os.Mkdir(filepath.Join(filepath.Dir(s.Dir), match[1]), 0o755); err != nil {
				t.Fatal(err)
			}
			return "s3://another/night", nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			set := func(env map[string]string) {
				for name, value := range env {
					t.Setenv(name, value)
				}
			}
			set(env)
			set(c.env)
			err := check(t, c.url)
			if err == nil {
				t.Fatal("it is not refused")
			}
			match := regexp.MustCompile(c.says).FindStringSubmatch(err.Error())
			if match == nil {
				t.Fatalf("%q is not in %v", c.says, err)
			}
			url, more := c.remedy(t, match)
			set(more)
			if again := check(t, url); again != nil {
				t.Errorf("after the remedy of %v: %v", err, again)
			}
		})
	}
}

func check(t *testing.T, url string) error {
	t.Helper()
	f, err := Open(url, os.LookupEnv)
	if err == nil {
		_, err = f.Check(t.Context())
	}
	return err
}

// TestRemedyOfClock sets the clock of a machine that is years slow: in the bubble all but the store have another clock.
func TestRemedyOfClock(t *testing.T) {
	s := needs.Store(t)
	f, now := open(t, s), time.Now()
	synctest.Test(t, func(t *testing.T) {
		if err := check(t, f.String()); err == nil || !strings.Contains(err.Error(), "; set this machine's clock") {
			t.Errorf("%v: %v", time.Now(), err)
		}
		time.Sleep(time.Until(now))
		if err := check(t, f.String()); err != nil {
			t.Errorf("%v: %v", time.Now(), err)
		}
	})
}

// front makes a server that passes requests on to a store.
func front(t *testing.T, s *needs.S3) *httptest.Server {
	t.Helper()
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // which is signed
	}})
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	return server
}

// TestRemediesOfTLS gives a store's address with https, and the authority of its certificate to a process of its own.
func TestRemediesOfTLS(t *testing.T) {
	needs.Patience(t, "8 s")
	s := needs.Store(t)
	open(t, s)
	secure := front(t, s)
	secure.StartTLS()
	const folder = "s3://results/night/run"
	t.Setenv("AWS_ENDPOINT_URL", strings.Replace(secure.URL, "https", "http", 1))
	err := check(t, folder)
	if err == nil || !strings.Contains(err.Error(), "AWS_ENDPOINT_URL without it, has to begin with https") {
		t.Errorf("http: %v", err)
	}
	t.Setenv("AWS_ENDPOINT_URL", secure.URL)
	err = check(t, folder)
	if err == nil || !strings.Contains(err.Error(), "SSL_CERT_FILE has to name a file with the certificate of its authority") {
		t.Errorf("https: %v", err)
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("its authorities are the system's")
	}
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "authority.pem")
	fill(t, dir, 1)
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	sender := exec.CommandContext(t.Context(), os.Args[0])
	sender.Env = append(os.Environ(), asSender+"="+dir, "SSL_CERT_FILE="+file)
	if text, err := sender.CombinedOutput(); err != nil {
		t.Errorf("with SSL_CERT_FILE: %v: %s", err, text)
	}
}

// TestRemediesOfNoStore corrects the address of a store, and starts one there.
func TestRemediesOfNoStore(t *testing.T) {
	needs.Patience(t, "8 s")
	s := needs.Store(t)
	f := open(t, s)
	const says = "; start the store, or correct AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL without it"
	address := needs.FreePorts(t, 1)[0]
	t.Setenv("AWS_ENDPOINT_URL", "http://"+address)
	nobody, err := Open(f.String(), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	if refused, err := nobody.Check(t.Context()); err == nil || refused || !strings.Contains(err.Error(), says) { // asking again may help
		t.Errorf("nobody: %v, %v", refused, err)
	}
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	if err := check(t, f.String()); err != nil {
		t.Error(err)
	}
	t.Setenv("AWS_ENDPOINT_URL", "http://"+address)
	started := front(t, s)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	started.Listener.Close()
	started.Listener = listener
	started.Start()
	if err := check(t, f.String()); err != nil {
		t.Error(err)
	}
}
