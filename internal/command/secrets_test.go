package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/spf13/cobra"

	"github.com/agepath/agepath/internal/testing/needs"
)

// secret is in every URL of these tests, as a password, a token or a part of
// them.
const secret = "hunter2"

// malformed are URLs that an error of net/url or of the client library would
// quote, or whose secret a redaction by parsing would miss.
var malformed = map[string]string{
	"bad escape":               "nats://u:hunter2%zz@127.0.0.1",
	"bad escape in a token":    "nats://hunter2%zz@127.0.0.1",
	"slash in the password":    "nats://u:a/hunter2@127.0.0.1",
	"number and slash":         "nats://u:12/hunter2@127.0.0.1",
	"hash in the password":     "tls://u:12#hunter2@127.0.0.1",
	"question mark":            "ws://u:12?hunter2@127.0.0.1",
	"comma in the password":    "nats://u:12,hunter2@127.0.0.1",
	"comma, one more server":   "nats://127.0.0.1:1,nats://u:x,hunter2@127.0.0.1",
	"second of three":          "nats://a,nats://u:hunter2%@b,nats://c",
	"space in the password":    "nats://u:a hunter2@127.0.0.1",
	"space in a token, no //":  "a hunter2@127.0.0.1",
	"no host":                  "nats://u:hunter2",
	"nothing after @":          "nats://u:hunter2@",
	"one slash":                "nats:/u:hunter2@127.0.0.1",
	"no colon":                 "nats//u:hunter2@127.0.0.1",
	"no scheme":                "://u:hunter2@127.0.0.1",
	"another scheme":           "http://u:hunter2@127.0.0.1",
	"quotation marks":          `"nats://u:hunter2@127.0.0.1"`,
	"IPv6 without ]":           "nats://u:hunter2@[::1",
	"IPv6 without brackets":    "tls://u:hunter2@::1",
	"port is a word":           "nats://u:hunter2@127.0.0.1:nats",
	"port too large":           "nats://u:hunter2@127.0.0.1:70000",
	"path":                     "wss://u:hunter2@127.0.0.1/hunter2",
	"bracket in the password":  "nats://u:[hunter2@127.0.0.1",
	"line end in the password": "nats://u:hunter2\n@127.0.0.1",
}

// wellFormed are URLs of a server that is not there, or lets nobody in.
func wellFormed(address string) map[string]string {
	return map[string]string{
		"password":            "nats://u:hunter2@" + address,
		"no scheme":           "u:hunter2@" + address,
		"token":               "nats://hunter2@" + address,
		"token, no scheme":    "hunter2@" + address,
		"token with colon":    "nats://hunter2:@" + address,
		"password alone":      "nats://:hunter2@" + address,
		"@ in the password":   "nats://u:a@hunter2@" + address,
		"escaped":             "nats://u:%68unter2%40@" + address,
		"several, with space": "nats://u:hunter2@" + address + ", nats://hunter2@" + address,
		"slash at the end":    "nats://u:hunter2@" + address + "/",
	}
}

// told runs a program that wants a connection, with everything logged, and
// returns all that it says.
func told(t *testing.T, env map[string]string, args ...string) (code int, text string) {
	t.Helper()
	var said bytes.Buffer
	root := &cobra.Command{Use: "coordinator", Short: "A program."}
	base := New(root, Streams{Out: &said, Err: &said, Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok }})
	base.NATS.AddTo(root.PersistentFlags())
	group := Group(&cobra.Command{Use: "group"})
	login := &cobra.Command{Use: "login [RUN]", Args: Arguments("[RUN]"), RunE: func(cmd *cobra.Command, _ []string) error {
		q, err := base.NATS.Connect(cmd.Context(), "test", func(err error) { base.Log.Warn(err.Error()) })
		if err == nil {
			q.Close()
		}
		return err
	}}
	root.AddCommand(group, login)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	code = base.Execute(ctx, root, args)
	return code, said.String()
}

