package mutation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// long is the environment variable that has mutations tried. Its value is a
// regular expression of their names, or 1 for all.
const long = "AGEPATH_MUTATIONS"

// patience bounds the tests of one mutation. A test that waits for what no longer
// comes has noticed.
const patience = 20 * time.Minute

// root is the folder of the module.
const root = "../.."

// mutation is a change that takes something away, and the tests that have to
// notice.
type mutation struct {
	name     string
	file     string
	from, to string // a text that is in the file once, and what takes its place
	tests    string // the package, and after a blank a regular expression of the tests
}

// all returns the mutations here and those of wings, which are in their testdata/mutations.yaml.
func all(t *testing.T) []mutation {
	t.Helper()
	list := slices.Clone(mutations)
	paths, err := filepath.Glob(filepath.Join(root, "*", "testdata", "mutations.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		var own []struct{ Name, File, From, To, Tests string }
		if err == nil {
			err = yaml.Unmarshal(text, &own)
		}
		if err != nil || len(own) == 0 {
			t.Fatalf("%s: %d mutations, %v", path, len(own), err)
		}
		for _, m := range own {
			list = append(list, mutation{m.Name, m.File, m.From, m.To, m.Tests})
		}
	}
	return list
}

// packages and run return the arguments of go test.
func (m *mutation) packages() string { return strings.Fields(m.tests)[0] }
func (m *mutation) run() string      { return strings.Fields(m.tests)[1] }

// mutated returns the file with the change.
func (m *mutation) mutated() (string, error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.from); n != 1 {
		return "", fmt.Errorf("%s has the text %d times, not once; the mutation has to follow the code:\n%s", m.file, n, m.from)
	}
	return strings.Replace(string(text), m.from, m.to, 1), nil
}

// TestMutationsApply wants every mutation to fit the code as it is.
func TestMutationsApply(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, m := range all(t) {
		if _, err := m.mutated(); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		if names[m.name] || len(strings.Fields(m.tests)) != 2 || m.from == m.to {
			t.Errorf("%s: its name is taken, it changes nothing, or its tests are not a package and an expression: %q", m.name, m.tests)
		}
		names[m.name] = true
	}
}

// TestMutations tries one mutation after the other and fails where no test
// notices. The files are left alone: the compiler is told to read others.
func TestMutations(t *testing.T) {
	chosen := os.Getenv(long)
	if chosen == "" {
		t.Skipf("takes half an hour; %s=1 tries all mutations, another value those whose names it matches", long)
	}
	if chosen == "1" {
		chosen = ""
	}
	which, err := regexp.Compile(chosen)
	if err != nil {
		t.Fatalf("%s: %v", long, err)
	}
	var table []string
	whole := map[string]bool{}
	for _, m := range all(t) {
		if !which.MatchString(m.name) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			if !whole[m.tests] { // what fails without a mutation notices none
				output, err := goTest(t, "", m.packages(), m.run())
				if err != nil || !regexp.MustCompile(`(?m)^(=== RUN|--- PASS)`).MatchString(output) {
					t.Fatalf("without a mutation, go test %s: %v\n%s", m.tests, err, output)
				}
				whole[m.tests] = true
			}
			text, err := m.mutated()
			if err != nil {
				t.Fatal(err)
			}
			output, err := goTest(t, overlay(t, m.file, text), m.packages(), m.run())
			noticed := failed(output)
			switch {
			case err == nil:
				t.Errorf("survives: no test of %s fails", m.tests)
			case len(noticed) == 0:
				t.Errorf("no test ran to its end: %v\n%s", err, output)
			default:
				t.Logf("caught by %s", strings.Join(noticed, ", "))
				table = append(table, fmt.Sprintf("%s | %s", m.name, strings.Join(noticed, ", ")))
			}
		})
	}
	slices.Sort(table)
	t.Logf("mutation | caught by\n%s", strings.Join(table, "\n"))
}

// overlay writes what has the compiler read text in place of a file.
func overlay(t *testing.T, file, text string) string {
	t.Helper()
	dir := t.TempDir()
	original, err := filepath.Abs(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	mutated := filepath.Join(dir, "mutated.go")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	for path, text := range map[string]string{mutated: text, path: string(replace)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// goTest runs tests, with an overlay where one is given, which the programs that
// tests build have too.
func goTest(t *testing.T, overlay, packages, run string) (output string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-failfast", "-v", "-vet=off", "-ldflags=-s -w", "-timeout", patience.String(), "-run", run, packages)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), long+"=", "AGEPATH_LONG=1") // every crash point
	if overlay != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	}
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// failed returns the tests that an output says failed: by themselves, by their
// time, or by the end of the process.
func failed(output string) []string {
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^--- FAIL: (\S+)|^\t(Test\S+) \(\d|^panic: (.{1,60})|^fatal error: (.{1,60})`).FindAllStringSubmatch(output, -1) {
		name := match[1] + match[2] + match[3] + match[4]
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
