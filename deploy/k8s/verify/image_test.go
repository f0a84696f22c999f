package verify

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	corev1 "k8s.io/api/core/v1"
)

// TestImage reads the Dockerfile as docker does and builds with its own command
// what goes into the image.
func TestImage(t *testing.T) {
	t.Parallel()
	stages := dockerfile(t, "../../Dockerfile")
	last := stages[len(stages)-1]
	if last.BaseName != "scratch" {
		t.Errorf("the image is made from %s", last.BaseName)
	}
	user := ""
	for _, command := range last.Commands {
		switch c := command.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.RunCommand:
			t.Errorf("there is nothing to run %v with", c.CmdLine)
		}
	}
	if user != "65532:65532" {
		t.Errorf("user %q", user)
	}
	build := ""
	static := false
	for _, command := range stages[0].Commands {
		switch c := command.(type) {
		case *instructions.RunCommand:
			build = strings.Join(c.CmdLine, " ")
		case *instructions.EnvCommand:
			static = static || c.Env[0].Key == "CGO_ENABLED" && c.Env[0].Value == "0"
		}
	}
	if !static {
		t.Error("cgo is not off")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the image is for Linux")
	}
	out := t.TempDir()
	line := strings.Replace(build, "/out/", out+"/", 1)
	if line == build {
		t.Fatalf("%q does not build to /out/", build)
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, text)
	}
	for _, name := range []string{"coordinator", "worker"} {
		wantStatic(t, filepath.Join(out, name))
	}
	t.Run("arguments", func(t *testing.T) { checkArguments(t, out) })
}

// dockerfile reads the stages of an image.
func dockerfile(t *testing.T, path string) []instructions.Stage {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	parsed, err := parser.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

// TestPythonImage wants the image with Python to have the programs where the manifests and the
// image that it takes them from have them, and its user.
func TestPythonImage(t *testing.T) {
	t.Parallel()
	stages, programs := dockerfile(t, "../../python.Dockerfile"), dockerfile(t, "../../Dockerfile")
	last, of := stages[len(stages)-1], programs[len(programs)-1]
	if stages[0].BaseName != "agepath:dev" || !strings.HasPrefix(last.BaseName, "python:") {
		t.Errorf("from %s and %s", stages[0].BaseName, last.BaseName)
	}
	user := func(stage instructions.Stage) (user string) {
		for _, command := range stage.Commands {
			if c, ok := command.(*instructions.UserCommand); ok {
				user = c.User
			}
		}
		return user
	}
	if user(last) != user(of) {
		t.Errorf("user %q, not %q", user(last), user(of))
	}
	copied := 0
	for _, command := range last.Commands {
		if c, ok := command.(*instructions.CopyCommand); ok && c.From == stages[0].Name && c.DestPath == "/" {
			copied += len(c.SourcePaths)
			if !slices.Equal(c.SourcePaths, []string{"/coordinator", "/worker"}) {
				t.Errorf("copied are %v", c.SourcePaths)
			}
		}
	}
	if copied != 2 {
		t.Errorf("%d programs are copied", copied)
	}
}

// wantStatic wants a binary that needs no file but itself.
func wantStatic(t *testing.T, path string) {
	t.Helper()
	binary, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer binary.Close()
	if libraries, err := binary.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("%s needs libraries %v, error %v", path, libraries, err)
	}
	for _, part := range binary.Progs {
		if part.Type == elf.PT_INTERP {
			t.Errorf("%s needs a loader", path)
		}
	}
}

// checkArguments runs the programs with the arguments of the manifests, where no
// server is: they must get as far as to connect.
func checkArguments(t *testing.T, binaries string) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(config, []byte("nats: nats://127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	here := strings.NewReplacer( // paths and addresses of a pod
		"/etc/agepath/nats/config.yaml", config, "/etc/agepath/grid/grid.yaml", "../../../grids/quickstart.yaml",
		"/tmp/", dir+"/", "/var/cache/", dir+"/", "/results/", dir+"/", "=:8480", "=127.0.0.1:0", "=:8481", "=127.0.0.1:0",
	)
	ran := 0
	for _, overlayName := range []string{"job", "deployment", "submit", "testdata/collect", "testdata/collect-s3"} {
		for _, o := range overlay(t, overlayName) {
			if o.pod == nil {
				continue
			}
			c := o.pod.Spec.Containers[0]
			args := slices.Concat(c.Command[1:], c.Args, []string{"--connect-wait=0s"}) // the last one counts
			for i := range args {
				args[i] = here.Replace(expand(&c, args[i]))
			}
			text, err := exec.Command(filepath.Join(binaries, c.Command[0]), args...).CombinedOutput()
			exit := new(exec.ExitError)
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(text), "connecting to NATS at nats://127.0.0.1:1") {
				t.Errorf("%s %v: %v\n%s", c.Command[0], args, err, text)
			}
			ran++
		}
	}
	if ran < 8 {
		t.Errorf("%d programs ran", ran)
	}
}

// expand puts the container's variables into an argument, as Kubernetes does. Of those
// that come from elsewhere it takes the key.
func expand(c *corev1.Container, arg string) string {
	for _, env := range c.Env {
		value := env.Value
		if env.ValueFrom != nil && env.ValueFrom.ConfigMapKeyRef != nil {
			value = env.ValueFrom.ConfigMapKeyRef.Key
		}
		arg = strings.ReplaceAll(arg, "$("+env.Name+")", value)
	}
	return arg
}

// TestServerImage wants the NATS servers to be of the version that the tests of the
// queue and the fault campaigns use.
func TestServerImage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`github.com/nats-io/nats-server/v2 v(\S+)`).FindSubmatch(text)
	if required == nil {
		t.Fatal("go.mod requires no nats-server")
	}
	for _, o := range overlay(t, "nats") {
		if o.kind == "StatefulSet" {
			if have, want := o.pod.Spec.Containers[0].Image, "nats:"+string(required[1]); have != want {
				t.Errorf("the servers' image is %s, want %s", have, want)
			}
			return
		}
	}
	t.Error("there are no servers")
}
