package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// hiddenVariable has the descriptor of the file with the hidden variables.
const hiddenVariable = "AGEPATH_HIDDEN"

// hidden says that restore has run.
var hidden bool

// hide executes this program again in this process with only the variables that slots get, and
// passes the others in a memory file: all processes of the user can read the initial environment in
// /proc. It returns only if that was done before, or with an error.
func hide() error {
	if hidden {
		return nil
	}
	all := os.Environ()
	kept := slotEnvironment(all)
	rest := slices.DeleteFunc(slices.Clone(all), func(entry string) bool { return slices.Contains(kept, entry) })
	fd, err := unix.MemfdCreate("agepath", 0) // the new program inherits it
	if err != nil {
		return fmt.Errorf("hiding the environment: %w", err)
	}
	file := os.NewFile(uintptr(fd), "the environment")
	defer file.Close()
	if _, err := file.WriteString(strings.Join(rest, "\x00")); err != nil {
		return fmt.Errorf("hiding the environment: %w", err)
	}
	err = syscall.Exec("/proc/self/exe", os.Args, append(kept, hiddenVariable+"="+strconv.Itoa(fd)))
	return fmt.Errorf("hiding the environment: %w", err)
}

// restore sets the variables that hide removed. From then on only the administrator can inspect the
// process.
func restore() error {
	text := os.Getenv(hiddenVariable)
	if text == "" {
		return nil
	}
	fd, err := strconv.Atoi(text)
	if err != nil || fd < 3 {
		return fmt.Errorf("%s is set; unset it, for it is this program's own", hiddenVariable)
	}
	file := os.NewFile(uintptr(fd), "the environment")
	defer file.Close()
	var content bytes.Buffer
	if _, err := io.Copy(&content, io.NewSectionReader(file, 0, 64<<20)); err != nil {
		return fmt.Errorf("reading the hidden environment: %w", err)
	}
	if err := os.Unsetenv(hiddenVariable); err != nil {
		return err
	}
	for entry := range strings.SplitSeq(content.String(), "\x00") {
		if name, value, ok := strings.Cut(entry, "="); ok {
			if err := os.Setenv(name, value); err != nil {
				return fmt.Errorf("setting %s: %w", name, err)
			}
		}
	}
	hidden = true
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