// TestNoSecretIsTold gives URLs with passwords and tokens in every way there is
// and wants none of these in what the program says.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	closed := needs.FreePorts(t, 1)[0]
	guarded := serve(t, &server.Options{Users: []*server.User{{Username: "anna", Password: "other"}}})
	check := func(t *testing.T, text string) {
		t.Helper()
		if text == "" || strings.Contains(text, secret) || strings.Contains(text, "unter2") {
			t.Errorf("the program says\n%s", text)
		}
	}
	all := func(t *testing.T, url string, want int) {
		for _, format := range []string{"text", "json"} {
			flags := []string{"login", "--log-level", "debug", "--log-format", format, "--connect-wait", "60ms"}
			config := write(t, fmt.Sprintf("nats: %q\n", url))
			for _, way := range []struct {
				env  map[string]string
				args []string
			}{
				{nil, append(flags, "--nats", url)},
				{nil, append(flags, "--config", config)},
				{map[string]string{"AGEPATH_NATS_URL": url}, flags},
			} {
				code, text := told(t, way.env, way.args...)
				if code != want {
					t.Errorf("exit status %d, want %d", code, want)
				}
				check(t, text)
				_, text = told(t, way.env, append(way.args, "--help")...)
				check(t, text)
			}
		}
		// In a place where it does not belong.
		for _, args := range [][]string{{"login", url}, {"login", "run", url}, {"group", url}, {"login", "--" + natsFlag + "x", url}} {
			code, text := told(t, nil, args...)
			if code != ExitRefused {
				t.Errorf("%s: exit status %d", args[:1], code)
			}
			check(t, text)
		}
	}
	for name, url := range malformed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all(t, url, ExitRefused)
		})
	}
	for _, address := range []string{closed, guarded} {
		for name, url := range wellFormed(address) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				all(t, url, ExitFailed)
			})
		}
	}
}

// TestMalformedIsExplained wants an error about a URL to say which and what is
// allowed, without quoting it.
func TestMalformedIsExplained(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		malformed["second of three"]:       "--nats: URL 2 of 3 cannot be read; nats://HOST:PORT is allowed",
		malformed["number and slash"]:      "--nats: the URL has more after the host and port",
		malformed["comma in the password"]: "--nats: URL 2 of 2 has a user and no scheme, or is the rest of a password with a comma",
		malformed["another scheme"]:        "--nats: the URL has another scheme",
		malformed["port too large"]:        "--nats: the URL has a port that is not from 1 to 65535",
		malformed["nothing after @"]:       "--nats: the URL has no host",
		"nats://a,,b":                      "--nats: URL 2 of 3 is empty",
	} {
		if _, text := told(t, nil, "login", "--nats", url); !strings.Contains(text, want) || !strings.Contains(text, "@ as %40") {
			t.Errorf("%s: the program says %s, want %s", url, text, want)
		}
	}
}

// TestExposedFiles wants a warning for each file with a secret that everyone
// can read or change, naming file and mode, and none for others.
func TestExposedFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode bits of files")
	}
	_, seed := newUser(t)
	_, creds, _ := operated(t)
	authority := newAuthority(t)
	cert, key := authority.issue("127.0.0.1", 24*time.Hour)
	address := "nats://" + needs.FreePorts(t, 1)[0]
	for flag, c := range map[string]struct {
		path  string
		flags []string
	}{
		"--password-file": {write(t, secret), []string{"--user", "anna"}},
		"--nkey":          {seed, nil},
		"--creds":         {creds, nil},
		"--tls-key":       {key, []string{"--tls-cert", cert}},
	} {
		for mode, want := range map[os.FileMode]string{
			0o600: "", 0o400: "", 0o440: "", 0o640: "",
			0o644: "every user of this machine can read the secret in it (mode 0644)",
			0o444: "every user of this machine can read the secret in it (mode 0444)",
			0o602: "every user of this machine can change the secret in it (mode 0602)",
		} {
			if err := os.Chmod(c.path, mode); err != nil {
				t.Fatal(err)
			}
			link := filepath.Join(t.TempDir(), "link") // as a Secret of Kubernetes is mounted
			if err := os.Symlink(c.path, link); err != nil {
				t.Fatal(err)
			}
			_, text := told(t, nil, append([]string{"login", "--nats", address, flag, link}, c.flags...)...)
			if want == "" && strings.Contains(text, "every user") || want != "" && !strings.Contains(text, flag+" "+link+": "+want) || strings.Contains(text, secret) {
				t.Errorf("%s, mode %o: the program says\n%s", flag, mode, text)
			}
			if want != "" && !strings.Contains(text, "level=WARN") {
				t.Errorf("%s, mode %o: no warning: %s", flag, mode, text)
			}
		}
	}
}
