package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// asStubborn makes the test binary run as a program that does not end with
// its context.
const asStubborn = "AGEPATH_TEST_AS_STUBBORN"

func TestMain(m *testing.M) {
	if os.Getenv(asStubborn) != "" {
		Main(func(ctx context.Context, _ []string, streams Streams) int {
			fmt.Fprintln(streams.Out, "started")
			<-ctx.Done()
			fmt.Fprintln(streams.Out, "cancelled")
			select {}
		})
	}
	if os.Getenv(asHider) != "" || os.Getenv("AGEPATH_HIDDEN") != "" { // before and after it began again
		Main(showHidden)
	}
	os.Exit(m.Run())
}

// TestSignals wants the first signal to end the context and the second one to
// end the process.
func TestSignals(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), asStubborn+"=1")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for _, want := range []string{"started", "cancelled"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("the program says %q, want %q", lines.Text(), want)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	err = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != ExitInterrupted {
		t.Errorf("%v, exit status %d, want %d", err, code, ExitInterrupted)
	}
}

// TestSignalAlone has a command that does not heed a signal, as one that reads a disk that does not
// answer: it is ended.
func TestSignalAlone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	hang, said := make(chan struct{}), new(strings.Builder)
	root := &cobra.Command{Use: "program"}
	b := New(root, Streams{Out: io.Discard, Err: said, Env: func(string) (string, bool) { return "", false }})
	code := 0
	b.exit = func(with int) {
		code = with
		close(hang)
	}
	root.RunE = func(*cobra.Command, []string) error {
		b.Grace(time.Millisecond - signalWait)
		cancel()
		<-hang
		return nil
	}
	b.Execute(ctx, root, nil)
	if code != ExitInterrupted || !strings.Contains(said.String(), "ended by a signal") {
		t.Errorf("exit status %d: %s", code, said)
	}
}

// TestCalledAs has the commands of a wheel, agepath and agepath-worker, say what can be typed.
func TestCalledAs(t *testing.T) {
	t.Parallel()
	if streams := calledAs("/bin/coordinator", System()); streams.Out != System().Out {
		t.Error("the coordinator's own texts are changed")
	}
	if _, ok := calledAs(`agepath.exe`, System()).Err.(renaming); !ok {
		t.Error("agepath.exe keeps its texts")
	}
	file, err := os.Create(t.TempDir() + "/said")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	root := &cobra.Command{Use: "coordinator", Run: func(*cobra.Command, []string) {}}
	b := New(root, Streams{Out: renaming{file}, Err: io.Discard})
	if root.Name() != "agepath" || b.NATS.program != "coordinator" {
		t.Errorf("agepath is named %s, its NATS user's inbox %s", root.Name(), b.NATS.program)
	}
	const before, after = "a coordinator is silent; `coordinator resume RUN` or\n    coordinator run x\n  worker --nats y\nthe worker x", "a coordinator is silent; `agepath resume RUN` or\n    agepath run x\n  agepath-worker --nats y\nthe worker x"
	if n, err := io.WriteString(b.Out, before); n != len(before) || err != nil {
		t.Errorf("%d bytes of %d written, %v", n, len(before), err)
	}
	if text, err := os.ReadFile(file.Name()); err != nil || string(text) != after {
		t.Errorf("%q, want %q, %v", text, after, err)
	}
}
