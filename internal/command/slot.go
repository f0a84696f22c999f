package command

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/run"
)

// slotVariable makes a program compute cells for its parent.
const slotVariable = "AGEPATH_SLOT_PROCESS"

// SlotProcess makes the commands of slot processes: this program again, sharing the processors and
// GOMEMLIMIT.
func SlotProcess(slots int) (func() *exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	if runtime.GOOS == "linux" {
		program = "/proc/self/exe" // the same program even if its file was replaced
	}
	processors := (runtime.GOMAXPROCS(0) + slots - 1) / slots
	env := append(slotEnvironment(os.Environ()), slotVariable+"=1", fmt.Sprintf("GOMAXPROCS=%d", processors))
	if os.Getenv("GOMEMLIMIT") != "" {
		env = append(env, fmt.Sprintf("GOMEMLIMIT=%d", debug.SetMemoryLimit(-1)/int64(slots)))
	}
	return func() *exec.Cmd {
		cmd := exec.Command(program) //nolint:noctx // the slot ends its process
		cmd.Args[0] = os.Args[0]
		cmd.Env = env
		return cmd
	}, nil
}

// slotNames are read by Go's runtime and the tracker's checks.
var slotNames = []string{"GODEBUG", "GOGC", "GOTRACEBACK", "GOMAXPROCS", "GOMEMLIMIT", "GOCOVERDIR", "AGEPATH_VERIFY"}

// slotEnvironment keeps slotNames and what every program needs.
func slotEnvironment(all []string) []string {
	env := outside.Base(all)
	for _, entry := range all {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(slotNames, name) {
			env = append(env, entry)
		}
	}
	return env
}

// ServeSlot computes cells and exits if [SlotProcess] made the process. Call it first.
func ServeSlot(kinds []experiment.Kind) {
	if os.Getenv(slotVariable) == "" {
		return
	}
	_ = os.Unsetenv(slotVariable) // it exists
	// The worker decides about a signal to the whole group, such as ^C.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	answers := os.Stdout
	os.Stdout = os.Stderr // prints of a computation are no answer
	if err := run.ServeSlot(os.Stdin, answers, kinds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(ExitFailed)
	}
	os.Exit(ExitDone)
}
