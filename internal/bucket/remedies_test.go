package bucket

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestRemedies tries each remedy that the refusal of a store names.
func TestRemedies(t *testing.T) {
	s := needs.Store(t)
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
	const folder = "s3://results/night/run"
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
		"keys": {folder, nobody, `(AWS_ACCESS_KEY_ID) with (AWS_SECRET_ACCESS_KEY), or`, func(_ *testing.T, match []string) (string, map[string]string) {
			return folder, map[string]string{match[1]: env[match[1]], match[2]: env[match[2]]}
		}},
		"a file of keys": {folder, nobody, `a file that (AWS_SHARED_CREDENTIALS_FILE) names, has them`, func(t *testing.T, match []string) (string, map[string]string) {
			file := filepath.Join(t.TempDir(), "credentials")
			text := "[default]\naws_access_key_id = " + env["AWS_ACCESS_KEY_ID"] + "\naws_secret_access_key = " + env["AWS_SECRET_ACCESS_KEY"] + "\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return folder, map[string]string{match[1]: file}
		}},
		"a bucket": {"s3://another/night", nil, `no bucket (another); create it before`, func(t *testing.T, match []string) (string, map[string]string) {
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
			check := func(url string) error {
				f, err := Open(url, os.LookupEnv)
				if err == nil {
					err = f.Check(t.Context())
				}
				return err
			}
			set(env)
			set(c.env)
			err := check(c.url)
			if err == nil {
				t.Fatal("it is not refused")
			}
			match := regexp.MustCompile(c.says).FindStringSubmatch(err.Error())
			if match == nil {
				t.Fatalf("%q is not in %v", c.says, err)
			}
			url, more := c.remedy(t, match)
			set(more)
			if again := check(url); again != nil {
				t.Errorf("after the remedy of %v: %v", err, again)
			}
		})
	}
}
