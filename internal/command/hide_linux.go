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

// hiddenVariable is the number of the file with the variables that [hide] took out of the
// environment.
const hiddenVariable = "AGEPATH_HIDDEN"

// hidden says that this process began without the variables that it has.
var hidden bool

// hide starts this program again, as the same process, with the variables alone that slots
// get, and hands it the others in a file without a name: what a process was started with
// stays in /proc for all processes of its user to read, commands too. It returns where that
// has happened before, or with an error.
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

// restore gives a process that hide started its variables back. No other process of its
// user can look into it from then on, unless that is the administrator.
func restore() error {
	text := os.Getenv(hiddenVariable)
	if text == "" {
		return nil
	}
	fd, err := strconv.Atoi(text)
	if err != nil || fd < 3 {
		return fmt.Errorf("%s is set; that is for this program alone", hiddenVariable)
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
